package io.holdfast.job;

import java.util.List;

/** Settings, limits, pauses and figures of queues. Safe for use by many threads. */
public interface JobQueues {
  /** Changes settings and limits; answers how the queue is set up now. */
  JobQueueInfo configure(JobQueueConfig config);

  /** From now on the queue gives nothing; it still takes jobs, and runs may end. */
  void pause(String queue);

  /** Ends a pause. */
  void resume(String queue);

  /** The queues that are set up or have jobs, by name. */
  List<JobQueueInfo> list();

  /** How a queue is set up, whether anything is in it or not. */
  JobQueueInfo get(String queue);

  /** How much is in a queue. */
  JobStats stats(String queue);

  /** The workers that have been seen lately, by id. */
  List<WorkerInfo> workers();
}
