package io.holdfast.testkit.job;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.job.Job;
import io.holdfast.job.JobError;
import io.holdfast.job.JobQueueConfig;
import io.holdfast.job.JobSpec;
import io.holdfast.job.JobState;
import io.holdfast.job.NewJob;
import io.holdfast.job.Schedule;
import io.holdfast.job.ScheduleSpec;
import io.holdfast.testkit.Guarantee;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Schedules that come, change and go while everything runs. */
public abstract class JobScheduleContract extends JobScheduleSuite {
  @Test
  @Guarantee("J86")
  void a_schedule_can_be_added_at_run_time() {
    moveTo(Instant.parse("2026-06-01T12:00:00.001Z"));

    Schedule put = put("hourly", "@hourly");

    assertThat(put.isEnabled()).isTrue();
    assertThat(put.nextAt()).isEqualTo(Instant.parse("2026-06-01T13:00:00Z"));
    assertThat(put.lastSlot()).isNull();
    assertThat(put.lastJobId()).isNull();
    same(schedule("hourly"), put);
    moveTo(put.nextAt());
    assertThat(tick()).isEqualTo(1);
  }

  @Test
  @Guarantee("J86")
  void the_jobs_of_a_schedule_are_as_it_says() {
    NewJob job =
        draft("payload").priority(7).maxAttempts(3).timeout(Duration.ofNanos(1_500)).limitedBy("k");
    ScheduleSpec spec =
        ScheduleSpec.of("full", "@every 10s", job)
            .zone("Europe/Berlin")
            .missed(ScheduleSpec.Missed.SKIP)
            .overlap(ScheduleSpec.Overlap.SKIP);

    same(jobs.schedules().put(spec).spec(), spec);
    same(schedule("full").spec(), spec);

    time.advance(Duration.ofSeconds(10));
    assertThat(tick()).isEqualTo(1);
    Job made = lastJob("full");
    String key = "schedule:full:" + schedule("full").lastSlot();
    assertThat(made.spec())
        .usingRecursiveComparison()
        .ignoringFields("runAt")
        .isEqualTo(
            new JobSpec(
                TYPE,
                QUEUE,
                job.payload(),
                null,
                Duration.ofNanos(1_500),
                3,
                7,
                new JobSpec.Keys(key, "k", null)));
    assertThat(made.createdAt()).isEqualTo(instant());
    assertThat(made.state()).isEqualTo(JobState.READY);
  }

  @Test
  @Guarantee("J86")
  void a_schedule_without_a_queue_uses_the_default_one() {
    jobs.schedules().put(ScheduleSpec.of("plain", "@every 1s", NewJob.of(TYPE)));
    assertThat(schedule("plain").spec().job().queue()).isEqualTo("default");

    time.advance(Duration.ofSeconds(1));
    tick();

    assertThat(lastJob("plain").queue()).isEqualTo("default");
  }

  @Test
  @Guarantee("J86")
  void the_jobs_of_a_schedule_wait_at_the_gate_of_their_key() {
    configure(JobQueueConfig.of(QUEUE).defaultLimitKey("all").limit("all", 1));
    String holder = enqueue(draft());
    put("s", "@every 1s");
    time.advance(Duration.ofSeconds(1));

    tick();

    Job made = lastJob("s");
    assertThat(made.state()).isEqualTo(JobState.GATED);
    cancel(holder);
    assertThat(state(made.id())).isEqualTo(JobState.READY);
  }

  @Test
  @Guarantee("J86")
  void a_change_that_keeps_cron_and_zone_keeps_the_next_slot() {
    Schedule first = put("s", "0 0 * * *");
    moveTo(first.nextAt());
    tick();
    Schedule fired = schedule("s");
    time.advance(HOUR);

    ScheduleSpec changed = spec("s", "0 0 * * *").missed(ScheduleSpec.Missed.SKIP);
    Schedule put = jobs.schedules().put(changed);

    assertThat(put.spec().missed()).isEqualTo(ScheduleSpec.Missed.SKIP);
    assertThat(put.nextAt()).isEqualTo(fired.nextAt());
    assertThat(put.lastSlot()).isEqualTo(first.nextAt());
    assertThat(put.lastJobId()).isEqualTo(fired.lastJobId());
    assertThat(jobs.schedules().list()).hasSize(1);
  }

