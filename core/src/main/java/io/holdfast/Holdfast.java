package io.holdfast;

import io.holdfast.job.JobService;
import io.holdfast.job.Jobs;
import io.holdfast.lock.LockService;
import io.holdfast.lock.Locks;
import io.holdfast.memory.MemoryStore;
import io.holdfast.queue.QueueService;
import io.holdfast.queue.Queues;
import io.holdfast.stream.StreamService;
import io.holdfast.stream.Streams;

/**
 * The front door: the capabilities over one store. Close it when done; what is still being renewed
 * is released then. Safe for use by many threads.
 */
public final class Holdfast implements AutoCloseable {
  private final Store store;
  private final LockService locks;
  private final QueueService queues;
  private final StreamService streams;
  private final JobService jobs;

  private Holdfast(Store store, HoldfastOptions options) {
    this.store = store;
    this.locks = LockService.over(store.locks(), options.locks());
    this.queues = QueueService.over(store.queues(), options.queues());
    this.streams = StreamService.over(store.streams(), options.streams());
    this.jobs = JobService.over(store.jobs(), options.jobs());
  }

  /** Over {@code store}, with default options; closing also closes the store. */
  public static Holdfast over(Store store) {
    return over(store, HoldfastOptions.DEFAULTS);
  }

  /** Over {@code store}, with these options; closing also closes the store. */
  public static Holdfast over(Store store, HoldfastOptions options) {
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

  /** Work queues. */
  public Queues queues() {
    return queues;
  }

  /** Ordered streams. */
  public Streams streams() {
    return streams;
  }

  /** Background jobs. */
  public Jobs jobs() {
    return jobs;
  }

  @Override
  public void close() {
    jobs.close();
    streams.close();
    queues.close();
    locks.close();
    store.close();
  }
}
