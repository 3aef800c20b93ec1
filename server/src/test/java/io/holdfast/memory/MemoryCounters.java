package io.holdfast.memory;

import io.holdfast.job.JobBackend;
import io.holdfast.lock.LockKey;

/** Reaches into a memory store for tests; it sits in the store's package for that. */
public final class MemoryCounters {
  private MemoryCounters() {}

  /** Sets the fence counter of a key. */
  public static void set(MemoryStore store, String key, long fence) {
    MemoryLocks table = (MemoryLocks) store.locks().store();
    synchronized (table) {
      table.counters.put(LockKey.of(key).text(), fence);
    }
  }

  /** The jobs as one more process sees them. */
  public static JobBackend process(MemoryStore store) {
    return store.jobProcess();
  }
}
