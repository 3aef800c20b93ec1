package io.holdfast.testkit.job;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.job.Extended;
import io.holdfast.job.Held;
import io.holdfast.job.JobError;
import io.holdfast.job.JobState;
import io.holdfast.job.LeasedJob;
import io.holdfast.job.Settled;
import io.holdfast.job.Settlement;
import io.holdfast.testkit.Guarantee;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What the holder of a lease may do, and that nobody else may. */
public abstract class JobSettleContract extends JobSuite {
  /** Says something about a run that is refused for this reason, and changes nothing. */
  private void refused(JobError error, RunCall call, Held held) {
    unchanged(held.id(), () -> assertThat(call.on(jobs, held)).isEqualTo(error));
  }

  @Test
  @Guarantee("J41")
  void extending_moves_the_expiry_and_returns_a_usable_token() {
    LeasedJob job = leased();
    time.advance(LEASE.minusMillis(1));

    Extended extended = extend(job.held(), LEASE.multipliedBy(2));

    assertThat(extended.isOk()).isTrue();
    assertThat(extended.isCancelRequested()).isFalse();
    assertThat(extended.expiresAt()).isEqualTo(instant().plus(LEASE.multipliedBy(2)));
    assertThat(jobs.inspect(job.id()).lease())
        .extracting(lease -> lease.expiresAt())
        .isEqualTo(extended.expiresAt());
    time.advance(LEASE.multipliedBy(2).minusMillis(1));
    assertThat(reserve(1)).isEmpty();
    assertThat(settle(Settlement.Ack.of(new Held(job.id(), extended.token()))).isOk()).isTrue();
  }

  @Test
  @Guarantee("J41")
  void extending_changes_nothing_but_the_expiry() {
    enqueue(draft("a").runAt(instant()));
    LeasedJob job = jobs.reserve(request(1).by("me")).jobs().get(0);
    time.advance(Duration.ofSeconds(5));

    unchanged(job.id(), () -> extend(job.held(), LEASE.minusSeconds(5)));
  }

  @Test
  @Guarantee("J41")
  void many_leases_are_extended_each_for_itself() {
    enqueue(numbered(3));
    List<LeasedJob> held = reserve(3);
    jobs.ack(held.get(1).held());

    List<Extended> extended =
        jobs.extend(
            List.of(
                held.get(2).held(), held.get(1).held(), stranger(held.get(0)), held.get(0).held()),
            LEASE.multipliedBy(3));

    assertThat(extended)
        .extracting(Extended::id)
        .containsExactly(held.get(2).id(), held.get(1).id(), held.get(0).id(), held.get(0).id());
    List<@Nullable JobError> errors = new ArrayList<>();
    extended.forEach(one -> errors.add(one.error()));
    assertThat(errors)
        .containsExactly(null, JobError.JOB_NOT_INFLIGHT, JobError.LEASE_MISMATCH, null);
    assertThat(extended.get(1).expiresAt()).isNull();
  }

  @Test
  @Guarantee("J42")
  void extending_may_shorten() {
    LeasedJob job = leased();

    assertThat(extend(job.held(), Duration.ofMillis(1)).expiresAt())
        .isEqualTo(instant().plusMillis(1));

    time.advanceMs(1);
    assertThat(extend(job.held(), LEASE).error()).isEqualTo(JobError.LEASE_EXPIRED);
    assertThat(reserve().id()).isEqualTo(job.id());
  }

  @ParameterizedTest
  @Guarantee({"J43", "J46"})
  @EnumSource
  void an_expired_holder_is_refused_and_changes_nothing(RunCall call) {
    LeasedJob job = leased();
    time.advance(LEASE);

    refused(JobError.LEASE_EXPIRED, call, job.held());
  }

  @ParameterizedTest
  @Guarantee({"J43", "J46"})
  @EnumSource
  void a_wrong_token_is_refused_and_changes_nothing(RunCall call) {
    LeasedJob job = leased();

    refused(JobError.LEASE_MISMATCH, call, stranger(job));
    refused(JobError.LEASE_MISMATCH, call, new Held(job.id(), ""));
    refused(JobError.LEASE_MISMATCH, call, new Held(job.id(), " "));
    refused(JobError.LEASE_MISMATCH, call, new Held(job.id(), job.token() + " "));
    refused(
        JobError.LEASE_MISMATCH, call, new Held(job.id(), job.token().toUpperCase(Locale.ROOT)));
    refused(JobError.LEASE_MISMATCH, call, new Held(job.id(), "x".repeat(10_000)));
  }

  @ParameterizedTest
  @Guarantee({"J43", "J46", "JF3"})
  @EnumSource
  void a_holder_whose_job_was_taken_over_is_refused_and_changes_nothing(RunCall call) {
    LeasedJob first = leased();
    time.advance(LEASE);
    LeasedJob second = reserve();

    refused(JobError.LEASE_MISMATCH, call, first.held());

    assertThat(call.on(jobs, second.held())).isNull();
  }

