package io.holdfast.testkit.queue;

import io.holdfast.queue.QueueBackend;

/** A fresh, empty store under test, on a manual clock. */
public interface QueueSubject extends AutoCloseable {
  /** The store as one process sees it; a new view each time, sharing nothing but the data. */
  QueueBackend process();

  @Override
  void close();
}
