package io.holdfast.lock;

import io.holdfast.ErrorCode;
import io.holdfast.lease.Cancellation;
import io.holdfast.lease.Signal;
import io.holdfast.lease.Time;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One wait for a taken key, whether a thread sits it out or it is {@linkplain ParkedAcquire
 * parked}. A refused try leaves a ticket with the store, so that the release that frees the key
 * knows somebody waits; the next try comes with its hint, or else when the waiter's own clock says
 * so. A hint may be lost: polling decides how long that costs, never whether the lock is got.
 */
final class Waiting {
  private static final Logger LOG = LoggerFactory.getLogger(Locks.class);
  private static final int MAX_LATE_MS = 25;

  private final LockEngine engine;
  private final LockService locks;
  private final Wanted wanted;
  private final LockStore.@Nullable Waiter waiter;
  private final WaitingRoom.Place place;
  private final long startNanos;
  private final long untilNanos;
  private Locked refused = new Locked(Duration.ofMillis(1));
  private long nextNanos;

  /**
   * What is waited for.
   *
   * @param id under which id; null: a new one for every try
   */
  record Wanted(LockKey key, @Nullable LockId id, LockTtl ttl, Wait patience) {
    LockStore.Request request(LockStore.@Nullable Waiter waiter) {
      return new LockStore.Request(key, id == null ? LockId.random() : id, id != null, ttl, waiter);
    }
  }

  /** Takes its place; {@code wake} is called, and must not block, when it should look again. */
  Waiting(LockEngine engine, LockService locks, Wanted wanted, Runnable wake) {
    this.engine = engine;
    this.locks = locks;
    this.wanted = wanted;
    Wait wait = wanted.patience();
    this.waiter = wait.limit().isZero() ? null : ticket(wait);
    this.startNanos = engine.time.nanos();
    this.untilNanos = Time.after(startNanos, wait.limitMs());
    this.nextNanos = untilNanos;
    engine.listen();
    this.place = engine.room.enter(wanted.key(), manner(wait), wake);
  }

  private LockStore.Waiter ticket(Wait wait) {
    String waiterId = wait.isFair() ? LockId.random().text() : engine.processId;
    return new LockStore.Waiter(waiterId, wait.isFair(), 3 * engine.options.poll().toMillis());
  }

  private static WaitingRoom.Manner manner(Wait wait) {
    if (wait.limit().isZero()) {
      return WaitingRoom.Manner.RETRYING;
    }
    return wait.isFair() ? WaitingRoom.Manner.FAIR : WaitingRoom.Manner.POLLING;
  }

  /** Waits on the calling thread. */
  static LockAttempt acquire(
      LockEngine engine, LockService locks, Wanted wanted, Cancellation cancellation) {
    Signal signal = new Signal();
    Waiting waiting = new Waiting(engine, locks, wanted, signal::raise);
    boolean granted = false;
    try {
      LockAttempt answer = waiting.look(cancellation);
      while (answer == null) {
        waiting.await(signal, cancellation);
        answer = waiting.look(cancellation);
      }
      granted = answer.ok();
      return answer;
    } finally {
      waiting.leave(granted);
    }
  }

  private void await(Signal signal, Cancellation cancellation) {
    switch (signal.await(engine.time, nextNanos, cancellation)) {
      case CANCELLED -> throw cancelled();
      case INTERRUPTED ->
          throw new LockException(ErrorCode.ABORTED, "the waiting thread was interrupted");
      case RAISED, TIMED_OUT -> {}
    }
  }

  static LockException cancelled() {
    return new LockException(ErrorCode.ABORTED, "the wait was cancelled");
  }

  /** Tries if it may; null: not over yet, look again at {@link #nextNanos}. */
  @Nullable LockAttempt look(Cancellation cancellation) {
    nextNanos = untilNanos;
    if (place.mayTry()) {
      LockAttempt attempt = locks.attempt(wanted.request(waiter), cancellation);
      if (attempt instanceof Acquired granted) {
        granted.waitedSince(startNanos);
        return granted;
      }
      refused = (Locked) attempt;
      nextNanos = earlier(untilNanos, nextTry(refused));
    }
    return untilNanos - engine.time.nanos() <= 0 ? refused : null;
  }

  /** When to look again unless woken before. */
  long nextNanos() {
    return nextNanos;
  }

  /** Whichever comes first: the next poll, or shortly after the present lease has ended. */
  private long nextTry(Locked locked) {
    ThreadLocalRandom random = ThreadLocalRandom.current();
    long poll = engine.options.poll().toMillis();
    long pollMs = poll / 2 + random.nextLong(poll - poll / 2);
    long endMs = locked.retryAfter().toMillis() + random.nextLong(MAX_LATE_MS + 1);
    return engine.time.nanos() + TimeUnit.MILLISECONDS.toNanos(Math.min(pollMs, endMs));
  }

  /** Ends the wait, with or without the lock; no try may follow. */
  void leave(boolean granted) {
    boolean lastOfTicket = place.leave();
    if (waiter != null && !granted && lastOfTicket) {
      giveUp(engine, wanted.key(), waiter.id());
    }
  }

  /** Takes the ticket back and passes a hint that was meant for us on to the next. */
  static void giveUp(LockEngine engine, LockKey key, String waiterId) {
    boolean interrupted = Thread.interrupted();
    try {
      boolean othersWait = engine.store().leave(key, waiterId, engine.call(Cancellation.never()));
      engine.released(key, othersWait);
    } catch (RuntimeException e) {
      LOG.debug("a ticket is left to expire: {}", e.getMessage());
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  private static long earlier(long a, long b) {
    return a - b < 0 ? a : b;
  }
}
