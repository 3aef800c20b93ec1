package io.holdfast.testkit.job;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.job.Cancelled;
import io.holdfast.job.Job;
import io.holdfast.job.JobError;
import io.holdfast.job.JobQueueConfig;
import io.holdfast.job.JobState;
import io.holdfast.job.LeasedJob;
import io.holdfast.job.Reserved;
import io.holdfast.job.Settled;
import io.holdfast.job.Settlement;
import io.holdfast.testkit.Guarantee;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

/** Cancelling jobs that run. */
public abstract class JobCancelRequestContract extends JobOperatorSuite {
  @Test
  @Guarantee("J63")
  void cancelling_a_running_job_raises_its_flag_and_nothing_else() {
    LeasedJob leased = leased();
    Job before = jobs.inspect(leased.id());
    time.advanceMs(1);

    assertThat(cancel(leased.id())).isEqualTo(Cancelled.Result.REQUESTED);

    Job job = jobs.inspect(leased.id());
    assertThat(job.isCancelRequested()).isTrue();
    assertThat(job)
        .usingRecursiveComparison()
        .ignoringFields("isCancelRequested")
        .isEqualTo(before);
  }

  @Test
  @Guarantee("J63")
  void a_flag_is_raised_once_however_often_it_is_asked_for() {
    LeasedJob leased = leased();
    cancel(leased.id());

    unchanged(
        leased.id(), () -> assertThat(cancel(leased.id())).isEqualTo(Cancelled.Result.REQUESTED));
  }

  @Test
  @Guarantee("J63")
  void the_holder_sees_the_flag_when_he_extends_or_reports() {
    LeasedJob leased = leased();
    Settlement report = new Settlement.Report(leased.held(), 10, null, null);
    assertThat(extend(leased.held(), LEASE).isCancelRequested()).isFalse();
    assertThat(settle(report).isCancelRequested()).isFalse();

    cancel(leased.id());

    assertThat(extend(leased.held(), LEASE).isOk()).isTrue();
    assertThat(extend(leased.held(), LEASE).isCancelRequested()).isTrue();
    assertThat(settle(report).isOk()).isTrue();
    assertThat(settle(report).isCancelRequested()).isTrue();
  }

  @Test
  @Guarantee("J63")
  void a_run_that_has_expired_can_be_asked_to_end_too() {
    LeasedJob leased = leased();
    time.advance(LEASE);

    assertThat(cancel(leased.id())).isEqualTo(Cancelled.Result.REQUESTED);

    assertThat(state(leased.id())).isEqualTo(JobState.INFLIGHT);
    assertThat(jobs.inspect(leased.id()).isCancelRequested()).isTrue();
  }

  @Test
  @Guarantee("J64")
  void success_beats_a_cancel_request() {
    LeasedJob leased = leased();
    cancel(leased.id());
    time.advanceMs(1);

    Settled settled = settle(new Settlement.Ack(leased.held(), new byte[] {1}));

    assertThat(settled).isEqualTo(Settled.done(leased.id()));
    assertThat(state(leased.id())).isEqualTo(JobState.DONE);
    assertThat(end(leased.id()).outcome()).isEqualTo(Job.Outcome.SUCCEEDED);
    assertThat(end(leased.id()).output()).containsExactly(1);
    assertThat(jobs.inspect(leased.id()).isCancelRequested()).isFalse();
    assertThat(settle(Settlement.Ack.of(leased.held()))).isEqualTo(Settled.repeated(leased.id()));
  }

  @Test
  @Guarantee("J64")
  void giving_up_beats_a_cancel_request() {
    LeasedJob leased = leased();
    cancel(leased.id());

    assertThat(settle(Settlement.Fail.of(leased.held(), "broken")))
        .isEqualTo(Settled.done(leased.id()));

    assertThat(state(leased.id())).isEqualTo(JobState.DLQ);
    assertThat(end(leased.id()).outcome()).isEqualTo(Job.Outcome.FAILED);
    assertThat(jobs.inspect(leased.id()).isCancelRequested()).isFalse();
  }

  @Test
  @Guarantee("J65")
  void a_retry_under_a_cancel_request_ends_cancelled() {
    LeasedJob leased = leased();
    cancel(leased.id());
    time.advanceMs(3);

    Settled settled = settle(Settlement.Retry.in(leased.held(), HOUR, "it broke"));

    assertThat(settled).isEqualTo(new Settled(leased.id(), null, false, true, false));
    Job job = jobs.inspect(leased.id());
    assertThat(job.state()).isEqualTo(JobState.CANCELLED);
    assertThat(job.isCancelRequested()).isFalse();
    assertThat(job.lease()).isNull();
    assertThat(job.spec().runAt()).isNull();
    assertThat(job.history().attempts()).isEqualTo(1);
    assertThat(job.history().lastError()).isEqualTo("it broke");
    assertThat(job.history().failedAt()).isEqualTo(instant());
    assertThat(end(leased.id()).outcome()).isEqualTo(Job.Outcome.CANCELLED);
    assertThat(end(leased.id()).finishedAt()).isEqualTo(instant());
  }

  @Test
  @Guarantee("J65")
  void a_cancelled_retry_keeps_what_the_holder_says_and_the_old_due_time() {
    Instant due = instant().minusSeconds(5);
    LeasedJob leased = leased(draft().runAt(due));
    cancel(leased.id());
    Instant failedAt = instant().minusSeconds(1);
    Instant later = instant().plusSeconds(60);

    settle(new Settlement.Retry(leased.held(), later, null, "it broke", 9, failedAt));

    assertThat(history(leased.id()).attempts()).isEqualTo(9);
    assertThat(history(leased.id()).failedAt()).isEqualTo(failedAt);
    assertThat(jobs.inspect(leased.id()).spec().runAt()).isEqualTo(due);
    pass(HOUR);
    assertThat(reserve(1)).isEmpty();
  }

