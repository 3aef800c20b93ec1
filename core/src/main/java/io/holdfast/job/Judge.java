package io.holdfast.job;

import java.time.Duration;
import java.util.Random;
import java.util.concurrent.TimeoutException;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Decides what becomes of a run by how its handler ended. Safe for use by many threads. */
final class Judge {
  private static final Logger LOG = LoggerFactory.getLogger(Judge.class);

  /** How long a job of an unknown type waits for a worker that knows it. */
  private static final Backoff PARKING =
      new Backoff(Duration.ofSeconds(5), 2, Duration.ofMinutes(5), 0.2);

  /** No job waits for longer: the end of it could not be stored. */
  private static final Duration LONGEST = Duration.ofDays(365 * 1_000L);

  private final WorkerPlan plan;
  private final RandomGenerator random;

  Judge(WorkerPlan plan) {
    this.plan = plan;
    Long seed = plan.policy().seed();
    this.random = seed == null ? new Random() : new Random(seed);
  }

  /** It succeeded. */
  Outbox.Letter success(Run run, @Nullable Object result) {
    byte[] output = Outputs.encoded(plan.codec(), run.leased.id(), result);
    return new Outbox.Letter(
        run, new Settlement.Ack(run.held(), output), WorkerStats.Outcome.SUCCEEDED);
  }

  /** It threw. */
  Outbox.Letter failure(Run run, Throwable failure) {
    JobContext.EndReason reason = run.endReason();
    if (reason == JobContext.EndReason.SHUTDOWN) {
      return release(run, null, WorkerStats.Outcome.RELEASED);
    }
    if (reason == JobContext.EndReason.CANCELLED) {
      return new Outbox.Letter(
          run,
          Settlement.Retry.in(run.held(), null, JobTexts.error(text(failure))),
          WorkerStats.Outcome.CANCELLED);
    }
    if (failure instanceof Snooze snooze) {
      return release(run, storable(snooze.delay()), WorkerStats.Outcome.SNOOZED);
    }
    LOG.warn(
        "job {} of type {} failed: {}",
        run.leased.id(),
        run.leased.job().type(),
        failure.toString(),
        failure);
    return judged(run, failure, text(failure));
  }

  private static Duration storable(Duration delay) {
    if (delay.isNegative()) {
      return Duration.ZERO;
    }
    return delay.compareTo(LONGEST) > 0 ? LONGEST : delay;
  }

  /** It took longer than it may. */
  Outbox.Letter timeout(Run run, Duration limit) {
    String text = "timeout after " + limit;
    return judged(run, new TimeoutException(text), text);
  }

  /** Nobody here knows its type. */
  Outbox.Letter parked(Run run) {
    int excused = Math.min(30, run.leased.job().history().excused());
    LOG.info("job {} has the unknown type {}", run.leased.id(), run.leased.job().type());
    return release(run, PARKING.delay(excused + 1, random), WorkerStats.Outcome.PARKED);
  }

  /** It has not started. */
  static Outbox.Letter unstarted(Run run) {
    return release(run, null, WorkerStats.Outcome.RELEASED);
  }

  private static Outbox.Letter release(
      Run run, @Nullable Duration delay, WorkerStats.Outcome outcome) {
    return new Outbox.Letter(run, new Settlement.Release(run.held(), delay), outcome);
  }

  private Outbox.Letter judged(Run run, Throwable failure, String text) {
    Job job = run.leased.job();
    int attempts = job.history().attempts();
    RetryPolicy.Verdict verdict =
        plan.policy().judge(failure, attempts, job.spec().maxAttempts(), random);
    String error = JobTexts.error(text);
    if (verdict instanceof RetryPolicy.Verdict.Retry retry) {
      return new Outbox.Letter(
          run, Settlement.Retry.in(run.held(), retry.delay(), error), WorkerStats.Outcome.RETRIED);
    }
    return new Outbox.Letter(
        run, new Settlement.Fail(run.held(), error, error, null), WorkerStats.Outcome.DEAD);
  }

  private static String text(Throwable failure) {
    String message = failure.getMessage();
    return "handler error: " + (message == null ? failure.getClass().getName() : message);
  }
}
