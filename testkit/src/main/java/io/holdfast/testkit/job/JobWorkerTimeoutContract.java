package io.holdfast.testkit.job;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.job.Backoff;
import io.holdfast.job.JobContext.EndReason;
import io.holdfast.job.JobState;
import io.holdfast.job.JobWorker;
import io.holdfast.job.RetryPolicy;
import io.holdfast.job.WorkerStats.Outcome;
import io.holdfast.testkit.Guarantee;
import java.time.Duration;
import java.util.concurrent.CancellationException;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Test;

/** What becomes of a run that takes too long. */
public abstract class JobWorkerTimeoutContract extends JobWorkerSuite {
  private static final Duration LIMIT = Duration.ofSeconds(7);
  private static final Duration GRACE = Duration.ofSeconds(30);
  private static final RetryPolicy POLICY =
      RetryPolicy.DEFAULT.backoff(Backoff.fixed(Duration.ofMinutes(1)));

  private JobWorker.Builder limited() {
    return patient().retry(POLICY).concurrency(1).prefetch(0).timeout(TYPE, LIMIT);
  }

  /** Lets time pass in steps in which heartbeats are not late. */
  private void passSlowly(Duration by) {
    for (long s = 0; s < by.toSeconds(); s++) {
      pass(Duration.ofSeconds(1));
    }
  }

  @Test
  @Guarantee("W16")
  void a_timeout_cancels_and_retries() {
    String id = enqueue(draft("a"));
    JobWorker worker = limited().start();
    run(worker);

    pass(LIMIT.minusMillis(1));
    assertThat(pending.context("a").endReason()).isEmpty();
    pass(Duration.ofMillis(1));
    assertThat(pending.context("a").endReason()).contains(EndReason.TIMEOUT);
    assertThat(pending.context("a").cancellation().isCancelled()).isTrue();
    assertThat(state(id)).isEqualTo(JobState.INFLIGHT);
    pending.fail("a", new CancellationException());
    run(worker);

    assertThat(state(id)).isEqualTo(JobState.SCHEDULED);
    assertThat(history(id).attempts()).isEqualTo(1);
    assertThat(history(id).lastError()).isEqualTo("timeout after PT7S");
    assertThat(dueAt(id)).isEqualTo(instant().plus(Duration.ofMinutes(1)));
    assertThat(ended(worker, Outcome.RETRIED)).isEqualTo(1);
  }

  @Test
  @Guarantee("W16")
  void the_jobs_own_timeout_counts_before_the_handlers() {
    enqueue(draft("a").timeout(Duration.ofSeconds(9)));
    JobWorker worker = limited().start();
    run(worker);

    pass(LIMIT);
    assertThat(pending.context("a").endReason()).isEmpty();
    pass(Duration.ofSeconds(2));

    assertThat(pending.context("a").endReason()).contains(EndReason.TIMEOUT);
  }

  @Test
  @Guarantee("W16")
  void without_a_timeout_a_run_may_take_for_ever() {
    enqueue("a");
    run(patient().start());

    for (int i = 0; i < 400; i++) {
      pass(Duration.ofSeconds(10));
    }

    assertThat(pending.context("a").endReason()).isEmpty();
    assertThat(pending.context("a").deadlineNanos()).isEmpty();
  }

  @Test
  @Guarantee("W16")
  void a_timeout_runs_from_the_start_of_the_handler() {
    enqueue("a", "b");
    JobWorker worker = limited().prefetch(1).start();
    run(worker);
    assertThat(worker.stats().buffered()).isEqualTo(1);

    pass(Duration.ofSeconds(5));
    pending.end("a");
    run(worker);
    pass(Duration.ofSeconds(5));
    assertThat(pending.context("b").endReason()).isEmpty();
    pass(Duration.ofSeconds(2));

    assertThat(pending.context("b").endReason()).contains(EndReason.TIMEOUT);
  }

  @Test
  @Guarantee("W16")
  void a_timeout_runs_on_the_monotonic_clock() {
    enqueue("a");
    run(limited().start());

    time.stepDatabase(Duration.ofSeconds(10).toMillis());
    duties();
    assertThat(pending.context("a").endReason()).isEmpty();
    time.stepDatabase(-Duration.ofSeconds(10).toMillis());
    pass(LIMIT);

    assertThat(pending.context("a").endReason()).contains(EndReason.TIMEOUT);
  }

  @Test
  @Guarantee("W16")
  void a_timeout_is_judged_by_the_policy() {
    String id = enqueue(draft("a"));
    JobWorker worker = limited().retry(POLICY.deadOn(TimeoutException.class)).start();
    run(worker);

    pass(LIMIT);
    pending.fail("a", new IllegalStateException());
    run(worker);

    assertThat(state(id)).isEqualTo(JobState.DLQ);
    assertThat(history(id).dead().reason()).isEqualTo("timeout after PT7S");
  }

  @Test
  @Guarantee("W17")
  void late_success_is_kept_while_the_lease_lives() {
    String id = enqueue(draft("a"));
    JobWorker worker = limited().start();
    run(worker);

    passSlowly(LIMIT.plus(GRACE).minusSeconds(1));
    assertThat(pending.context("a").endReason()).contains(EndReason.TIMEOUT);
    pending.end("a", "late");
    run(worker);

    assertThat(state(id)).isEqualTo(JobState.DONE);
    assertThat(end(id).output()).asString().isEqualTo("late");
  }

  @Test
  @Guarantee("W18")
  void a_stuck_handler_neither_blocks_its_job_nor_frees_its_slot() {
    String id = enqueue(draft("a"));
    JobWorker worker = limited().start();
    run(worker);

    passSlowly(LIMIT.plus(GRACE));
    post();
    assertThat(state(id)).isEqualTo(JobState.SCHEDULED);
    assertThat(history(id).lastError()).isEqualTo("timeout after PT7S");
    assertThat(worker.stats().stuck()).isEqualTo(1);
    assertThat(worker.stats().active()).isEqualTo(1);
    enqueue("b");
    run(worker);
    assertThat(pending.begun()).containsExactly("a");

    pending.end("a", "far too late");
    run(worker);
    assertThat(worker.stats().stuck()).isZero();
    assertThat(pending.begun()).containsExactly("a", "b");
    assertThat(state(id)).as("the late result counts for nothing").isEqualTo(JobState.SCHEDULED);
    assertThat(history(id).attempts()).isEqualTo(1);
  }

  @Test
  @Guarantee("W18")
  void a_job_whose_handler_is_stuck_runs_elsewhere() {
    String id = enqueue(draft("a"));
    run(limited().start());
    passSlowly(LIMIT.plus(GRACE));
    post();

    time.advance(Duration.ofMinutes(1));
    home = openHome(faulty());
    run(recording().start());

    assertThat(ran).containsExactly("a");
    assertThat(state(id)).isEqualTo(JobState.DONE);
  }

  @Test
  @Guarantee("W18")
  void the_grace_can_be_chosen() {
    String id = enqueue(draft("a"));
    JobWorker worker = limited().timeoutGrace(Duration.ofSeconds(1)).start();
    run(worker);

    pass(LIMIT);
    assertThat(state(id)).isEqualTo(JobState.INFLIGHT);
    pass(Duration.ofSeconds(1));
    post();

    assertThat(state(id)).isEqualTo(JobState.SCHEDULED);
  }
}
