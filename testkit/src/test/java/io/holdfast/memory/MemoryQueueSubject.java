package io.holdfast.memory;

import io.holdfast.queue.QueueBackend;
import io.holdfast.testkit.ManualTime;
import io.holdfast.testkit.queue.QueueSubject;

/** A memory store under test; it sits in the store's package to open views of several processes. */
public final class MemoryQueueSubject implements QueueSubject {
  private final MemoryStore store;

  public MemoryQueueSubject(ManualTime time) {
    this.store = new MemoryStore(time);
  }

  @Override
  public QueueBackend process() {
    return store.process();
  }

  @Override
  public void close() {
    store.close();
  }
}