  @Test
  @Guarantee("J86")
  void an_overdue_slot_survives_a_change_that_keeps_cron_and_zone() {
    Schedule first = put("s", "@every 10s");
    time.advance(Duration.ofSeconds(15));

    jobs.schedules().put(ScheduleSpec.of("s", "@every 10s", draft("other")));

    assertThat(schedule("s").nextAt()).isEqualTo(first.nextAt());
    assertThat(tick()).isEqualTo(1);
    assertThat(text(lastJob("s"))).isEqualTo("other");
  }

  @Test
  @Guarantee("J86")
  void another_cron_or_zone_counts_from_now() {
    put("s", "0 0 * * *");
    moveTo(Instant.parse("2026-06-01T12:30:00Z"));

    assertThat(put("s", "0 * * * *").nextAt()).isEqualTo(Instant.parse("2026-06-01T13:00:00Z"));
    time.advance(Duration.ofHours(2));
    ScheduleSpec tokyo = spec("s", "0 9 * * *").zone("Asia/Tokyo");
    assertThat(jobs.schedules().put(tokyo).nextAt())
        .isEqualTo(Instant.parse("2026-06-02T00:00:00Z"));
    assertThat(jobs.schedules().put(tokyo.zone("UTC")).nextAt())
        .isEqualTo(Instant.parse("2026-06-02T09:00:00Z"));
    assertThat(tick()).isZero();
  }

  @Test
  @Guarantee("J86")
  void a_paused_schedule_does_not_fire() {
    put("s", "@every 10s");

    Schedule paused = jobs.schedules().pause("s");
    time.advance(HOUR);

    assertThat(paused.isEnabled()).isFalse();
    assertThat(tick()).isZero();
    assertThat(count()).isZero();
    same(schedule("s"), paused);
    same(jobs.schedules().pause("s"), paused);
  }

  @Test
  @Guarantee("J86")
  void a_resumed_schedule_fires_from_the_first_slot_after_now() {
    put("s", "0 * * * *");
    jobs.schedules().pause("s");
    moveTo(Instant.parse("2026-06-01T12:00:00Z"));

    Schedule resumed = jobs.schedules().resume("s");

    assertThat(resumed.isEnabled()).isTrue();
    assertThat(resumed.nextAt()).isEqualTo(Instant.parse("2026-06-01T13:00:00Z"));
    assertThat(tick()).isZero();
    moveTo(resumed.nextAt());
    assertThat(tick()).isEqualTo(1);
  }

  @Test
  @Guarantee("J86")
  void resuming_what_is_not_paused_changes_nothing() {
    Schedule put = put("s", "@every 10s");
    time.advance(Duration.ofSeconds(12));

    same(jobs.schedules().resume("s"), put);

    assertThat(tick()).isEqualTo(1);
  }

  @Test
  @Guarantee("J86")
  void a_changed_schedule_stays_paused() {
    put("s", "@every 10s");
    jobs.schedules().pause("s");

    assertThat(put("s", "@every 1s").isEnabled()).isFalse();

    time.advance(HOUR);
    assertThat(tick()).isZero();
  }

  @Test
  @Guarantee("J86")
  void a_removed_schedule_leaves_its_jobs() {
    put("s", "@every 10s");
    time.advance(Duration.ofSeconds(10));
    tick();
    String made = lastJob("s").id();

    jobs.schedules().delete("s");
    time.advance(HOUR);

    assertThat(jobs.schedules().list()).isEmpty();
    assertThat(tick()).isZero();
    assertThat(reserve().id()).isEqualTo(made);
  }

  @Test
  @Guarantee("J86")
  void a_schedule_that_comes_back_starts_anew() {
    put("s", "@every 10s");
    time.advance(Duration.ofSeconds(10));
    tick();
    jobs.schedules().delete("s");

    Schedule again = put("s", "@every 10s");

    assertThat(again.lastSlot()).isNull();
    assertThat(again.lastJobId()).isNull();
    assertThat(again.nextAt()).isAfter(instant());
  }

