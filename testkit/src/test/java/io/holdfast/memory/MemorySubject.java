package io.holdfast.memory;

import io.holdfast.lock.LockBackend;
import io.holdfast.lock.LockKey;
import io.holdfast.testkit.ManualTime;
import io.holdfast.testkit.lock.LockSubject;

/** A memory store under test; it sits in the store's package to reach its counters. */
public final class MemorySubject implements LockSubject {
  private final MemoryStore store;

  public MemorySubject(ManualTime time) {
    this.store = new MemoryStore(time);
  }

  @Override
  public LockBackend backend() {
    return store.locks();
  }

  @Override
  public void setCounter(String key, long fence) {
    MemoryLocks table = (MemoryLocks) backend().store();
    synchronized (table) {
      table.counters.put(LockKey.of(key).text(), fence);
    }
  }

  @Override
  public void close() {
    store.close();
  }
}
