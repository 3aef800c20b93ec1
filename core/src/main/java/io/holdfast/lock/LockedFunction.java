package io.holdfast.lock;

/** What to do while holding a lock. */
@FunctionalInterface
public interface LockedFunction<T, X extends Exception> {
  /** Runs under {@code lock}; its value or exception is the caller's. */
  T apply(Acquired lock) throws X;
}
