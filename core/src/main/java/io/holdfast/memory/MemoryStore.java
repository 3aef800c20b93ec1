package io.holdfast.memory;

import io.holdfast.Store;
import io.holdfast.job.JobBackend;
import io.holdfast.lease.Reserve;
import io.holdfast.lease.Time;
import io.holdfast.lock.LockBackend;
import io.holdfast.lock.LockCapabilities;
import io.holdfast.queue.QueueBackend;
import io.holdfast.stream.StreamStore;

/** A store in this process's memory. Safe for use by many threads. */
public final class MemoryStore implements Store {
  private final LockBackend locks;
  private final Time time;
  private final MemoryQueues queues;
  private final MemoryHints queueHints = new MemoryHints();
  private final QueueBackend queueBackend;
  private final MemoryStreamData streams;
  private final MemoryHints streamHints = new MemoryHints();
  private final StreamStore streamStore;
  private final MemoryJobData jobs;
  private final MemoryHints jobHints = new MemoryHints();
  private final JobBackend jobBackend;

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
    this.time = time;
    this.queues = new MemoryQueues(time);
    this.queueBackend = process();
    this.streams = new MemoryStreamData(time);
    this.streamStore = streamProcess();
    this.jobs = new MemoryJobData(time);
    this.jobBackend = jobProcess();
  }

  @Override
  public LockBackend locks() {
    return locks;
  }

  @Override
  public QueueBackend queues() {
    return queueBackend;
  }

  /** The queues as one more process sees them: the data and the hints are everybody's. */
  QueueBackend process() {
    return new QueueBackend(
        new MemoryQueueCatalog(queues, queueHints), new MemoryPartitions(queues), queueHints, time);
  }

  @Override
  public StreamStore streams() {
    return streamStore;
  }

  /** The streams as one more process sees them: the data and the hints are everybody's. */
  StreamStore streamProcess() {
    return new MemoryStreams(streams, streamHints, time);
  }

  /** The job part of the store. */
  @Override
  public JobBackend jobs() {
    return jobBackend;
  }

  /** The jobs as one more process sees them: the data and the hints are everybody's. */
  JobBackend jobProcess() {
    return new MemoryJobs(jobs, jobHints, time);
  }

  @Override
  public void close() {}
}
