package io.holdfast.lease;

import static org.assertj.core.api.Assertions.fail;

import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/**
 * A clock moved by hand. Frozen, it keeps every thread that waits on it there, so that a test can
 * step duties without their runners. Safe for use by many threads.
 */
public final class HandClock implements Time {
  private static final long LIMIT_NANOS = TimeUnit.SECONDS.toNanos(20);

  private final Set<Thread> parked = ConcurrentHashMap.newKeySet();
  private final Object frost = new Object();
  private volatile long nanos;
  private boolean frozen;

  @Override
  public long nanos() {
    return nanos;
  }

  @Override
  public OptionalLong databaseMs() {
    return OptionalLong.of(nanos / 1_000_000);
  }

  @Override
  public void park(long untilNanos) {
    Thread me = Thread.currentThread();
    parked.add(me);
    try {
      if (untilNanos - nanos > 0) {
        LockSupport.park(this);
      }
      awaitThaw();
    } finally {
      parked.remove(me);
    }
  }

  /** Sets the clock to {@code ms} after its start. */
  public synchronized void to(long ms) {
    nanos = ms * 1_000_000;
    parked.forEach(LockSupport::unpark);
  }

  /** Starts the clock elsewhere, for example near the end of the numbers. */
  void startAt(long startNanos) {
    nanos = startNanos;
  }

  void freeze() {
    synchronized (frost) {
      frozen = true;
    }
  }

  void thaw() {
    synchronized (frost) {
      frozen = false;
      frost.notifyAll();
    }
  }

  void awaitParked(int threads) {
    eventually(() -> parked.size() >= threads);
  }

  /** Waits in real time until {@code condition} holds. */
  static void eventually(BooleanSupplier condition) {
    long untilNanos = System.nanoTime() + LIMIT_NANOS;
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() - untilNanos > 0) {
        fail("it never came true");
      }
      LockSupport.parkNanos(50_000);
    }
  }

  private void awaitThaw() {
    synchronized (frost) {
      while (frozen) {
        try {
          frost.wait();
        } catch (InterruptedException e) {
          Thread.currentThread().interrupt();
          return;
        }
      }
    }
  }
}