  @Test
  @Guarantee("J65")
  void a_job_that_ended_so_cannot_be_settled_again() {
    LeasedJob leased = leased();
    cancel(leased.id());
    jobs.retry(leased.held(), null, "it broke");

    unchanged(
        leased.id(),
        () -> {
          assertThat(settle(Settlement.Retry.in(leased.held(), null, "again")).error())
              .isEqualTo(JobError.JOB_NOT_INFLIGHT);
          assertThat(settle(Settlement.Ack.of(leased.held())).error())
              .isEqualTo(JobError.JOB_NOT_INFLIGHT);
          assertThat(settle(Settlement.Fail.of(leased.held(), null)).error())
              .isEqualTo(JobError.JOB_NOT_INFLIGHT);
        });
  }

  @Test
  @Guarantee("J66")
  void a_cancelled_job_is_not_reclaimed() {
    LeasedJob leased = leased();
    cancel(leased.id());
    time.advance(LEASE);

    Reserved reserved = jobs.reserve(request(1));

    assertThat(reserved.jobs()).isEmpty();
    assertThat(reserved.more()).isTrue();
    Job job = jobs.inspect(leased.id());
    assertThat(job.state()).isEqualTo(JobState.CANCELLED);
    assertThat(job.lease()).isNull();
    assertThat(job.isCancelRequested()).isFalse();
    assertThat(job.history().deliveries()).isEqualTo(1);
    assertThat(job.history().attempts()).isZero();
    assertThat(end(leased.id()).outcome()).isEqualTo(Job.Outcome.CANCELLED);
    assertThat(end(leased.id()).finishedAt()).isEqualTo(instant());
    assertThat(jobs.reserve(request(1)).more()).isFalse();
  }

  @Test
  @Guarantee("J66")
  void a_run_that_was_asked_to_end_may_go_on_until_its_lease_has_expired() {
    enqueue(draft());
    Duration lease = LEASE.plus(MICRO);
    LeasedJob leased = jobs.reserve(request(1).leaseFor(lease)).jobs().get(0);
    cancel(leased.id());
    time.advance(LEASE);

    assertThat(reserve(1)).isEmpty();
    assertThat(state(leased.id())).isEqualTo(JobState.INFLIGHT);

    time.advanceMs(1);
    assertThat(reserve(1)).isEmpty();
    assertThat(state(leased.id())).isEqualTo(JobState.CANCELLED);
  }

  @Test
  @Guarantee("J66")
  void a_job_in_the_way_does_not_keep_others_from_running() {
    LeasedJob leased = leased();
    cancel(leased.id());
    time.advance(LEASE);
    String next = enqueue(draft());

    Reserved reserved = jobs.reserve(request(2));

    assertThat(idsOf(reserved.jobs())).containsExactly(next);
    assertThat(reserved.more()).isTrue();
    assertThat(state(leased.id())).isEqualTo(JobState.CANCELLED);
  }

  @Test
  @Guarantee("J66")
  void a_released_job_that_was_to_be_cancelled_is_not_run_again() {
    LeasedJob leased = leased();
    cancel(leased.id());
    jobs.release(leased.held(), null);
    assertThat(jobs.inspect(leased.id()).isCancelRequested()).isTrue();

    Reserved reserved = jobs.reserve(request(1));

    assertThat(reserved.jobs()).isEmpty();
    assertThat(reserved.more()).isTrue();
    assertThat(state(leased.id())).isEqualTo(JobState.CANCELLED);
    assertThat(history(leased.id()).excused()).isEqualTo(1);
  }

  @Test
  @Guarantee("J66")
  void a_released_job_can_be_cancelled_at_once() {
    LeasedJob leased = leased();
    cancel(leased.id());
    jobs.release(leased.held(), HOUR);

    assertThat(cancel(leased.id())).isEqualTo(Cancelled.Result.CANCELLED);

    assertThat(state(leased.id())).isEqualTo(JobState.CANCELLED);
    assertThat(jobs.inspect(leased.id()).isCancelRequested()).isFalse();
  }

  @Test
  @Guarantee("J66")
  void a_cancel_request_wins_over_the_delivery_limit() {
    configure(JobQueueConfig.of(QUEUE).deliveryLimit(1));
    LeasedJob leased = leased();
    cancel(leased.id());
    time.advance(LEASE);

    assertThat(reserve(1)).isEmpty();

    assertThat(state(leased.id())).isEqualTo(JobState.CANCELLED);
    assertThat(history(leased.id()).dead()).isEqualTo(Job.Dead.NEVER);
  }

  @Test
  @Guarantee("J66")
  void the_old_holder_of_a_cancelled_job_is_refused() {
    LeasedJob leased = leased();
    cancel(leased.id());
    time.advance(LEASE);
    reserve(1);

    unchanged(
        leased.id(),
        () -> {
          assertThat(settle(Settlement.Ack.of(leased.held())).error())
              .isEqualTo(JobError.JOB_NOT_INFLIGHT);
          assertThat(extend(leased.held(), LEASE).error()).isEqualTo(JobError.JOB_NOT_INFLIGHT);
        });
  }
}
