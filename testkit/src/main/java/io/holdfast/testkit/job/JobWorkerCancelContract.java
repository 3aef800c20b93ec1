package io.holdfast.testkit.job;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.job.JobContext;
import io.holdfast.job.JobContext.EndReason;
import io.holdfast.job.JobState;
import io.holdfast.job.JobWorker;
import io.holdfast.job.WorkerStats.Outcome;
import io.holdfast.testkit.Guarantee;
import java.util.List;
import java.util.concurrent.CancellationException;
import org.junit.jupiter.api.Test;

/** How a cancel request reaches a run, and what becomes of it. */
public abstract class JobWorkerCancelContract extends JobWorkerSuite {
  @Test
  @Guarantee("W24")
  void a_cancel_request_reaches_a_run_at_once() {
    String id = enqueue(draft("a"));
    JobWorker worker = patient().start();
    run(worker);

    jobs.cancel(List.of(id));
    JobContext context = pending.context("a");
    soon(() -> context.endReason().isPresent());

    assertThat(context.endReason()).contains(EndReason.CANCELLED);
    assertThat(context.cancellation().isCancelled()).isTrue();
    pending.fail("a", new CancellationException("\0 as you wish"));
    run(worker);
    assertThat(state(id)).isEqualTo(JobState.CANCELLED);
    assertThat(ended(worker, Outcome.CANCELLED)).isEqualTo(1);
  }

  @Test
  @Guarantee("W24")
  void without_hints_a_cancel_request_comes_with_the_next_heartbeat() {
    String id = enqueue(draft("a"));
    run(patient().start());
    store.silence();

    jobs.cancel(List.of(id));
    duties();
    assertThat(pending.context("a").endReason()).isEmpty();
    pass(LEASE.dividedBy(3));

    assertThat(pending.context("a").endReason()).contains(EndReason.CANCELLED);
  }

  @Test
  @Guarantee("W24")
  void a_run_that_reports_hears_of_a_cancel_request() {
    String id = enqueue(draft("a"));
    run(patient().start());
    store.silence();
    jobs.cancel(List.of(id));

    pending.context("a").progress(10, null);

    assertThat(pending.context("a").endReason()).contains(EndReason.CANCELLED);
  }

  @Test
  @Guarantee("W24")
  void a_run_that_ends_well_although_it_was_cancelled_is_done() {
    String id = enqueue(draft("a"));
    JobWorker worker = patient().start();
    run(worker);
    jobs.cancel(List.of(id));
    soon(() -> pending.context("a").endReason().isPresent());

    pending.end("a");
    run(worker);

    assertThat(state(id)).isEqualTo(JobState.DONE);
    assertThat(ended(worker, Outcome.SUCCEEDED)).isEqualTo(1);
  }

  @Test
  @Guarantee("W24")
  void a_job_that_is_cancelled_before_its_handler_starts_does_not_start() {
    enqueue("first");
    JobWorker worker = patient().concurrency(1).prefetch(1).start();
    run(worker);
    String id = enqueue("second").get(0);
    soon(() -> buffers(worker, 1));

    jobs.cancel(List.of(id));
    int beats = store.count("beat");
    soon(() -> store.count("beat") > beats);
    pending.end("first");
    run(worker);

    assertThat(pending.begun()).containsExactly("first");
    assertThat(state(id)).isEqualTo(JobState.CANCELLED);
    assertThat(history(id).attempts()).isZero();
  }

  private static boolean buffers(JobWorker worker, int jobs) {
    run(worker);
    return worker.stats().buffered() == jobs;
  }
}
