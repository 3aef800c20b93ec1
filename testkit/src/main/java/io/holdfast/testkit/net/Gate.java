package io.holdfast.testkit.net;

import java.time.Duration;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;

/** Where every chunk waits before it is passed on: while frozen, and for the delay. Thread-safe. */
final class Gate {
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private boolean frozen;
  private long delayNanos;

  void frozen(boolean value) {
    lock.lock();
    try {
      frozen = value;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  void delay(Duration delay) {
    lock.lock();
    try {
      delayNanos = delay.toNanos();
    } finally {
      lock.unlock();
    }
  }

  /** Makes every waiting chunk ask again whether its connection is over. */
  void wake() {
    lock.lock();
    try {
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** Returns false, without further waiting, once the connection is over. */
  boolean pass(BooleanSupplier over) throws InterruptedException {
    lock.lockInterruptibly();
    try {
      long openAt = System.nanoTime() + delayNanos;
      while (!over.getAsBoolean()) {
        long left = openAt - System.nanoTime();
        if (frozen) {
          changed.await();
        } else if (left > 0) {
          changed.awaitNanos(left);
        } else {
          return true;
        }
      }
      return false;
    } finally {
      lock.unlock();
    }
  }
}