  @ParameterizedTest
  @Guarantee("J43")
  @EnumSource
  void the_token_of_another_job_is_refused(RunCall call) {
    enqueue(numbered(2));
    List<LeasedJob> held = reserve(2);

    refused(JobError.LEASE_MISMATCH, call, new Held(held.get(0).id(), held.get(1).token()));
  }

  @ParameterizedTest
  @Guarantee({"J44", "J46"})
  @EnumSource
  void expired_wins_over_a_wrong_token(RunCall call) {
    LeasedJob job = leased();
    time.advance(LEASE);

    refused(JobError.LEASE_EXPIRED, call, stranger(job));
    refused(JobError.LEASE_EXPIRED, call, new Held(job.id(), ""));
  }

  @ParameterizedTest
  @Guarantee("J45")
  @EnumSource
  void an_unknown_job_cannot_be_settled(RunCall call) {
    LeasedJob job = leased();

    for (String id : List.of("unknown", "", " ", "x".repeat(10_000))) {
      assertThat(call.on(jobs, new Held(id, job.token()))).isEqualTo(JobError.JOB_NOT_INFLIGHT);
    }
    assertThat(stored()).isEqualTo(1);
  }

  @ParameterizedTest
  @Guarantee({"J45", "J46"})
  @EnumSource
  void a_job_that_waits_cannot_be_settled(RunCall call) {
    LeasedJob ready = leased();
    jobs.release(ready.held(), null);
    refused(JobError.JOB_NOT_INFLIGHT, call, ready.held());

    LeasedJob scheduled = reserve();
    jobs.retry(scheduled.held(), LEASE, "again");
    assertThat(state(scheduled.id())).isEqualTo(JobState.SCHEDULED);
    refused(JobError.JOB_NOT_INFLIGHT, call, scheduled.held());
    refused(JobError.JOB_NOT_INFLIGHT, call, new Held(enqueue(draft()), ready.token()));
    refused(JobError.JOB_NOT_INFLIGHT, call, new Held(enqueue(draft()), ""));
  }

  @ParameterizedTest
  @Guarantee({"J45", "J46"})
  @EnumSource
  void a_cancelled_job_cannot_be_settled(RunCall call) {
    LeasedJob job = leased();
    jobs.release(job.held(), null);
    jobs.cancel(List.of(job.id()));

    refused(JobError.JOB_NOT_INFLIGHT, call, job.held());
  }

  @Test
  @Guarantee("J46")
  void a_refused_item_does_not_hinder_the_others() {
    enqueue(numbered(4));
    List<LeasedJob> held = reserve(4);

    List<Settled> settled =
        jobs.settle(
            List.of(
                Settlement.Ack.of(stranger(held.get(0))),
                Settlement.Ack.of(held.get(1).held()),
                Settlement.Ack.of(new Held("unknown", held.get(0).token())),
                Settlement.Fail.of(held.get(2).held(), "why"),
                new Settlement.Release(held.get(3).held(), null)));

    List<@Nullable JobError> errors = new ArrayList<>();
    settled.forEach(one -> errors.add(one.error()));
    assertThat(errors)
        .containsExactly(JobError.LEASE_MISMATCH, null, JobError.JOB_NOT_INFLIGHT, null, null);
    assertThat(held.stream().map(job -> state(job.id())))
        .containsExactly(JobState.INFLIGHT, JobState.DONE, JobState.DLQ, JobState.READY);
  }

  @Test
  @Guarantee("J46")
  void answers_are_in_the_order_of_the_items() {
    enqueue(numbered(100));
    List<LeasedJob> held = new ArrayList<>(reserve(100));
    Collections.shuffle(held, new Random(1));

    List<Settled> settled =
        jobs.settle(held.stream().map(job -> Settlement.Ack.of(job.held())).toList());

    assertThat(settled).isEqualTo(held.stream().map(job -> Settled.done(job.id())).toList());
  }

  @Test
  @Guarantee("J46")
  void items_about_one_job_are_settled_one_after_the_other() {
    Held held = leased().held();

    List<Settled> settled =
        jobs.settle(
            List.of(
                new Settlement.Report(held, 10, null, null),
                new Settlement.Report(held, 90, null, null),
                Settlement.Ack.of(held),
                Settlement.Ack.of(held),
                new Settlement.Release(held, null)));

    String id = held.id();
    assertThat(settled)
        .containsExactly(
            Settled.done(id),
            Settled.done(id),
            Settled.done(id),
            Settled.repeated(id),
            Settled.refused(id, JobError.JOB_NOT_INFLIGHT));
    assertThat(jobs.inspect(id).progress().percent()).isEqualTo(90);
  }
}
