package io.holdfast.testkit.lock.beyond;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/** Waiting in real time for other threads to get somewhere, with a limit that means failure. */
final class Waits {
  static final long LIMIT_SECONDS = 20;
  private static final long LOOK_AGAIN_NANOS = 50_000;

  private Waits() {}

  static void until(BooleanSupplier condition, Supplier<String> otherwise) {
    long untilNanos = System.nanoTime() + TimeUnit.SECONDS.toNanos(LIMIT_SECONDS);
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() - untilNanos > 0) {
        throw new AssertionError(otherwise.get());
      }
      LockSupport.parkNanos(LOOK_AGAIN_NANOS);
    }
  }
}
