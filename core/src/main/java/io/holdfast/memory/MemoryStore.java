package io.holdfast.memory;

import io.holdfast.Store;
import io.holdfast.lease.Reserve;
import io.holdfast.lease.Time;
import io.holdfast.lock.LockBackend;
import io.holdfast.lock.LockCapabilities;

/** A store in this process's memory. Safe for use by many threads. */
public final class MemoryStore implements Store {
  private final LockBackend locks;

  /** An empty store on the system's clock. */
  public MemoryStore() {
    this(Time.system());
  }

  /** An empty store on {@code time}. */
  public MemoryStore(Time time) {
    MemoryLocks table = new MemoryLocks(time);
    this.locks =
        new LockBackend(
            table,
            new MemoryLockAdmin(table),
            new MemoryHints(),
            Reserve.none(),
            time,
            LockCapabilities.of("memory"));
  }

  @Override
  public LockBackend locks() {
    return locks;
  }

  @Override
  public void close() {}
}
