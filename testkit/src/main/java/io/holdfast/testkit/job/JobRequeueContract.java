package io.holdfast.testkit.job;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.job.Enqueued;
import io.holdfast.job.Job;
import io.holdfast.job.JobError;
import io.holdfast.job.JobQueueConfig;
import io.holdfast.job.JobState;
import io.holdfast.job.LeasedJob;
import io.holdfast.job.Requeue;
import io.holdfast.job.Requeued;
import io.holdfast.job.Settlement;
import io.holdfast.testkit.Guarantee;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Jobs that return: from the dead, from having been cancelled, from waiting. */
public abstract class JobRequeueContract extends JobOperatorSuite {
  private static final Requeue WITH_ATTEMPTS = new Requeue(null, null, false);

  @Test
  @Guarantee("J67")
  void requeue_returns_a_dead_job_to_its_queue_with_a_clean_record() {
    String id = in(JobState.DLQ, draft("a").priority(2).maxAttempts(3));
    time.advanceMs(5);

    assertThat(requeue(id, Requeue.NOW)).isNull();

    Job job = jobs.inspect(id);
    assertThat(job.state()).isEqualTo(JobState.READY);
    assertThat(job.queue()).isEqualTo(QUEUE);
    assertThat(job.spec().runAt()).isNull();
    assertThat(job.spec().priority()).isEqualTo(2);
    assertThat(job.spec().maxAttempts()).isEqualTo(3);
    assertThat(job.history())
        .isEqualTo(new Job.History(0, "", null, 1, 1, null, new Job.Dead(null, null, 1, 1)));
    assertThat(text(reserve().job())).isEqualTo("a");
  }

  @Test
  @Guarantee("J67")
  void requeue_can_leave_the_attempts_on_record() {
    String id = in(JobState.DLQ);
    Instant failedAt = instant();
    time.advanceMs(5);

    assertThat(requeue(id, WITH_ATTEMPTS)).isNull();

    assertThat(history(id))
        .isEqualTo(
            new Job.History(1, "broken", failedAt, 1, 0, null, new Job.Dead(null, null, 1, 1)));
    assertThat(reserve().id()).isEqualTo(id);
  }

  @Test
  @Guarantee("J67")
  void requeue_returns_a_cancelled_job() {
    LeasedJob leased = leased();
    jobs.retry(leased.held(), HOUR, "it broke");
    cancel(leased.id());

    assertThat(requeue(leased.id(), WITH_ATTEMPTS)).isNull();

    assertThat(state(leased.id())).isEqualTo(JobState.READY);
    assertThat(history(leased.id()).end()).isNull();
    assertThat(history(leased.id()).attempts()).isEqualTo(1);
    LeasedJob again = reserve();
    assertThat(again.id()).isEqualTo(leased.id());
    assertThat(again.fence()).isEqualTo(2);
    jobs.ack(again.held());
    assertThat(state(leased.id())).isEqualTo(JobState.DONE);
  }

  @Test
  @Guarantee("J67")
  void a_job_that_ended_because_its_run_was_cancelled_can_return_and_run() {
    LeasedJob leased = leased();
    cancel(leased.id());
    jobs.retry(leased.held(), null, "it broke");

    assertThat(requeue(leased.id(), Requeue.NOW)).isNull();

    LeasedJob again = reserve();
    assertThat(again.job().isCancelRequested()).isFalse();
    assertThat(extend(again.held(), LEASE).isCancelRequested()).isFalse();
  }

  @Test
  @Guarantee("J67")
  void a_requeued_job_can_wait_until_an_instant() {
    String id = in(JobState.DLQ);
    Instant due = instant().plusSeconds(10);

    assertThat(requeue(id, new Requeue(null, due, true))).isNull();

    assertThat(state(id)).isEqualTo(JobState.SCHEDULED);
    assertThat(jobs.inspect(id).spec().runAt()).isEqualTo(due);
    time.advanceMs(9_999);
    assertThat(reserve(1)).isEmpty();
    time.advanceMs(1);
    assertThat(reserve().id()).isEqualTo(id);
  }

  @Test
  @Guarantee("J67")
  void the_instant_of_a_requeue_is_cut_to_microseconds() {
    String soon = in(JobState.DLQ);
    String now = in(JobState.DLQ);
    Instant inAMicro = instant().plus(MICRO);

    requeue(soon, new Requeue(null, inAMicro.plusNanos(999), true));
    requeue(now, new Requeue(null, instant().plusNanos(999), true));

    assertThat(jobs.inspect(soon).spec().runAt()).isEqualTo(inAMicro);
    assertThat(state(soon)).isEqualTo(JobState.SCHEDULED);
    assertThat(jobs.inspect(now).spec().runAt()).isNull();
    assertThat(idsOf(reserve(10))).containsExactly(now);
  }

