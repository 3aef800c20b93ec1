package io.holdfast.lock;

import io.holdfast.ErrorCode;

/**
 * The critical section of {@link Locks#withLock}: runs the function and always gives the lock back.
 */
final class Section {
  private final Acquired lock;
  private final WithLockOptions options;

  Section(Acquired lock, WithLockOptions options) {
    this.lock = lock;
    this.options = options;
  }

  <T, X extends Exception> T run(LockedFunction<T, X> fn) throws X {
    boolean lost = false;
    T value;
    try {
      startKeeping();
      value = fn.apply(lock);
      lost = !lock.isHeld();
    } finally {
      lock.close(options.onReleaseError());
    }
    if (lost && options.failIfLost()) {
      throw new LockException(ErrorCode.LEASE_LOST, "the lock was lost while it was in use")
          .about(lock.key(), lock.lockId());
    }
    return value;
  }

  private void startKeeping() {
    if (options.interruptOnLoss()) {
      lock.keepInterrupting();
    } else if (options.autoRenew()) {
      lock.keep();
    }
  }
}
