package io.holdfast.lock;

import io.holdfast.ErrorCode;
import io.holdfast.lease.Cancellation;
import io.holdfast.lease.Signal;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;

/** Takes a lock as {@link Locks#withLock} does: so many tries, so far apart, for so long. */
final class Retrying {
  private final LockEngine engine;
  private final LockService locks;
  private final Cancellation cancellation;

  Retrying(LockEngine engine, LockService locks, Cancellation cancellation) {
    this.engine = engine;
    this.locks = locks;
    this.cancellation = cancellation;
  }

  Acquired acquire(LockKey key, WithLockOptions options) {
    LockRetry retry = options.retry();
    Cancellation either = AnyOf.of(cancellation, options.acquireCancellation());
    engine.admit(either);
    boolean once = retry.timeout().isZero() || retry.maxRetries() == 0;
    if (once) {
      LockAttempt only = locks.tryOnce(key.text(), options.ttl(), null, either);
      return held(only, key);
    }
    if (locks.isPatient()) {
      return held(new PatientTries(key, options, either).repeat(), key);
    }
    engine.listen();
    Signal signal = new Signal();
    WaitingRoom.Place place = engine.room.enter(key, WaitingRoom.Manner.RETRYING, signal::raise);
    boolean granted = false;
    try {
      LockAttempt last = new Tries(key, options, signal, either).repeat(place);
      granted = last.ok();
      return held(last, key);
    } finally {
      if (place.leave() && place.hasTicket && !granted) {
        Waiting.giveUp(engine, key, engine.processId);
      }
    }
  }

  /** The tries of one call, and what ends the pauses between them. */
  private final class Tries {
    private final LockKey key;
    private final WithLockOptions options;
    private final Signal signal;
    private final Cancellation cancel;

    Tries(LockKey key, WithLockOptions options, Signal signal, Cancellation cancel) {
      this.key = key;
      this.options = options;
      this.signal = signal;
      this.cancel = cancel;
    }

    LockAttempt repeat(WaitingRoom.Place place) {
      LockRetry retry = options.retry();
      long untilNanos = engine.time.nanos() + retry.timeoutNanos();
      int attempts = 0;
      while (true) {
        long leftNanos = untilNanos - engine.time.nanos();
        long delayNanos =
            retry.delayNanos(attempts + 1, Math.max(0, leftNanos), ThreadLocalRandom.current());
        LockAttempt attempt = locks.tryOnce(key.text(), options.ttl(), ticket(delayNanos), cancel);
        attempts++;
        place.hasTicket |= !attempt.ok();
        boolean over = attempts > retry.maxRetries() || untilNanos - engine.time.nanos() <= 0;
        if (attempt.ok() || over) {
          return attempt;
        }
        long nextNanos = engine.time.nanos() + delayNanos;
        if (pause(nextNanos - untilNanos < 0 ? nextNanos : untilNanos)) {
          attempts--;
        }
      }
    }

    /** Waits for the next try; true when a wake-up ended the wait, and that try is not counted. */
    private boolean pause(long untilNanos) {
      if (untilNanos - engine.time.nanos() <= 0) {
        return false;
      }
      return switch (signal.await(engine.time, untilNanos, cancel)) {
        case RAISED -> true;
        case TIMED_OUT -> false;
        case CANCELLED -> throw Waiting.cancelled();
        case INTERRUPTED ->
            throw new LockException(ErrorCode.ABORTED, "the waiting thread was interrupted");
      };
    }
  }

  /**
   * The tries of one call at a store that waits by itself: it sits out the pause before a try and
   * makes that try early when the key is freed.
   */
  private final class PatientTries {
    private final LockKey key;
    private final WithLockOptions options;
    private final Cancellation cancel;

    PatientTries(LockKey key, WithLockOptions options, Cancellation cancel) {
      this.key = key;
      this.options = options;
      this.cancel = cancel;
    }

    LockAttempt repeat() {
      LockRetry retry = options.retry();
      long untilNanos = engine.time.nanos() + retry.timeoutNanos();
      LockAttempt attempt = locks.tryOnce(key.text(), options.ttl(), null, cancel);
      for (int retries = 0; !attempt.ok() && retries < retry.maxRetries(); retries++) {
        long leftNanos = untilNanos - engine.time.nanos();
        if (leftNanos <= 0) {
          return attempt;
        }
        long delayNanos = retry.delayNanos(retries + 1, leftNanos, ThreadLocalRandom.current());
        Wait pause = Wait.upTo(Duration.ofNanos(Math.min(delayNanos, leftNanos)));
        attempt = locks.tryFor(key.text(), options.ttl(), pause, cancel);
      }
      return attempt;
    }
  }

  /** A ticket that outlives the pause before the next try. */
  private LockStore.Waiter ticket(long delayNanos) {
    long pollMs = engine.options.poll().toMillis();
    long ttlMs = Math.max(3 * pollMs, delayNanos / 1_000_000 + pollMs);
    return new LockStore.Waiter(engine.processId, false, Math.min(ttlMs, LockTtl.MAX_MILLIS));
  }

  private static Acquired held(LockAttempt attempt, LockKey key) {
    if (attempt instanceof Acquired acquired) {
      return acquired;
    }
    throw new LockException(ErrorCode.ACQUISITION_TIMEOUT, "the lock stayed taken")
        .about(key.text(), null);
  }

  /** Two tokens as one. */
  private record AnyOf(Cancellation first, Cancellation second) implements Cancellation {
    static Cancellation of(Cancellation first, Cancellation second) {
      return second == Cancellation.never() ? first : new AnyOf(first, second);
    }

    @Override
    public boolean isCancelled() {
      return first.isCancelled() || second.isCancelled();
    }

    @Override
    public Registration onCancel(Runnable action) {
      Registration one = first.onCancel(action);
      Registration two = second.onCancel(action);
      return () -> {
        one.close();
        two.close();
      };
    }
  }
}
