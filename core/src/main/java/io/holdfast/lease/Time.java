package io.holdfast.lease;

import java.util.OptionalLong;
import java.util.concurrent.locks.LockSupport;

/**
 * The only source of time. Stored instants come from the database's clock; how long this process
 * may still trust a lease is counted on a monotonic clock. A test replaces both with a manual one.
 *
 * <p>Implementations are safe for use by many threads.
 */
public interface Time {
  /** The machine's monotonic clock, and the store's own clock for instants. */
  static Time system() {
    return SystemTime.INSTANCE;
  }

  /** A monotonic clock; only differences mean anything. */
  long nanos();

  /** A manual instant that replaces the store's clock, or empty: the store asks its own. */
  OptionalLong databaseMs();

  /**
   * Blocks the calling thread until {@link #nanos} reaches {@code untilNanos}, the thread is
   * unparked or interrupted, or for no reason; callers loop.
   */
  void park(long untilNanos);

  /** The moment {@code durationMs} after {@code fromNanos}, held back from overflowing. */
  static long after(long fromNanos, long durationMs) {
    long farthest = Long.MAX_VALUE / 4;
    return fromNanos + (durationMs > farthest / 1_000_000 ? farthest : durationMs * 1_000_000);
  }

  /** The real thing. */
  enum SystemTime implements Time {
    INSTANCE;

    @Override
    public long nanos() {
      return System.nanoTime();
    }

    @Override
    public OptionalLong databaseMs() {
      return OptionalLong.empty();
    }

    @Override
    public void park(long untilNanos) {
      LockSupport.parkNanos(this, untilNanos - System.nanoTime());
    }
  }
}
