package io.holdfast.testkit.stream;

import io.holdfast.stream.StreamService;
import io.holdfast.stream.StreamStore;
import io.holdfast.stream.Streams;

/** A fresh, empty store under test, on a manual clock. */
public interface StreamSubject extends AutoCloseable {
  /** The store as one process sees it; a new view each time, sharing nothing but the data. */
  StreamStore process();

  /** A service as its users see it: itself, or a client of a server in front of it. */
  default Streams seen(StreamService service) {
    return service;
  }

  /**
   * Whether users and service are in one process. If not, calls take longer, and a client has a
   * thread of its own that waits on the clock.
   */
  default boolean isInProcess() {
    return true;
  }

  @Override
  void close();
}
