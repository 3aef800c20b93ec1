package io.holdfast.testkit.job;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.job.Job;
import io.holdfast.job.JobError;
import io.holdfast.job.JobService;
import io.holdfast.job.JobState;
import io.holdfast.job.LeasedJob;
import io.holdfast.job.Requeue;
import io.holdfast.job.ReserveRequest;
import io.holdfast.job.ReserveRequest.Share;
import io.holdfast.job.Settlement;
import io.holdfast.testkit.Guarantee;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A run of a job is a lease: given to one, for a time, under a number that only grows. */
public abstract class JobLeaseContract extends JobSuite {
  private static final Duration BRIEF = Duration.ofMillis(10);

  private LeasedJob reserve(Duration leaseFor) {
    List<LeasedJob> got = jobs.reserve(request(1).leaseFor(leaseFor)).jobs();
    assertThat(got).hasSize(1);
    return got.get(0);
  }

  /** Lets a lease end, and takes the job over. */
  private LeasedJob reclaim(LeasedJob from) {
    time.advance(LEASE);
    LeasedJob job = reserve();
    assertThat(job.id()).isEqualTo(from.id());
    return job;
  }

  @Test
  @Guarantee("J24")
  void a_leased_job_is_not_given_twice() {
    JobService there = process();
    leased();

    assertThat(reserve(9)).isEmpty();
    assertThat(there.reserve(request(9)).jobs()).isEmpty();
    time.advance(LEASE.minusMillis(1));
    assertThat(reserve(9)).isEmpty();
    assertThat(there.reserve(request(9)).jobs()).isEmpty();
  }

  @Test
  @Guarantee("J24")
  void every_job_of_a_backlog_is_given_once() {
    JobService there = process();
    List<String> ids = enqueue(numbered(50));
    List<String> got = new ArrayList<>();

    for (int i = 0; i < 10; i++) {
      JobService process = i % 2 == 0 ? jobs : there;
      process.reserve(request(6)).jobs().forEach(job -> got.add(job.id()));
    }

    assertThat(got).containsExactlyElementsOf(ids);
  }

  @Test
  @Guarantee("J24")
  void a_lease_shows_who_holds_the_job_and_until_when() {
    String id = enqueue(draft());

    LeasedJob job = jobs.reserve(request(1).by("host-1-abcd")).jobs().get(0);

    assertThat(job.token()).matches("[0-9a-f]{32}");
    assertThat(job.leaseExpiresAt()).isEqualTo(instant().plus(LEASE));
    Job stored = jobs.inspect(id);
    assertThat(stored.state()).isEqualTo(JobState.INFLIGHT);
    String owner = "host-1-abcd#" + job.token().substring(0, 8);
    assertThat(stored.lease()).isEqualTo(new Job.Lease(instant().plus(LEASE), owner));
    assertThat(job.toString()).doesNotContain(job.token());
  }

  @Test
  @Guarantee("J24")
  void a_lease_of_nobody_in_particular_has_no_owner() {
    LeasedJob job = leased();

    assertThat(jobs.inspect(job.id()).lease())
        .isEqualTo(new Job.Lease(instant().plus(LEASE), null));
  }

  @Test
  @Guarantee("J25")
  void a_lease_ends_exactly_at_its_expiry() {
    enqueue(draft());
    LeasedJob job = reserve(BRIEF);

    time.advance(BRIEF);

    assertThat(settle(Settlement.Ack.of(job.held())).error()).isEqualTo(JobError.LEASE_EXPIRED);
    assertThat(state(job.id())).isEqualTo(JobState.INFLIGHT);
    assertThat(reserve(9)).extracting(LeasedJob::id).containsExactly(job.id());
  }

  @Test
  @Guarantee("J25")
  void a_lease_lasts_until_one_microsecond_before_its_expiry() {
    enqueue(draft());
    LeasedJob job = reserve(BRIEF.plus(MICRO));

    time.advance(BRIEF);

    assertThat(reserve(9)).isEmpty();
    assertThat(settle(Settlement.Ack.of(job.held())).isOk()).isTrue();
  }

  @Test
  @Guarantee("J26")
  void an_expired_job_is_reclaimed_with_a_fresh_token() {
    LeasedJob first = leased();

    LeasedJob second = reclaim(first);

    assertThat(second.token()).matches("[0-9a-f]{32}").isNotEqualTo(first.token());
    assertThat(second.leaseExpiresAt()).isEqualTo(instant().plus(LEASE));
    assertThat(settle(Settlement.Ack.of(first.held())).error()).isEqualTo(JobError.LEASE_MISMATCH);
    assertThat(settle(Settlement.Ack.of(second.held())).isOk()).isTrue();
  }

  @Test
  @Guarantee("J26")
  void a_reclaimed_job_has_a_new_owner() {
    enqueue(draft());
    jobs.reserve(request(1).by("one"));
    time.advance(LEASE);

    LeasedJob second = jobs.reserve(request(1).by("two")).jobs().get(0);

    assertThat(jobs.inspect(second.id()).lease())
        .isEqualTo(new Job.Lease(instant().plus(LEASE), "two#" + second.token().substring(0, 8)));
  }

