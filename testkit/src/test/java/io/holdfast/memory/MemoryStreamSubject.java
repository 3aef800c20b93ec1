package io.holdfast.memory;

import io.holdfast.stream.StreamStore;
import io.holdfast.testkit.ManualTime;
import io.holdfast.testkit.stream.StreamSubject;

/** A memory store under test; it sits in the store's package to open views of several processes. */
public final class MemoryStreamSubject implements StreamSubject {
  private final MemoryStore store;

  public MemoryStreamSubject(ManualTime time) {
    this.store = new MemoryStore(time);
  }

  @Override
  public StreamStore process() {
    return store.streamProcess();
  }

  @Override
  public void close() {
    store.close();
  }
}
