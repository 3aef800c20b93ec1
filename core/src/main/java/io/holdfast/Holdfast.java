package io.holdfast;

import io.holdfast.lock.LockOptions;
import io.holdfast.lock.LockService;
import io.holdfast.lock.Locks;
import io.holdfast.memory.MemoryStore;

/**
 * The front door: the capabilities over one store. Close it when done; what is still being renewed
 * is released then. Safe for use by many threads.
 */
public final class Holdfast implements AutoCloseable {
  private final Store store;
  private final LockService locks;

  private Holdfast(Store store, LockOptions options) {
    this.store = store;
    this.locks = LockService.over(store.locks(), options);
  }

  /** Over {@code store}, with default options; closing also closes the store. */
  public static Holdfast over(Store store) {
    return over(store, LockOptions.DEFAULTS);
  }

  /** Over {@code store}, with these options; closing also closes the store. */
  public static Holdfast over(Store store, LockOptions options) {
    return new Holdfast(store, options);
  }

  /** Over a new store in this process's memory, for tests and trying things out. */
  public static Holdfast inMemory() {
    return over(new MemoryStore());
  }

  /** Fenced locks. */
  public Locks locks() {
    return locks;
  }

  @Override
  public void close() {
    locks.close();
    store.close();
  }
}
