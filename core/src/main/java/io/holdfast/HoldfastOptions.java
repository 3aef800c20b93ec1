package io.holdfast;

import io.holdfast.job.JobOptions;
import io.holdfast.lock.LockOptions;
import io.holdfast.queue.QueueOptions;
import io.holdfast.stream.StreamOptions;

/** How the capabilities behave. Start from {@link #DEFAULTS} and change what differs. */
public record HoldfastOptions(
    LockOptions locks, QueueOptions queues, StreamOptions streams, JobOptions jobs) {
  /** The settings that suit most. */
  public static final HoldfastOptions DEFAULTS =
      new HoldfastOptions(
          LockOptions.DEFAULTS, QueueOptions.DEFAULTS, StreamOptions.DEFAULTS, JobOptions.DEFAULTS);

  /** With other lock options. */
  public HoldfastOptions withLocks(LockOptions value) {
    return new HoldfastOptions(value, queues, streams, jobs);
  }

  /** With other queue options. */
  public HoldfastOptions withQueues(QueueOptions value) {
    return new HoldfastOptions(locks, value, streams, jobs);
  }

  /** With other stream options. */
  public HoldfastOptions withStreams(StreamOptions value) {
    return new HoldfastOptions(locks, queues, value, jobs);
  }

  /** With other job options. */
  public HoldfastOptions withJobs(JobOptions value) {
    return new HoldfastOptions(locks, queues, streams, value);
  }
}
