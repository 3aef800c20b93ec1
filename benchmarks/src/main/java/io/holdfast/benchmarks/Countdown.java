package io.holdfast.benchmarks;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/** Counts the calls of a handler that does nothing. Safe for use by many threads. */
final class Countdown {
  private static final long PATIENCE_MINUTES = 20;

  private final CountDownLatch left;
  private final AtomicLong firstNanos = new AtomicLong(Long.MIN_VALUE);

  Countdown(int calls) {
    this.left = new CountDownLatch(calls);
  }

  /** The handler was called. */
  void call() {
    if (firstNanos.get() == Long.MIN_VALUE) {
      firstNanos.compareAndSet(Long.MIN_VALUE, System.nanoTime());
    }
    left.countDown();
  }

  /** Waits for the last call, and answers when the first one was. */
  long await() throws InterruptedException {
    if (!left.await(PATIENCE_MINUTES, TimeUnit.MINUTES)) {
      throw new IllegalStateException(left.getCount() + " jobs were not handled");
    }
    return firstNanos.get();
  }
}
