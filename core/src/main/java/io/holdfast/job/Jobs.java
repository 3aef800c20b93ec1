package io.holdfast.job;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Background jobs over one store. A job is delivered at least once; effects that its handler writes
 * on the connection that also completes it happen once. Every call checks, in this order: that its
 * thread is not interrupted, its arguments, that it is open. Safe for use by many threads.
 */
public interface Jobs extends AutoCloseable {
  /** Stores a job, unless one with its idempotency key is there. */
  Enqueued enqueue(NewJob job);

  /** Stores up to 10,000 jobs, all or none; the answers are in their order. */
  List<Enqueued> enqueue(List<NewJob> jobs);

  /** The same without waiting for it. */
  CompletableFuture<List<Enqueued>> enqueueAsync(List<NewJob> jobs);

  /** Leases jobs that may run now. Workers do this by themselves; see {@link #worker()}. */
  Reserved reserve(ReserveRequest request);

  /**
   * The same, waiting for up to {@code wait} until there is at least one. Waiting holds neither a
   * thread nor a connection; cancelling the future ends it, and what came too late goes back.
   */
  CompletableFuture<Reserved> reserveAsync(ReserveRequest request, Duration wait);

  /** Settles up to 1,000 runs, each for itself; the answers are in their order. */
  List<Settled> settle(List<? extends Settlement> items);

  /** The same without waiting for it. */
  CompletableFuture<List<Settled>> settleAsync(List<? extends Settlement> items);

  /** The run succeeded; fails with what {@link Settled#error()} says when it is refused. */
  default Settled ack(Held held) {
    return Settling.one(this, Settlement.Ack.of(held));
  }

  /** The run failed and is worth another try after {@code delay}; null: at once. */
  default Settled retry(Held held, @Nullable Duration delay, String error) {
    return Settling.one(this, Settlement.Retry.in(held, delay, error));
  }

  /** The run failed, and the job is given up. */
  default Settled fail(Held held, @Nullable String reason) {
    return Settling.one(this, Settlement.Fail.of(held, reason));
  }

  /** The run ended without an outcome; null: the job returns to its old place. */
  default Settled release(Held held, @Nullable Duration delay) {
    return Settling.one(this, new Settlement.Release(held, delay));
  }

  /** More, or less, time for up to 1,000 runs, from now on; the answers are in their order. */
  List<Extended> extend(List<Held> items, Duration leaseFor);

  /**
   * What a worker elsewhere says every few seconds: that it is there, and which runs it still has,
   * at most 1,000. Nothing is waited for; the answers are in the order of the runs.
   */
  List<JobStore.Beat> heartbeat(JobStore.Heartbeat heartbeat);

  /** Ends up to 1,000 jobs that wait, and asks those that run to end. */
  List<Cancelled> cancel(List<String> ids);

  /** Returns up to 1,000 jobs from the dead, from having been cancelled, or from waiting. */
  List<Requeued> requeue(List<String> ids, Requeue how);

  /** A job, with its payload. */
  Job inspect(String id);

  /** A job, with its payload if wanted. */
  Job inspect(String id, boolean withPayload);

  /** A page of a queue's jobs, without payloads. */
  JobPage list(JobQuery query);

  /** Up to 500 jobs of a trace, oldest first, without payloads. */
  List<Job> trace(String traceId);

  /** Why a job stands where it stands, and what would change that. */
  Explanation explain(String id);

  /** Queues: settings, limits, pauses, figures. */
  JobQueues queues();

  /** Jobs that were given up, many at a time. */
  DeadJobs dead();

  /** Recurring jobs. */
  Schedules schedules();

  /** A worker to be described and started. */
  JobWorker.Builder worker();

  /** Where jobs go that name no queue. */
  String defaultQueue();

  /** Fails unless the store answers. */
  void ping();

  /** Begins the background duties, which the first call does otherwise. */
  void start();

  /** Runs one background duty once, whether it is due or not, and says how much it did. */
  int runDuty(DutyName duty);

  /** What runs in the background. */
  enum DutyName {
    /** Fires schedules. */
    TICK,
    /** Lets jobs pass that wait for their limit key. */
    SWEEP,
    /** Notes when jobs ended that others finished. */
    ADOPT,
    /** Deletes what has been kept for long enough. */
    RETAIN,
    /** Forgets workers that are gone. */
    FORGET_WORKERS
  }

  /** Stops workers and duties, and refuses what comes later; again, it does nothing. */
  @Override
  void close();
}