  @Test
  @Guarantee("J67")
  void a_past_instant_means_at_once() {
    String id = in(JobState.DLQ);

    requeue(id, new Requeue(null, instant().minusSeconds(60), true));

    assertThat(jobs.inspect(id).spec().runAt()).isNull();
    assertThat(state(id)).isEqualTo(JobState.READY);
  }

  @Test
  @Guarantee("J67")
  void a_requeued_job_stands_behind_those_that_wait() {
    String dead = in(JobState.DLQ);
    String urgent = in(JobState.DLQ, draft().priority(1));
    time.advanceMs(60_001);
    String waiting = enqueue(draft());
    time.advanceMs(59_999);

    jobs.requeue(List.of(dead, urgent), Requeue.NOW);

    assertThat(idsOf(reserve(10)))
        .as("its rank counts from now, its priority as ever")
        .containsExactly(urgent, waiting, dead);
  }

  @Test
  @Guarantee("J67")
  void a_requeued_job_has_its_full_allowance_of_deliveries() {
    configure(JobQueueConfig.of(QUEUE).deliveryLimit(2));
    String id = enqueue(draft());
    for (int death = 1; death <= 3; death++) {
      for (int delivery = 0; delivery < 2; delivery++) {
        assertThat(reserve().id()).isEqualTo(id);
        time.advance(LEASE);
      }
      assertThat(reserve(1)).isEmpty();
      assertThat(history(id).dead().reason()).isEqualTo("delivery limit");
      assertThat(history(id).dead().count()).isEqualTo(death);

      assertThat(requeue(id, Requeue.NOW)).isNull();
      assertThat(history(id).excused()).isEqualTo(history(id).deliveries());
    }
  }

  @Test
  @Guarantee("J67")
  void a_scheduled_job_is_made_runnable_at_once() {
    LeasedJob leased = leased();
    jobs.retry(leased.held(), HOUR, "it broke");
    Job before = jobs.inspect(leased.id());
    time.advanceMs(1);

    assertThat(requeue(leased.id(), Requeue.NOW)).isNull();

    Job job = jobs.inspect(leased.id());
    assertThat(job.state()).isEqualTo(JobState.READY);
    assertThat(job.spec().runAt()).isNull();
    assertThat(job.history()).as("only its time changed").isEqualTo(before.history());
    assertThat(reserve().id()).isEqualTo(leased.id());
  }

  @Test
  @Guarantee("J67")
  void a_scheduled_job_that_is_made_runnable_stands_behind_those_that_wait() {
    String scheduled = in(JobState.SCHEDULED);
    time.advanceMs(1);
    String waiting = enqueue(draft());
    time.advanceMs(1);

    requeue(scheduled, Requeue.NOW);

    assertThat(idsOf(reserve(10))).containsExactly(waiting, scheduled);
  }

  @Test
  @Guarantee("J67")
  void a_scheduled_job_can_be_moved_to_another_instant() {
    String id = in(JobState.SCHEDULED);
    Instant due = instant().plus(Duration.ofDays(2));

    assertThat(requeue(id, new Requeue(null, due, false))).isNull();

    assertThat(state(id)).isEqualTo(JobState.SCHEDULED);
    assertThat(jobs.inspect(id).spec().runAt()).isEqualTo(due);
  }

  @Test
  @Guarantee("J67")
  void a_requeued_job_passes_the_gate_of_its_limit_key() {
    configure(JobQueueConfig.of(QUEUE).limit("key", 1));
    String first = in(JobState.DLQ, draft().limitedBy("key"));
    String second = in(JobState.DLQ, draft().limitedBy("key"));
    LeasedJob holder = leased(draft().limitedBy("key"));
    Instant later = instant().plusSeconds(60);

    requeue(first, Requeue.NOW);
    requeue(second, new Requeue(null, later, true));

    assertThat(state(first)).isEqualTo(JobState.GATED);
    assertThat(state(second)).isEqualTo(JobState.GATED);
    assertThat(jobs.inspect(second).spec().runAt()).isEqualTo(later);
    jobs.ack(holder.held());
    assertThat(idsOf(reserve(10))).containsExactly(first);
  }

  @Test
  @Guarantee("J67")
  void a_requeued_job_keeps_its_idempotency_key_and_loses_its_output() {
    String id = in(JobState.DLQ, draft().once("key"));
    requeue(id, Requeue.NOW);

    assertThat(jobs.enqueue(draft().once("key"))).isEqualTo(new Enqueued(id, true));
    jobs.ack(reserve().held());
    assertThat(end(id).output()).isNull();
  }

