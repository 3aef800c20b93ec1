package io.holdfast.memory;

import io.holdfast.job.JobBackend;
import io.holdfast.testkit.ManualTime;
import io.holdfast.testkit.job.JobSubject;

/** A memory store under test; it sits in the store's package to open views of several processes. */
public final class MemoryJobSubject implements JobSubject {
  private final MemoryStore store;

  public MemoryJobSubject(ManualTime time) {
    this.store = new MemoryStore(time);
  }

  @Override
  public JobBackend process() {
    return store.jobProcess();
  }

  @Override
  public void close() {
    store.close();
  }
}
