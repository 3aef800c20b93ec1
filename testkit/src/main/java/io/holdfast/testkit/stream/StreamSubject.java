package io.holdfast.testkit.stream;

import io.holdfast.stream.StreamStore;

/** A fresh, empty store under test, on a manual clock. */
public interface StreamSubject extends AutoCloseable {
  /** The store as one process sees it; a new view each time, sharing nothing but the data. */
  StreamStore process();

  @Override
  void close();
}