  @Test
  @Guarantee("J67")
  void the_old_token_of_a_requeued_job_is_worth_nothing() {
    LeasedJob leased = leased();
    jobs.fail(leased.held(), "broken");
    requeue(leased.id(), Requeue.NOW);

    unchanged(
        leased.id(),
        () -> {
          assertThat(settle(Settlement.Fail.of(leased.held(), "broken")).error())
              .isEqualTo(JobError.JOB_NOT_INFLIGHT);
          assertThat(settle(Settlement.Ack.of(leased.held())).error())
              .isEqualTo(JobError.JOB_NOT_INFLIGHT);
        });
  }

  @Test
  @Guarantee("J68")
  void requeue_of_a_live_job_is_refused() {
    for (JobState live :
        List.of(JobState.INFLIGHT, JobState.DONE, JobState.GATED, JobState.READY)) {
      String id = in(live);
      time.advanceMs(1);

      unchanged(
          id,
          () ->
              assertThat(requeue(id, Requeue.NOW))
                  .as("from " + live)
                  .isEqualTo(JobError.JOB_NOT_REQUEUEABLE));
    }
  }

  @Test
  @Guarantee("J68")
  void requeue_of_a_job_that_is_due_or_whose_lease_expired_is_refused() {
    LeasedJob expired = leased();
    String due = enqueue(draft().runIn(LEASE));
    time.advance(LEASE);

    for (String id : List.of(expired.id(), due)) {
      unchanged(
          id, () -> assertThat(requeue(id, Requeue.NOW)).isEqualTo(JobError.JOB_NOT_REQUEUEABLE));
    }
    assertThat(idsOf(reserve(10))).containsExactlyInAnyOrder(expired.id(), due);
  }

  @Test
  @Guarantee("J68")
  void a_refusal_concerns_its_own_job_only() {
    String dead = in(JobState.DLQ);
    String running = in(JobState.INFLIGHT);

    assertThat(jobs.requeue(List.of("nobody", running, dead), Requeue.NOW))
        .containsExactly(
            new Requeued("nobody", JobError.JOB_NOT_FOUND),
            new Requeued(running, JobError.JOB_NOT_REQUEUEABLE),
            new Requeued(dead, null));
    assertThat(state(dead)).isEqualTo(JobState.READY);
    assertThat(state(running)).isEqualTo(JobState.INFLIGHT);
  }

  @Test
  @Guarantee("J68")
  void a_call_with_a_mistake_requeues_nothing() {
    String id = in(JobState.DLQ);
    Instant tooFar = Instant.parse("9999-01-01T00:00:00Z");

    unchanged(
        id,
        () -> {
          failing(JobError.JOB_ID_REQUIRED, () -> jobs.requeue(List.of(id, ""), Requeue.NOW));
          failing(JobError.INVALID_ARGUMENT, () -> jobs.requeue(List.of(), Requeue.NOW));
          failing(JobError.QUEUE_REQUIRED, () -> requeue(id, new Requeue(" ", null, true)));
          failing(JobError.INVALID_ARGUMENT, () -> requeue(id, new Requeue(null, tooFar, true)));
        });
  }

  @Test
  @Guarantee("J69")
  void requeue_checks_its_queue_guard() {
    String id = in(JobState.DLQ);

    unchanged(
        id,
        () ->
            assertThat(requeue(id, new Requeue("other", null, true)))
                .isEqualTo(JobError.QUEUE_MISMATCH));

    assertThat(requeue(id, new Requeue(QUEUE, null, true))).isNull();
    assertThat(state(id)).isEqualTo(JobState.READY);
  }

  @Test
  @Guarantee("J69")
  void the_guard_is_asked_before_the_state_and_after_the_id() {
    String live = in(JobState.INFLIGHT);
    Requeue guarded = new Requeue("other", null, true);

    assertThat(requeue(live, guarded)).isEqualTo(JobError.QUEUE_MISMATCH);
    assertThat(requeue("nobody", guarded)).isEqualTo(JobError.JOB_NOT_FOUND);
  }

  @Test
  @Guarantee("J71")
  void the_dead_letter_count_survives_requeue() {
    String id = in(JobState.DLQ);
    assertThat(history(id).dead()).isEqualTo(new Job.Dead("broken", instant(), 1, 1));
    requeue(id, Requeue.NOW);
    assertThat(history(id).dead()).isEqualTo(new Job.Dead(null, null, 1, 1));

    time.advanceMs(1);
    LeasedJob again = reserve();
    settle(new Settlement.Fail(again.held(), "worse", null, 7));
    assertThat(history(id).dead()).isEqualTo(new Job.Dead("worse", instant(), 7, 2));

    requeue(id, WITH_ATTEMPTS);
    assertThat(history(id).dead()).isEqualTo(new Job.Dead(null, null, 7, 2));
    jobs.ack(reserve().held());
    assertThat(history(id).dead()).isEqualTo(new Job.Dead(null, null, 7, 2));
  }
}
