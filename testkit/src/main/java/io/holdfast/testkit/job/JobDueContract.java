package io.holdfast.testkit.job;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.job.Job;
import io.holdfast.job.JobState;
import io.holdfast.job.LeasedJob;
import io.holdfast.job.NewJob;
import io.holdfast.job.Settlement;
import io.holdfast.testkit.Guarantee;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** When a job may run. The clock of these tests moves in whole milliseconds; due times do not. */
public abstract class JobDueContract extends JobSuite {
  private static final Duration MILLI = Duration.ofMillis(1);

  private Instant runAt(String id) {
    Instant at = jobs.inspect(id).spec().runAt();
    assertThat(at).as("it has a due time").isNotNull();
    return at == null ? Instant.MAX : at;
  }

  private void isScheduled(String id) {
    assertThat(state(id)).isEqualTo(JobState.SCHEDULED);
    unchanged(id, () -> assertThat(reserve(9)).isEmpty());
  }

  private void isDue(String id) {
    assertThat(state(id)).isEqualTo(JobState.READY);
    assertThat(reserve(9)).extracting(LeasedJob::id).containsExactly(id);
  }

  @Test
  @Guarantee("J20")
  void a_scheduled_job_is_invisible_one_microsecond_before_it_is_due() {
    Instant due = instant().plus(MILLI).plus(MICRO);
    String id = enqueue(draft().runAt(due));
    isScheduled(id);
    time.advanceMs(1);
    isScheduled(id);

    time.advanceMs(1);

    isDue(id);
    assertThat(runAt(id)).isEqualTo(due);
  }

  @Test
  @Guarantee("J20")
  void a_scheduled_job_is_reservable_exactly_when_it_is_due() {
    String id = enqueue(draft().runAt(instant().plus(MILLI)));
    isScheduled(id);

    time.advanceMs(1);

    isDue(id);
  }

  @Test
  @Guarantee("J20")
  void a_job_due_one_microsecond_from_now_is_not_due_now() {
    String later = enqueue(draft().runAt(instant().plus(MICRO)));
    isScheduled(later);

    String now = enqueue(draft().runAt(instant()));

    isDue(now);
    isScheduled(later);
  }

  @Test
  @Guarantee("J20")
  void a_delay_counts_from_the_clock_of_the_store() {
    String micro = enqueue(draft().runIn(MICRO));
    String milli = enqueue(draft().runIn(MILLI));
    isScheduled(micro);
    isScheduled(milli);
    assertThat(runAt(micro)).isEqualTo(instant().plus(MICRO));
    assertThat(runAt(milli)).isEqualTo(instant().plus(MILLI));

    isDue(enqueue(draft().runIn(Duration.ZERO)));
    time.advanceMs(1);

    assertThat(reserve(9)).extracting(LeasedJob::id).containsExactly(micro, milli);
  }

  @Test
  @Guarantee("J20")
  void a_job_may_be_due_in_a_long_time() {
    Instant due = Instant.parse("9998-12-31T23:59:59.999999Z");
    String id = enqueue(draft().runAt(due));

    time.advance(Duration.ofDays(10_000));

    isScheduled(id);
    assertThat(runAt(id)).isEqualTo(due);
  }

  @Test
  @Guarantee("J21")
  void nanoseconds_of_a_due_time_are_cut_never_rounded() {
    Instant now = instant();
    String cut = enqueue(draft().runAt(now.plusNanos(999)));
    assertThat(runAt(cut)).isEqualTo(now);
    isDue(cut);

    String next = enqueue(draft().runAt(now.plusNanos(1_999)));
    assertThat(runAt(next)).isEqualTo(now.plus(MICRO));
    isScheduled(next);
  }

  @Test
  @Guarantee("J21")
  void nanoseconds_of_a_delay_are_cut_never_rounded() {
    String cut = enqueue(draft().runIn(Duration.ofNanos(999)));
    assertThat(runAt(cut)).isEqualTo(instant());
    isDue(cut);

    String next = enqueue(draft().runIn(Duration.ofNanos(1_999)));
    assertThat(runAt(next)).isEqualTo(instant().plus(MICRO));
    isScheduled(next);
  }

  @ParameterizedTest
  @Guarantee("J21")
  @ValueSource(
      strings = {
        "1969-12-31T23:59:59.999999999Z",
        "1969-12-31T23:59:59.000000001Z",
        "1999-12-31T23:59:59.999999500Z",
        "1582-10-15T00:00:00.123456789Z",
        "0001-01-01T00:00:00.000000999Z"
      })
  void instants_long_ago_are_cut_towards_the_past(String text) {
    Instant at = Instant.parse(text);
    String id = enqueue(draft().runAt(at).imported(new NewJob.Import(1, "", at, at)));

    Instant cut = Instant.parse(text.replaceAll("...Z$", "Z"));
    Job job = jobs.inspect(id);
    assertThat(job.spec().runAt()).isEqualTo(cut);
    assertThat(job.createdAt()).isEqualTo(cut);
    assertThat(job.history().failedAt()).isEqualTo(cut);
    isDue(id);
  }

  @Test
  @Guarantee("J21")
  void nanoseconds_of_a_lease_are_cut_never_rounded() {
    enqueue(draft());

    LeasedJob job = jobs.reserve(request(1).leaseFor(MILLI.plusNanos(1_999))).jobs().get(0);
    assertThat(job.leaseExpiresAt()).isEqualTo(instant().plus(MILLI).plus(MICRO));

    assertThat(extend(job.held(), MILLI.plusNanos(999)).expiresAt())
        .isEqualTo(instant().plus(MILLI));
    time.advanceMs(1);
    assertThat(reserve(1)).hasSize(1);
  }

  @Test
  @Guarantee({"J21", "J54"})
  void nanoseconds_of_a_retry_are_cut_never_rounded() {
    LeasedJob job = leased();
    Instant now = instant();

    settle(
        new Settlement.Retry(job.held(), now.plusNanos(999), null, "e", null, now.minusNanos(1)));

    assertThat(runAt(job.id())).isEqualTo(now);
    assertThat(history(job.id()).failedAt()).isEqualTo(now.minus(MICRO));
    isDue(job.id());
  }

  @Test
  @Guarantee("J22")
  void a_due_job_keeps_its_due_time_while_leased() {
    Instant due = instant().plusSeconds(1);
    String id = enqueue(draft().runAt(due));
    time.advance(Duration.ofSeconds(5));

    LeasedJob job = reserve();

    assertThat(job.job().spec().runAt()).isEqualTo(due);
    assertThat(runAt(id)).isEqualTo(due);
    extend(job.held(), LEASE);
    settle(new Settlement.Report(job.held(), 50, null, null));
    assertThat(runAt(id)).isEqualTo(due);
    jobs.ack(job.held());
    assertThat(runAt(id)).isEqualTo(due);
  }

  @Test
  @Guarantee("J23")
  void a_past_due_time_is_due_at_once_and_stored_as_given() {
    Instant yesterday = instant().minus(Duration.ofDays(1));
    String id = enqueue(draft().runAt(yesterday));

    assertThat(runAt(id)).isEqualTo(yesterday);
    isDue(id);
  }

  @Test
  @Guarantee("J23")
  void a_past_due_time_gives_no_place_before_older_jobs() {
    enqueue("older");
    time.advanceMs(1);
    enqueue(draft("past").runAt(instant().minus(Duration.ofDays(1))));
    time.advanceMs(1);
    enqueue("newer");

    assertThat(texts(reserve(9))).isEqualTo(List.of("older", "past", "newer"));
  }
}
