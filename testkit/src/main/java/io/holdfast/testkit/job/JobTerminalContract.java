package io.holdfast.testkit.job;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.job.Held;
import io.holdfast.job.Job;
import io.holdfast.job.JobError;
import io.holdfast.job.JobQueueConfig;
import io.holdfast.job.JobState;
import io.holdfast.job.LeasedJob;
import io.holdfast.job.Requeue;
import io.holdfast.job.Settled;
import io.holdfast.job.Settlement;
import io.holdfast.testkit.Guarantee;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;

/** How jobs end, and what may be said about them afterwards. */
public abstract class JobTerminalContract extends JobSuite {
  private void refused(Settlement item) {
    unchanged(
        item.held().id(),
        () -> assertThat(settle(item).error()).isEqualTo(JobError.JOB_NOT_INFLIGHT));
  }

  private void repeated(Settlement item) {
    String id = item.held().id();
    unchanged(id, () -> assertThat(settle(item)).isEqualTo(Settled.repeated(id)));
  }

  @Test
  @Guarantee("J47")
  void ack_finishes_the_job() {
    LeasedJob job = leased();
    time.advance(Duration.ofSeconds(3));

    assertThat(jobs.ack(job.held())).isEqualTo(Settled.done(job.id()));

    Job done = jobs.inspect(job.id());
    assertThat(done.state()).isEqualTo(JobState.DONE);
    assertThat(done.lease()).isNull();
    assertThat(done.history())
        .isEqualTo(
            new Job.History(
                0,
                "",
                null,
                1,
                0,
                new Job.End(Job.Outcome.SUCCEEDED, instant(), null),
                Job.Dead.NEVER));
    assertThat(reserve(9)).isEmpty();
  }

  @Test
  @Guarantee("J47")
  void ack_stores_the_output() {
    LeasedJob empty = leased();
    settle(new Settlement.Ack(empty.held(), new byte[0]));
    LeasedJob full = leased();
    byte[] output = {0, -1, 39, 0};
    settle(new Settlement.Ack(full.held(), output));
    output[0] = 7;

    assertThat(end(empty.id()).output()).isEmpty();
    assertThat(end(full.id()).output()).containsExactly(0, -1, 39, 0);
  }

  @Test
  @Guarantee("J47")
  void ack_keeps_the_record_of_failures() {
    LeasedJob job = leased();
    jobs.retry(job.held(), null, "broke");
    Job.History before = history(job.id());

    jobs.ack(reserve().held());

    Job.History after = history(job.id());
    assertThat(after.attempts()).isEqualTo(1);
    assertThat(after.lastError()).isEqualTo("broke");
    assertThat(after.failedAt()).isEqualTo(before.failedAt());
  }

  @Test
  @Guarantee("J48")
  void ack_repeated_by_the_same_token_succeeds() {
    LeasedJob job = leased();
    settle(new Settlement.Ack(job.held(), new byte[] {1}));
    time.advance(LEASE.multipliedBy(9));

    repeated(Settlement.Ack.of(job.held()));
    repeated(new Settlement.Ack(job.held(), new byte[] {2}));

    assertThat(end(job.id()).output()).containsExactly(1);
  }

  @Test
  @Guarantee("J48")
  void a_single_ack_may_be_repeated_by_another_process() {
    LeasedJob job = leased();
    jobs.ack(job.held());

    assertThat(process().ack(job.held()).isRepeated()).isTrue();
  }

  @Test
  @Guarantee({"J45", "J48"})
  void where_success_deletes_a_repeated_ack_finds_nothing() {
    configure(JobQueueConfig.of(QUEUE).keepDone(Duration.ZERO));
    LeasedJob job = leased();
    assertThat(settle(Settlement.Ack.of(job.held()))).isEqualTo(Settled.done(job.id()));

    assertThat(settle(Settlement.Ack.of(job.held())).error()).isEqualTo(JobError.JOB_NOT_INFLIGHT);
    assertThat(stored()).isZero();
  }

  @Test
  @Guarantee({"J49", "JF3"})
  void another_tokens_ack_on_a_finished_job_is_refused() {
    LeasedJob first = leased();
    time.advance(LEASE);
    LeasedJob second = reserve();
    jobs.ack(second.held());

    refused(Settlement.Ack.of(first.held()));
    refused(Settlement.Ack.of(stranger(second)));
    refused(Settlement.Ack.of(new Held(second.id(), "")));
    refused(Settlement.Fail.of(first.held(), "why"));
  }

