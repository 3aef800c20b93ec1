package io.holdfast.lock;

import io.holdfast.ErrorCode;
import io.holdfast.lease.Cancellation;
import io.holdfast.lease.Signal;
import io.holdfast.lease.Time;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Waits for a taken key. A refused try leaves a ticket with the store, so that the release that
 * frees the key knows somebody waits; the next try comes with its hint, or else when the waiter's
 * own clock says so. A hint may be lost: polling decides how long that costs, never whether the
 * lock is got.
 */
final class Waiting {
  private static final Logger LOG = LoggerFactory.getLogger(Locks.class);
  private static final int MAX_LATE_MS = 25;

  private final LockEngine engine;
  private final LockService locks;
  private final Cancellation cancellation;

  Waiting(LockEngine engine, LockService locks, Cancellation cancellation) {
    this.engine = engine;
    this.locks = locks;
    this.cancellation = cancellation;
  }

  LockAttempt acquire(LockKey key, LockTtl ttl, Wait wait) {
    engine.listen();
    String waiterId = wait.isFair() ? LockId.random().text() : engine.processId;
    long ticketMs = 3 * engine.options.poll().toMillis();
    LockStore.Waiter waiter = new LockStore.Waiter(waiterId, wait.isFair(), ticketMs);
    WaitingRoom.Manner manner =
        wait.isFair() ? WaitingRoom.Manner.FAIR : WaitingRoom.Manner.POLLING;
    WaitingRoom.Place place = engine.room.enter(key, manner);
    boolean granted = false;
    try {
      LockAttempt attempt = poll(key, ttl, waiter, place, Time.after(now(), wait.limitMs()));
      granted = attempt.ok();
      return attempt;
    } finally {
      leave(place, key, waiterId, granted);
    }
  }

  private LockAttempt poll(
      LockKey key, LockTtl ttl, LockStore.Waiter waiter, WaitingRoom.Place place, long untilNanos) {
    Locked refused = new Locked(Duration.ofMillis(1));
    while (true) {
      long nextNanos = untilNanos;
      if (place.mayTry()) {
        LockAttempt attempt = locks.attempt(key, ttl, waiter, cancellation);
        if (!(attempt instanceof Locked locked)) {
          return attempt;
        }
        refused = locked;
        nextNanos = earlier(untilNanos, nextTry(locked));
      }
      if (untilNanos - now() <= 0) {
        return refused;
      }
      await(place.signal, nextNanos);
    }
  }

  private void await(Signal signal, long untilNanos) {
    switch (signal.await(engine.time, untilNanos, cancellation)) {
      case CANCELLED -> throw new LockException(ErrorCode.ABORTED, "the wait was cancelled");
      case INTERRUPTED ->
          throw new LockException(ErrorCode.ABORTED, "the waiting thread was interrupted");
      case RAISED, TIMED_OUT -> {}
    }
  }

  /** Whichever comes first: the next poll, or shortly after the present lease has ended. */
  private long nextTry(Locked locked) {
    ThreadLocalRandom random = ThreadLocalRandom.current();
    long poll = engine.options.poll().toMillis();
    long pollMs = poll / 2 + random.nextLong(poll - poll / 2);
    long endMs = locked.retryAfter().toMillis() + random.nextLong(MAX_LATE_MS + 1);
    return now() + TimeUnit.MILLISECONDS.toNanos(Math.min(pollMs, endMs));
  }

  private void leave(WaitingRoom.Place place, LockKey key, String waiterId, boolean granted) {
    boolean lastOfTicket = place.leave();
    if (!granted && lastOfTicket) {
      giveUp(engine, key, waiterId);
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

  private long now() {
    return engine.time.nanos();
  }

  private static long earlier(long a, long b) {
    return a - b < 0 ? a : b;
  }
}
