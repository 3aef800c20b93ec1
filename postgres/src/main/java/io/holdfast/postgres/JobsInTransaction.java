package io.holdfast.postgres;

import io.holdfast.job.Batch;
import io.holdfast.job.Cancelled;
import io.holdfast.job.Effects;
import io.holdfast.job.Enqueued;
import io.holdfast.job.Held;
import io.holdfast.job.JobRules;
import io.holdfast.job.JobService;
import io.holdfast.job.JobStore;
import io.holdfast.job.NewJob;
import io.holdfast.job.Settlement;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Job operations inside a caller's open transaction: visible with its commit, undone by its
 * rollback. Nothing is begun, ended, repeated or set on the connection. Workers elsewhere are told
 * by {@link Enqueue#wake}, after the commit; else they find out at their next look. Settling fails
 * with an exception when the run is not the holder's any more: do not commit then. Used by one
 * thread, as its connection is.
 */
public final class JobsInTransaction {
  private final JobTransaction transaction;
  private final JobService service;
  private Effects effects = Effects.NONE;

  JobsInTransaction(JobTransaction transaction, JobService service) {
    this.transaction = transaction;
    this.service = service;
  }

  /**
   * What was enqueued, to be told after the commit.
   *
   * @param jobs in the order in which they were given
   * @param waker tells workers; harmless when the transaction was rolled back
   */
  public record Enqueue(List<Enqueued> jobs, Runnable waker) {
    /** The first, or only, job. */
    public Enqueued first() {
      return jobs.get(0);
    }

    /** Lets workers look now; for after the commit. */
    public void wake() {
      waker.run();
    }
  }

  /** Stores a job with the commit. */
  public Enqueue enqueue(NewJob job) {
    return enqueue(List.of(job));
  }

  /**
   * Stores jobs with the commit. An idempotency key that another open transaction holds is waited
   * for.
   */
  public Enqueue enqueue(List<NewJob> jobs) {
    JobRules.checkThread();
    Batch batch = Batch.of(JobRules.rows(jobs, service.options(), service.ids()));
    JobStore.Stored stored = transaction.enqueue(batch.rows());
    effects = effects.and(stored.effects());
    return new Enqueue(batch.answers(stored.jobs()), this::wake);
  }

  /** The run succeeded. */
  public void ack(Held held, byte @Nullable [] output) {
    settle(new Settlement.Ack(held, output));
  }

  /** The run failed and is worth another try. */
  public void retry(Held held, @Nullable Duration delay, String error) {
    settle(Settlement.Retry.in(held, delay, error));
  }

  /** The run failed, and the job is given up. */
  public void fail(Held held, @Nullable String reason) {
    settle(Settlement.Fail.of(held, reason));
  }

  private void settle(Settlement item) {
    JobRules.checkThread();
    effects = effects.and(transaction.settle(JobRules.settlements(List.of(item)).get(0)));
  }

  /** Ends jobs that wait, and asks those that run to end. */
  public List<Cancelled> cancel(List<String> ids) {
    JobRules.checkThread();
    JobRules.checkIds(ids);
    JobStore.Cancellations answer = transaction.cancel(ids);
    effects = effects.and(answer.effects());
    return answer.cancelled();
  }

  /** Keeps everybody from taking the job over until the transaction ends; fails when it is lost. */
  public void guard(Held held) {
    JobRules.checkThread();
    transaction.guard(held);
  }

  /** Tells workers here and elsewhere what the transaction meant; for after the commit. */
  public void wake() {
    Effects told = effects;
    effects = Effects.NONE;
    service.spread(told);
  }
}
