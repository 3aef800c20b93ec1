package io.holdfast;

import io.holdfast.lock.LockOptions;
import io.holdfast.lock.LockService;
import io.holdfast.lock.Locks;
import io.holdfast.memory.MemoryStore;
import io.holdfast.queue.QueueOptions;
import io.holdfast.queue.QueueService;
import io.holdfast.queue.Queues;

/**
 * The front door: the capabilities over one store. Close it when done; what is still being renewed
 * is released then. Safe for use by many threads.
 */
public final class Holdfast implements AutoCloseable {
  private final Store store;
  private final LockService locks;
  private final QueueService queues;

  private Holdfast(Store store, LockOptions lockOptions, QueueOptions queueOptions) {
    this.store = store;
    this.locks = LockService.over(store.locks(), lockOptions);
    this.queues = QueueService.over(store.queues(), queueOptions);
  }

  /** Over {@code store}, with default options; closing also closes the store. */
  public static Holdfast over(Store store) {
    return over(store, LockOptions.DEFAULTS, QueueOptions.DEFAULTS);
  }

  /** Over {@code store}, with these options; closing also closes the store. */
  public static Holdfast over(Store store, LockOptions locks, QueueOptions queues) {
    return new Holdfast(store, locks, queues);
  }

  /** Over a new store in this process's memory, for tests and trying things out. */
  public static Holdfast inMemory() {
    return over(new MemoryStore());
  }

  /** Fenced locks. */
  public Locks locks() {
    return locks;
  }

  /** Work queues. */
  public Queues queues() {
    return queues;
  }

  @Override
  public void close() {
    queues.close();
    locks.close();
    store.close();
  }
}
