package io.holdfast.testkit.lock;

import io.holdfast.lock.LockBackend;

/** A fresh, empty store under test, on a manual clock. */
public interface LockSubject extends AutoCloseable {
  /** The store; asking again gives the same one, as a second process sees it. */
  LockBackend backend();

  /** Sets the fence counter of {@code key}, as if so many grants had been made. */
  void setCounter(String key, long fence);

  @Override
  void close();
}
