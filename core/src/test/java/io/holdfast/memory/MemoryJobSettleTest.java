package io.holdfast.memory;

import static io.holdfast.memory.MemoryJobScene.CALL;
import static io.holdfast.memory.MemoryJobScene.LEASE;
import static io.holdfast.memory.MemoryJobScene.MICROSECOND;
import static io.holdfast.memory.MemoryJobScene.QUEUE;
import static io.holdfast.memory.MemoryJobScene.held;
import static io.holdfast.memory.MemoryJobScene.ids;
import static io.holdfast.memory.MemoryJobScene.job;
import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.job.Cancelled;
import io.holdfast.job.Extended;
import io.holdfast.job.Held;
import io.holdfast.job.Job;
import io.holdfast.job.JobError;
import io.holdfast.job.JobQueueConfig;
import io.holdfast.job.JobState;
import io.holdfast.job.JobStore;
import io.holdfast.job.LeasedJob;
import io.holdfast.job.ReserveRequest;
import io.holdfast.job.Settled;
import io.holdfast.job.Settlement;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

class MemoryJobSettleTest {
  private final MemoryJobScene scene = new MemoryJobScene();

  private LeasedJob leased(String id) {
    scene.enqueue(job(id));
    return scene.lease();
  }

  @Test
  void a_wrong_token_is_a_mismatch_until_the_lease_has_expired() {
    LeasedJob a = leased("a");
    Settlement stranger = Settlement.Ack.of(held(a, "other"));

    JobError before = scene.refused(stranger);
    scene.pass(LEASE);

    assertThat(before).isEqualTo(JobError.LEASE_MISMATCH);
    assertThat(scene.refused(stranger)).isEqualTo(JobError.LEASE_EXPIRED);
    assertThat(scene.ack(a).error()).isEqualTo(JobError.LEASE_EXPIRED);
    assertThat(scene.state("a")).isEqualTo(JobState.INFLIGHT);
  }

  @Test
  void a_former_holder_is_a_mismatch_after_a_takeover_and_not_inflight_after_its_end() {
    LeasedJob first = leased("a");
    scene.pass(LEASE);
    LeasedJob second = scene.lease();

    JobError during = scene.ack(first).error();
    scene.ack(second);

    assertThat(during).isEqualTo(JobError.LEASE_MISMATCH);
    assertThat(scene.ack(first).error()).isEqualTo(JobError.JOB_NOT_INFLIGHT);
  }

  @Test
  void an_unknown_job_is_not_inflight() {
    LeasedJob a = leased("a");

    assertThat(scene.refused(Settlement.Ack.of(new Held("b", a.token()))))
        .isEqualTo(JobError.JOB_NOT_INFLIGHT);
  }

  @Test
  void success_repeats_for_its_own_token_also_as_a_failure_and_for_nothing_else() {
    LeasedJob a = leased("a");
    scene.ack(a);

    assertThat(scene.ack(a)).isEqualTo(Settled.repeated("a"));
    assertThat(scene.settle(Settlement.Fail.of(a.held(), "no"))).isEqualTo(Settled.repeated("a"));
    assertThat(scene.refused(Settlement.Ack.of(held(a, "other"))))
        .isEqualTo(JobError.JOB_NOT_INFLIGHT);
    assertThat(scene.retry(a, null).error()).isEqualTo(JobError.JOB_NOT_INFLIGHT);
    assertThat(scene.refused(new Settlement.Release(a.held(), null)))
        .isEqualTo(JobError.JOB_NOT_INFLIGHT);
    assertThat(scene.state("a")).isEqualTo(JobState.DONE);
  }

  @Test
  void failure_repeats_for_its_own_token_and_is_no_success() {
    LeasedJob a = leased("a");
    scene.settle(Settlement.Fail.of(a.held(), " "));
    Job dead = scene.find("a");

    assertThat(scene.settle(Settlement.Fail.of(a.held(), "x"))).isEqualTo(Settled.repeated("a"));
    assertThat(scene.ack(a).error()).isEqualTo(JobError.JOB_NOT_INFLIGHT);
    assertThat(dead.history().dead()).isEqualTo(new Job.Dead("failed", scene.now(), 1, 1));
    assertThat(dead.history().lastError()).isEqualTo("failed");
  }

  @Test
  void a_job_that_success_deletes_cannot_be_settled_again() {
    scene.configure(JobQueueConfig.of(QUEUE).keepDone(Duration.ZERO));
    LeasedJob a = leased("a");

    scene.ack(a);

    assertThat(scene.jobs.reader().find("a", false, CALL)).isEmpty();
    assertThat(scene.ack(a).error()).isEqualTo(JobError.JOB_NOT_INFLIGHT);
    assertThat(scene.jobs.store().isAcked(a.held(), CALL)).isTrue();
    assertThat(scene.enqueued(job("a")).get(0).existed()).isFalse();
  }

  @Test
  void what_a_run_said_in_success_is_kept_as_it_was_then() {
    LeasedJob a = leased("a");
    byte[] output = {1};
    scene.settle(new Settlement.Ack(a.held(), output));

    output[0] = 2;
    scene.find("a").history().end().output()[0] = 3;

    assertThat(scene.find("a").history().end().output()).containsExactly(1);
  }

