package io.holdfast.lock;

import java.time.Duration;
import java.util.random.RandomGenerator;

/**
 * How contention is retried: how often, after what delay, and for how long in all.
 *
 * @param maxRetries tries after the first one
 * @param delay before the first retry; zero retries at once
 * @param timeout for all tries together; zero makes exactly one try
 * @param backoff how the delay grows
 * @param jitter how it is spread
 */
public record LockRetry(
    int maxRetries, Duration delay, Duration timeout, Backoff backoff, Jitter jitter) {

  /** Ten retries from 100 ms on, doubled each time, within 5 s. */
  public static final LockRetry DEFAULTS =
      new LockRetry(
          10, Duration.ofMillis(100), Duration.ofSeconds(5), Backoff.EXPONENTIAL, Jitter.EQUAL);

  /** How the delay grows from retry to retry. */
  public enum Backoff {
    EXPONENTIAL,
    FIXED
  }

  /** Where in its range a delay of d falls: d itself, [d/2, d), or [0, d). */
  public enum Jitter {
    NONE,
    EQUAL,
    FULL
  }

  public LockRetry {
    if (maxRetries < 0) {
      throw LockException.invalid("maxRetries must not be negative");
    }
    if (delay.isNegative()) {
      throw LockException.invalid("retry delay must not be negative");
    }
    if (timeout.isNegative()) {
      throw LockException.invalid("timeout must not be negative");
    }
  }

  /** With another number of retries. */
  public LockRetry withMaxRetries(int value) {
    return new LockRetry(value, delay, timeout, backoff, jitter);
  }

  /** With another first delay. */
  public LockRetry withDelay(Duration value) {
    return new LockRetry(maxRetries, value, timeout, backoff, jitter);
  }

  /** With another limit for all tries together. */
  public LockRetry withTimeout(Duration value) {
    return new LockRetry(maxRetries, delay, value, backoff, jitter);
  }

  /** With another growth and spread. */
  public LockRetry with(Backoff newBackoff, Jitter newJitter) {
    return new LockRetry(maxRetries, delay, timeout, newBackoff, newJitter);
  }

  /**
   * How long to wait after {@code attempt} (counted from 1) was refused, at most {@code leftNanos}.
   */
  public long delayNanos(int attempt, long leftNanos, RandomGenerator random) {
    long base = nanos(delay);
    int doublings = backoff == Backoff.FIXED ? 0 : Math.min(attempt - 1, 62);
    long full = base > (Long.MAX_VALUE >> doublings) ? Long.MAX_VALUE : base << doublings;
    long spread =
        switch (jitter) {
          case NONE -> full;
          case EQUAL -> full / 2 + below(full - full / 2, random);
          case FULL -> below(full, random);
        };
    return Math.min(spread, leftNanos);
  }

  long timeoutNanos() {
    return nanos(timeout);
  }

  private static long below(long bound, RandomGenerator random) {
    return bound <= 0 ? 0 : random.nextLong(bound);
  }

  private static long nanos(Duration duration) {
    return duration.compareTo(Duration.ofDays(30_000)) > 0
        ? Duration.ofDays(30_000).toNanos()
        : duration.toNanos();
  }
}
