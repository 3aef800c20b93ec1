package io.holdfast.testkit.job;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.job.Cancelled;
import io.holdfast.job.Enqueued;
import io.holdfast.job.Job;
import io.holdfast.job.JobError;
import io.holdfast.job.JobQueueConfig;
import io.holdfast.job.JobState;
import io.holdfast.job.LeasedJob;
import io.holdfast.testkit.Guarantee;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Cancelling jobs that wait or have ended. */
public abstract class JobCancelContract extends JobOperatorSuite {
  @ParameterizedTest
  @EnumSource(names = {"READY", "SCHEDULED", "GATED"})
  @Guarantee("J62")
  void cancelling_a_waiting_job_finishes_it(JobState waiting) {
    String id = in(waiting);
    assertThat(state(id)).isEqualTo(waiting);
    time.advanceMs(7);

    assertThat(cancel(id)).isEqualTo(Cancelled.Result.CANCELLED);

    Job job = jobs.inspect(id);
    assertThat(job.state()).isEqualTo(JobState.CANCELLED);
    assertThat(end(id).outcome()).isEqualTo(Job.Outcome.CANCELLED);
    assertThat(end(id).finishedAt()).isEqualTo(instant());
    assertThat(end(id).output()).isNull();
    assertThat(job.isCancelRequested()).isFalse();
    assertThat(job.lease()).isNull();
    assertThat(job.history().attempts()).isZero();
  }

  @ParameterizedTest
  @EnumSource(names = {"READY", "SCHEDULED", "GATED"})
  @Guarantee("J62")
  void a_cancelled_job_never_runs(JobState waiting) {
    String id = in(waiting);
    cancel(id);

    pass(HOUR);
    sweep();

    assertThat(reserve(10)).isEmpty();
    assertThat(state(id)).isEqualTo(JobState.CANCELLED);
  }

  @Test
  @Guarantee("J62")
  void a_job_that_waits_for_its_next_try_keeps_its_failures() {
    LeasedJob job = leased();
    jobs.retry(job.held(), HOUR, "it broke");
    Instant failedAt = instant();
    time.advanceMs(1);

    assertThat(cancel(job.id())).isEqualTo(Cancelled.Result.CANCELLED);

    assertThat(history(job.id()).attempts()).isEqualTo(1);
    assertThat(history(job.id()).lastError()).isEqualTo("it broke");
    assertThat(history(job.id()).failedAt()).isEqualTo(failedAt);
    assertThat(end(job.id()).finishedAt()).isEqualTo(instant());
  }

  @Test
  @Guarantee("J62")
  void a_cancelled_job_still_tells_when_it_was_due() {
    Instant due = instant().plusSeconds(60).plus(MICRO);
    String scheduled = enqueue(draft().runAt(due));
    String gated = enqueue(draft().limitedBy("key").runAt(due));
    configure(JobQueueConfig.of(QUEUE).limit("full", 1));
    String holder = enqueue(draft().limitedBy("full"));
    String behind = enqueue(draft().limitedBy("full"));
    assertThat(state(behind)).isEqualTo(JobState.GATED);

    jobs.cancel(List.of(scheduled, gated, holder, behind));

    assertThat(jobs.inspect(scheduled).spec().runAt()).isEqualTo(due);
    assertThat(jobs.inspect(gated).spec().runAt()).isEqualTo(due);
    assertThat(jobs.inspect(holder).spec().runAt()).isNull();
    assertThat(jobs.inspect(behind).spec().runAt()).isNull();
  }

  @Test
  @Guarantee("J62")
  void a_cancelled_job_keeps_its_idempotency_key() {
    String id = enqueue(draft().once("key"));
    cancel(id);

    assertThat(jobs.enqueue(draft().once("key"))).isEqualTo(new Enqueued(id, true));
    assertThat(state(id)).isEqualTo(JobState.CANCELLED);
  }

  @ParameterizedTest
  @EnumSource(names = {"DONE", "CANCELLED", "DLQ"})
  @Guarantee("J62")
  void cancelling_a_finished_job_changes_nothing(JobState finished) {
    String id = in(finished);
    time.advanceMs(1);

    unchanged(id, () -> assertThat(cancel(id)).isEqualTo(Cancelled.Result.FINISHED));
  }

  @Test
  @Guarantee("J62")
  void each_job_gets_its_own_answer_in_the_order_asked() {
    String running = in(JobState.INFLIGHT);
    String done = in(JobState.DONE);
    String waiting = in(JobState.READY);

    assertThat(jobs.cancel(List.of("nobody", waiting, done, running)))
        .containsExactly(
            new Cancelled("nobody", Cancelled.Result.NOT_FOUND),
            new Cancelled(waiting, Cancelled.Result.CANCELLED),
            new Cancelled(done, Cancelled.Result.FINISHED),
            new Cancelled(running, Cancelled.Result.REQUESTED));
  }

  @Test
  @Guarantee("J62")
  void a_thousand_jobs_can_be_cancelled_at_once_and_no_more() {
    List<String> ids = enqueue(numbered(1_000));
    List<String> many = IntStream.range(0, 1_001).mapToObj(i -> "x" + i).toList();

    failing(JobError.INVALID_ARGUMENT, () -> jobs.cancel(many));
    failing(JobError.INVALID_ARGUMENT, () -> jobs.cancel(List.of()));

    assertThat(jobs.cancel(ids))
        .extracting(Cancelled::result)
        .containsExactlyElementsOf(Collections.nCopies(1_000, Cancelled.Result.CANCELLED));
    assertThat(reserve(1_000)).isEmpty();
  }

  @Test
  @Guarantee("J62")
  void a_call_with_a_blank_id_cancels_nothing() {
    String id = in(JobState.READY);

    unchanged(id, () -> failing(JobError.JOB_ID_REQUIRED, () -> jobs.cancel(List.of(id, " "))));
  }

  @Test
  @Guarantee("J62")
  void of_a_job_that_is_cancelled_and_reserved_at_once_exactly_one_wins() {
    for (int round = 0; round < 20; round++) {
      String id = enqueue(draft());

      List<String> outcomes =
          atOnce(
              2,
              i ->
                  i == 0 ? () -> cancel(id).text() : () -> reserve(1).isEmpty() ? "none" : "lease");

      String expected = outcomes.get(1).equals("lease") ? "requested" : "cancelled";
      assertThat(outcomes.get(0)).isEqualTo(expected);
      assertThat(state(id) == JobState.INFLIGHT).isEqualTo(expected.equals("requested"));
    }
  }
}