  @Test
  @Guarantee("J86")
  void a_schedule_can_be_triggered_out_of_turn() {
    Schedule put = put("s", "@yearly");

    String first = jobs.schedules().trigger("s");
    String second = jobs.schedules().trigger("s");

    assertThat(first).isNotEqualTo(second);
    assertThat(schedule("s").lastJobId()).isEqualTo(second);
    assertThat(schedule("s").lastSlot()).isNull();
    assertThat(schedule("s").nextAt()).isEqualTo(put.nextAt());
    assertThat(jobs.inspect(first).spec().keys().idempotency()).isNull();
    assertThat(texts(reserve(10))).containsExactly("s", "s");
  }

  @Test
  @Guarantee("J86")
  void a_paused_schedule_can_be_triggered() {
    put("s", "@yearly");
    jobs.schedules().pause("s");

    assertThat(reserveTriggered()).isEqualTo(jobs.schedules().list().get(0).lastJobId());
    assertThat(schedule("s").isEnabled()).isFalse();
  }

  private String reserveTriggered() {
    String id = jobs.schedules().trigger("s");
    assertThat(reserve().id()).isEqualTo(id);
    return id;
  }

  @Test
  @Guarantee("J86")
  void schedules_are_listed_by_name() {
    put("b", "@daily");
    put("a", "@daily");
    put("Z", "@daily");

    assertThat(process().schedules().list())
        .extracting(Schedule::name)
        .containsExactly("Z", "a", "b");
  }

  @Test
  @Guarantee("J86")
  void a_schedule_that_is_not_there_is_named() {
    for (ThrowingCallable call :
        List.<ThrowingCallable>of(
            () -> jobs.schedules().delete("nobody"),
            () -> jobs.schedules().pause("nobody"),
            () -> jobs.schedules().resume("nobody"),
            () -> jobs.schedules().trigger("nobody"))) {
      assertThat(failing(JobError.SCHEDULE_NOT_FOUND, call)).hasMessageContaining("'nobody'");
    }
    assertThat(count()).isZero();
    assertThat(jobs.schedules().list()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"", "* * * *", "61 * * * *", "0 0 30 2 *", "0 0 ? 2 FRI#5", "@every 0s", "@often"})
  @Guarantee("J86")
  void a_schedule_that_cannot_be_read_or_never_fires_is_refused(String cron) {
    Schedule before = put("s", "@daily");

    failing(JobError.INVALID_SCHEDULE, () -> put("s", cron));
    failing(JobError.INVALID_SCHEDULE, () -> put("new", cron));

    assertThat(jobs.schedules().list()).hasSize(1);
    same(schedule("s"), before);
  }

  @Test
  @Guarantee("J86")
  void a_schedule_with_a_mistake_is_refused_and_changes_nothing() {
    Schedule before = put("s", "@daily");

    refused(JobError.INVALID_SCHEDULE, spec("s", "@daily").zone("Mars/Olympus"));
    refused(JobError.INVALID_ARGUMENT, spec(" ", "@daily"));
    refused(JobError.INVALID_ARGUMENT, spec("n".repeat(256), "@daily"));
    refused(JobError.JOB_TYPE_REQUIRED, ScheduleSpec.of("s", "@daily", NewJob.of(" ")));
    refused(JobError.QUEUE_REQUIRED, ScheduleSpec.of("s", "@daily", draft().queue(" ")));
    refused(JobError.INVALID_ARGUMENT, ScheduleSpec.of("s", "@daily", draft().id("x")));
    refused(JobError.INVALID_ARGUMENT, ScheduleSpec.of("s", "@daily", draft().once("x")));
    refused(JobError.INVALID_ARGUMENT, ScheduleSpec.of("s", "@daily", draft().runAt(instant())));
    refused(JobError.INVALID_ARGUMENT, ScheduleSpec.of("s", "@daily", draft().runIn(HOUR)));
    refused(JobError.INVALID_ARGUMENT, ScheduleSpec.of("s", "@daily", draft().priority(101)));
    refused(
        JobError.NEGATIVE_TIMEOUT, ScheduleSpec.of("s", "@daily", draft().timeout(HOUR.negated())));

    same(schedule("s"), before);
    assertThat(jobs.schedules().list()).hasSize(1);
  }

  private void refused(JobError error, ScheduleSpec spec) {
    failing(error, () -> jobs.schedules().put(spec));
  }

  private static void same(Object actual, Object expected) {
    assertThat(actual).usingRecursiveComparison().isEqualTo(expected);
  }
}
