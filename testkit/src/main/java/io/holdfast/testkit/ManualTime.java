package io.holdfast.testkit;

import io.holdfast.lease.Time;
import java.time.Duration;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;

/**
 * A clock that moves only when told to. Threads that wait on it wake when it reaches their moment.
 * Safe for use by many threads.
 */
public final class ManualTime implements Time {
  /** Where the clock starts: some moment in 2026. */
  public static final long START_MS = 1_780_000_000_000L;

  private final Set<Thread> parked = ConcurrentHashMap.newKeySet();
  private volatile long nanos;
  private volatile long offsetMs = START_MS;

  @Override
  public long nanos() {
    return nanos;
  }

  /** The manual instant that stands for the database's clock. */
  public long nowMs() {
    return offsetMs + nanos / 1_000_000;
  }

  @Override
  public OptionalLong databaseMs() {
    return OptionalLong.of(nowMs());
  }

  /** Moves both clocks on. */
  public void advance(Duration by) {
    advanceMs(by.toMillis());
  }

  /** Moves both clocks on. */
  public synchronized void advanceMs(long ms) {
    nanos += ms * 1_000_000;
    parked.forEach(LockSupport::unpark);
  }

  /** Steps the database's clock alone, forwards or back, as a failover or an administrator does. */
  public synchronized void stepDatabase(long ms) {
    offsetMs += ms;
  }

  @Override
  public void park(long untilNanos) {
    Thread me = Thread.currentThread();
    parked.add(me);
    try {
      if (untilNanos - nanos > 0) {
        LockSupport.park(this);
      }
    } finally {
      parked.remove(me);
    }
  }

  /** Waits, in real time, until so many threads wait on this clock. */
  public void awaitParked(int threads) {
    long until = System.nanoTime() + Duration.ofSeconds(20).toNanos();
    while (parked.size() < threads) {
      if (System.nanoTime() - until > 0) {
        throw new AssertionError(parked.size() + " threads wait on the clock, not " + threads);
      }
      LockSupport.parkNanos(100_000);
    }
  }
}
