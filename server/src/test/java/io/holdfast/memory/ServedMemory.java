package io.holdfast.memory;

import io.holdfast.queue.QueueBackend;
import io.holdfast.stream.StreamStore;
import io.holdfast.testkit.ManualTime;
import io.holdfast.testkit.queue.QueueSubject;

/** A memory store to be served; it sits in the store's package to open views of it. */
public final class ServedMemory implements QueueSubject {
  private final MemoryStore store;

  public ServedMemory(ManualTime time) {
    this.store = new MemoryStore(time);
  }

  @Override
  public QueueBackend process() {
    return store.process();
  }

  /** The streams as one more process sees them. */
  public StreamStore streams() {
    return store.streamProcess();
  }

  @Override
  public void close() {
    store.close();
  }
}