  @Test
  @Guarantee("J26")
  void every_lease_has_a_token_of_its_own() {
    enqueue(numbered(20));
    Set<String> tokens = new HashSet<>();

    for (int round = 0; round < 5; round++) {
      reserve(20).forEach(job -> tokens.add(job.token()));
      time.advance(LEASE);
    }

    assertThat(tokens).hasSize(100);
  }

  @Test
  @Guarantee("J27")
  void reclaiming_clears_the_due_time() {
    Instant due = instant().plusSeconds(1);
    String id = enqueue(draft().runAt(due));
    time.advance(Duration.ofSeconds(1));
    assertThat(reserve().job().spec().runAt()).isEqualTo(due);
    time.advance(LEASE);
    assertThat(jobs.inspect(id).spec().runAt()).isEqualTo(due);

    LeasedJob again = reserve();

    assertThat(again.job().spec().runAt()).isNull();
    assertThat(jobs.inspect(id).spec().runAt()).isNull();
  }

  @Test
  @Guarantee("J28")
  void reclaiming_leaves_attempts_alone_and_counts_a_delivery() {
    LeasedJob first = leased();
    jobs.retry(first.held(), null, "broke");
    LeasedJob second = reserve();
    Job.History before = history(first.id());
    assertThat(before.attempts()).isEqualTo(1);
    assertThat(before.deliveries()).isEqualTo(2);

    LeasedJob third = reclaim(second);

    assertThat(history(first.id()))
        .isEqualTo(new Job.History(1, "broke", before.failedAt(), 3, 0, null, Job.Dead.NEVER));
    assertThat(third.job().history()).isEqualTo(history(first.id()));
  }

  @Test
  @Guarantee("J29")
  void the_fence_grows_with_every_delivery() {
    LeasedJob first = leased();
    assertThat(first.fence()).isEqualTo(1);
    LeasedJob reclaimed = reclaim(first);
    assertThat(reclaimed.fence()).isEqualTo(2);

    jobs.release(reclaimed.held(), null);
    LeasedJob released = reserve();
    assertThat(released.fence()).isEqualTo(3);

    jobs.retry(released.held(), null, "broke");
    LeasedJob retried = reserve();
    assertThat(retried.fence()).isEqualTo(4);

    jobs.fail(retried.held(), "gave up");
    jobs.requeue(List.of(retried.id()), Requeue.NOW);
    assertThat(reserve().fence()).isEqualTo(5);
  }

  @ParameterizedTest
  @Guarantee("J32")
  @ValueSource(longs = {Long.MIN_VALUE, -1_000, -1, 0, 1, 999, 86_400_000_000_001L})
  void a_lease_outside_a_microsecond_to_a_day_is_refused(long nanos) {
    LeasedJob job = leased();
    String waiting = enqueue(draft());
    Duration leaseFor = Duration.ofNanos(nanos);

    unchanged(waiting, () -> refused(request(1).leaseFor(leaseFor)));
    unchanged(
        job.id(),
        () ->
            failing(
                JobError.INVALID_LEASE_DURATION, () -> jobs.extend(List.of(job.held()), leaseFor)));
  }

  private void refused(ReserveRequest request) {
    failing(JobError.INVALID_LEASE_DURATION, () -> jobs.reserve(request));
    failing(JobError.INVALID_LEASE_DURATION, () -> now(jobs.reserveAsync(request, Duration.ZERO)));
  }

  @Test
  @Guarantee("J32")
  void a_lease_of_a_microsecond_or_of_a_day_is_given() {
    enqueue(numbered(2));
    LeasedJob day = reserve(Duration.ofDays(1));
    LeasedJob micro = reserve(MICRO);

    assertThat(day.leaseExpiresAt()).isEqualTo(instant().plus(Duration.ofDays(1)));
    assertThat(micro.leaseExpiresAt()).isEqualTo(instant().plus(MICRO));
    assertThat(extend(day.held(), MICRO).isOk()).isTrue();
    assertThat(extend(micro.held(), Duration.ofDays(1)).isOk()).isTrue();
  }

  @Test
  @Guarantee("J32")
  void mistakes_in_a_wish_are_named_in_the_order_of_the_checks() {
    String id = enqueue(draft());
    Share blank = Share.of(" ", 1);
    Share fine = Share.of(QUEUE, 1);

    unchanged(
        id,
        () -> {
          wrong(JobError.INVALID_LEASE_DURATION, List.of(blank), 0, Duration.ZERO);
          wrong(JobError.QUEUE_REQUIRED, List.of(fine, blank), 0, LEASE);
          wrong(JobError.INVALID_ARGUMENT, List.of(), 0, LEASE);
          wrong(JobError.INVALID_ARGUMENT, Collections.nCopies(65, fine), 0, LEASE);
          wrong(JobError.INVALID_LIMIT, List.of(fine), 0, LEASE);
          wrong(JobError.INVALID_LIMIT, List.of(fine), -1, LEASE);
          wrong(JobError.INVALID_LIMIT, List.of(fine), 1001, LEASE);
          wrong(JobError.INVALID_ARGUMENT, List.of(Share.of("x".repeat(256), 1)), 1, LEASE);
          wrong(JobError.INVALID_ARGUMENT, List.of(Share.of("a\0", 1)), 1, LEASE);
        });
  }

  private void wrong(JobError error, List<Share> queues, int limit, Duration leaseFor) {
    failing(error, () -> jobs.reserve(new ReserveRequest(queues, limit, leaseFor, null)));
  }
}
