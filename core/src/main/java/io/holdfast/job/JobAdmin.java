package io.holdfast.job;

import io.holdfast.lease.StoreCall;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What operators do to jobs and queues. Arguments have been checked. Safe for many threads. */
public interface JobAdmin {
  /** What requeueing did; answers in the order of the ids. */
  record Requeues(List<Requeued> requeued, Effects effects) {}

  /** What requeueing many did. */
  record Revived(Bulk bulk, Effects effects) {}

  /** {@code dlq, cancelled or scheduled → ready or scheduled}, or gated if it has a limit key. */
  Requeues requeue(List<String> ids, Requeue how, StoreCall call);

  /**
   * The same for the oldest dead letters, at most {@code query.limit()}, in one transaction.
   *
   * @param spread they become due one after the other over so much time, evenly, the first now
   */
  Revived requeueDead(DeadQuery query, boolean isResetting, Duration spread, StoreCall call);

  /** Deletes the oldest dead letters, at most {@code query.limit()}. */
  Bulk purgeDead(DeadQuery query, StoreCall call);

  /** No reserve that begins after this returned gets anything of the queue. */
  void pause(String queue, @Nullable String by, StoreCall call);

  /** Ends a pause. */
  void resume(String queue, StoreCall call);

  /** The queues that are set up or have jobs, by name; only this one, if one is named. */
  List<JobQueueInfo> queues(@Nullable String queue, StoreCall call);

  /** How much is in a queue. */
  JobStats stats(String queue, StoreCall call);

  /** The workers that have been seen, by id. */
  List<WorkerInfo> workers(StoreCall call);
}