  @Test
  void a_retry_waits_for_its_time_behind_those_who_waited() {
    LeasedJob a = leased("a");
    scene.enqueue(job("b"));
    scene.pass(Duration.ofSeconds(1));
    Instant failedAt = scene.now().minusNanos(1);

    scene.settle(new Settlement.Retry(a.held(), null, null, "oops", 7, failedAt));

    Job.History history = scene.find("a").history();
    assertThat(history.attempts()).isEqualTo(7);
    assertThat(history.failedAt()).isEqualTo(scene.now().minus(MICROSECOND));
    assertThat(ids(scene.reserve(2))).containsExactly("b", "a");
  }

  @Test
  void failures_are_counted_as_far_as_there_are_numbers() {
    LeasedJob a = leased("a");
    scene.settle(new Settlement.Retry(a.held(), null, null, "oops", Integer.MAX_VALUE, null));

    scene.retry(scene.lease(), null);

    assertThat(scene.find("a").history().attempts()).isEqualTo(Integer.MAX_VALUE);
  }

  @Test
  void a_retry_with_a_delay_is_due_exactly_when_it_has_passed() {
    scene.retry(leased("a"), Duration.ofMillis(1).plusNanos(999));

    Instant due = scene.now().plusMillis(1);
    assertThat(scene.state("a")).isEqualTo(JobState.SCHEDULED);
    scene.pass(Duration.ofMillis(1));

    assertThat(scene.lease().job().spec().runAt()).isEqualTo(due);
  }

  @Test
  void a_retry_under_a_cancel_request_ends_cancelled_and_success_beats_it() {
    LeasedJob a = leased("a");
    LeasedJob b = leased("b");
    scene.jobs.store().cancel(List.of("a", "b"), CALL);

    Settled retried = scene.retry(a, null);
    scene.ack(b);

    assertThat(retried.isCancelled()).isTrue();
    assertThat(scene.state("a")).isEqualTo(JobState.CANCELLED);
    assertThat(scene.find("a").history().attempts()).isEqualTo(1);
    assertThat(scene.ack(a).error()).isEqualTo(JobError.JOB_NOT_INFLIGHT);
    assertThat(scene.state("b")).isEqualTo(JobState.DONE);
  }

  @Test
  void a_released_job_returns_to_its_place_or_waits() {
    LeasedJob a = leased("a");
    scene.pass(Duration.ofSeconds(1));
    scene.enqueue(job("b"), job("c"));

    scene.settle(new Settlement.Release(a.held(), null));
    LeasedJob again = scene.lease();
    scene.settle(new Settlement.Release(again.held(), Duration.ofSeconds(5)));

    assertThat(again.id()).isEqualTo("a");
    assertThat(ids(scene.reserve(9))).containsExactly("b", "c");
    assertThat(scene.find("a").history().excused()).isEqualTo(2);
    assertThat(scene.find("a").spec().runAt()).isEqualTo(scene.now().plusSeconds(5));
  }

  @Test
  void a_report_keeps_what_it_does_not_name_and_survives_a_retry() {
    LeasedJob a = leased("a");
    scene.settle(new Settlement.Report(a.held(), 10, "started", new byte[] {1}));
    scene.jobs.store().cancel(List.of("a"), CALL);

    Settled second = scene.settle(new Settlement.Report(a.held(), 20, null, null));
    scene.settle(new Settlement.Release(a.held(), null));

    assertThat(second.isCancelRequested()).isTrue();
    Job.Progress progress = scene.find("a").progress();
    assertThat(progress.percent()).isEqualTo(20);
    assertThat(progress.note()).isEqualTo("started");
    assertThat(progress.checkpoint()).containsExactly(1);
  }

  @Test
  void more_or_less_time_counts_from_now() {
    LeasedJob a = leased("a");
    scene.pass(Duration.ofSeconds(29));

    List<Extended> longer = scene.jobs.store().extend(List.of(a.held()), LEASE, CALL);
    scene.pass(Duration.ofSeconds(29));
    List<Extended> shorter = scene.jobs.store().extend(List.of(a.held()), MICROSECOND, CALL);
    scene.pass(Duration.ofMillis(1));

    assertThat(longer.get(0).isOk()).isTrue();
    assertThat(shorter.get(0).expiresAt()).isEqualTo(scene.now().minusMillis(1).plus(MICROSECOND));
    assertThat(ids(scene.reserve(1))).containsExactly("a");
  }

  @Test
  void the_lease_of_an_answered_job_is_not_the_next_instant_of_interest() {
    LeasedJob a = leased("a");
    List<Settlement> acks = List.of(Settlement.Ack.of(a.held()));

    JobStore.Exchanged exchanged =
        scene.jobs.store().settleAndReserve(acks, ReserveRequest.of(QUEUE, 1), CALL);

    assertThat(exchanged.answer().settled()).containsExactly(Settled.done("a"));
    assertThat(exchanged.reserved().nextAt()).isNull();
  }

  @Test
  void cancelling_ends_what_waits_and_asks_what_runs() {
    scene.enqueue(job("waits").limitedBy("k").runIn(Duration.ofSeconds(9)));
    leased("runs");
    scene.pass(LEASE);

    JobStore.Cancellations answer =
        scene.jobs.store().cancel(List.of("waits", "runs", "waits", "none"), CALL);

    assertThat(answer.cancelled())
        .extracting(Cancelled::result)
        .containsExactly(
            Cancelled.Result.CANCELLED,
            Cancelled.Result.REQUESTED,
            Cancelled.Result.CANCELLED, // an id that is named twice has one answer
            Cancelled.Result.NOT_FOUND);
    assertThat(answer.effects().keys()).containsExactly(MemoryJobScene.key("k"));
    assertThat(scene.find("waits").spec().runAt()).isEqualTo(scene.now().minusSeconds(21));
  }
}