  @Test
  @Guarantee("J50")
  void fail_repeated_by_the_same_token_succeeds() {
    LeasedJob job = leased();
    jobs.fail(job.held(), "why");
    time.advance(LEASE);

    repeated(Settlement.Fail.of(job.held(), "why"));
    repeated(new Settlement.Fail(job.held(), "other", "other", 9));
  }

  @Test
  @Guarantee("J50")
  void another_tokens_fail_on_a_dead_job_is_refused() {
    LeasedJob first = leased();
    time.advance(LEASE);
    LeasedJob second = reserve();
    jobs.fail(second.held(), "why");

    refused(Settlement.Fail.of(first.held(), "why"));
    refused(Settlement.Fail.of(stranger(second), "why"));
  }

  @Test
  @Guarantee("J50")
  void after_a_requeue_a_fail_cannot_be_repeated() {
    LeasedJob job = dead("why");
    jobs.requeue(List.of(job.id()), Requeue.NOW);

    refused(Settlement.Fail.of(job.held(), "why"));

    LeasedJob again = reserve();
    jobs.fail(again.held(), "why");
    refused(Settlement.Fail.of(job.held(), "why"));
    repeated(Settlement.Fail.of(again.held(), "why"));
  }

  @Test
  @Guarantee("J51")
  void fail_after_ones_own_ack_changes_nothing() {
    LeasedJob job = done();

    repeated(Settlement.Fail.of(job.held(), "why"));

    assertThat(state(job.id())).isEqualTo(JobState.DONE);
  }

  @Test
  @Guarantee("J52")
  void ack_on_a_dead_job_is_refused() {
    LeasedJob job = dead("why");

    refused(Settlement.Ack.of(job.held()));
    refused(new Settlement.Ack(job.held(), new byte[] {1}));

    assertThat(state(job.id())).isEqualTo(JobState.DLQ);
  }

  @ParameterizedTest
  @Guarantee("J53")
  @EnumSource(
      mode = Mode.EXCLUDE,
      names = {"ACK", "FAIL"})
  void retry_extend_release_and_report_on_a_finished_job_are_refused(RunCall call) {
    LeasedJob done = done();
    LeasedJob dead = dead("why");
    LeasedJob cancelled = leased();
    jobs.cancel(List.of(cancelled.id()));
    assertThat(jobs.retry(cancelled.held(), null, "again").isCancelled()).isTrue();

    for (LeasedJob job : List.of(done, dead, cancelled)) {
      unchanged(
          job.id(),
          () -> assertThat(call.on(jobs, job.held())).isEqualTo(JobError.JOB_NOT_INFLIGHT));
    }
  }

  @Test
  @Guarantee("J53")
  void ack_and_fail_on_a_cancelled_job_are_refused() {
    LeasedJob job = leased();
    jobs.cancel(List.of(job.id()));
    jobs.retry(job.held(), null, "again");

    refused(Settlement.Ack.of(job.held()));
    refused(Settlement.Fail.of(job.held(), "why"));
  }

  @Test
  @Guarantee("J60")
  void dead_and_finished_jobs_are_never_reserved() {
    String done = done().id();
    String dead = dead("why").id();
    String scheduled = enqueue(draft().runIn(LEASE));
    jobs.cancel(List.of(scheduled));

    for (int i = 0; i < 5; i++) {
      unchanged(done, () -> unchanged(dead, () -> assertThat(reserve(9)).isEmpty()));
      time.advance(LEASE);
    }

    assertThat(jobs.reserve(request(9)).more()).isFalse();
    assertThat(state(scheduled)).isEqualTo(JobState.CANCELLED);
  }

  @Test
  @Guarantee("JF3")
  void an_ack_that_comes_too_late_is_told_why() {
    LeasedJob first = leased();
    Settlement late = Settlement.Ack.of(first.held());
    time.advance(LEASE);
    assertThat(settle(late).error()).isEqualTo(JobError.LEASE_EXPIRED);

    LeasedJob second = reserve();
    assertThat(settle(late).error()).isEqualTo(JobError.LEASE_MISMATCH);

    jobs.ack(second.held());
    assertThat(settle(late).error()).isEqualTo(JobError.JOB_NOT_INFLIGHT);
    failing(JobError.JOB_NOT_INFLIGHT, () -> jobs.ack(first.held()));
  }
}
