package io.holdfast.postgres;

import static io.holdfast.postgres.JobStage.CALL;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.holdfast.job.Effects;
import io.holdfast.job.Job;
import io.holdfast.job.JobError;
import io.holdfast.job.JobException;
import io.holdfast.job.JobIds;
import io.holdfast.job.JobQueueConfig;
import io.holdfast.job.JobSchedules;
import io.holdfast.job.JobState;
import io.holdfast.job.JobUpkeep;
import io.holdfast.job.NewJob;
import io.holdfast.job.QueueKey;
import io.holdfast.job.Schedule;
import io.holdfast.job.ScheduleSpec;
import io.holdfast.testkit.Guarantee;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Recurring jobs: how they are kept, and that a slot fires once. */
@Timeout(120)
class JobScheduleTest {
  private static final NewJob JOB = NewJob.of("t").queue("q").payload("p");
  private static final Duration MINUTE = Duration.ofMinutes(1);

  private final JobStage jobs = JobStage.manual();

  @AfterEach
  void close() {
    jobs.close();
  }

  /** The clock starts at 20:26:40. */
  private static Instant at(String time) {
    return Instant.parse("2026-05-28T" + time + "Z");
  }

  private Schedule put(ScheduleSpec spec) {
    return jobs.schedules.put(spec, CALL);
  }

  private static ScheduleSpec everyMinute(String name) {
    return ScheduleSpec.of(name, "* * * * *", JOB);
  }

  private JobUpkeep.Ticked tick() {
    return jobs.upkeep.tick(CALL);
  }

  private List<String> keys() {
    String all =
        jobs.query("SELECT string_agg(idempotency_key, ' ' ORDER BY created_at, id) FROM {jobs}");
    return all == null ? List.of() : List.of(all.split(" "));
  }

  @Test
  void a_schedule_is_kept_with_everything_that_counts() {
    ScheduleSpec spec =
        ScheduleSpec.of(
                "s",
                "0 4 * * *",
                JOB.priority(3).maxAttempts(4).timeout(Duration.ofNanos(5)).limitedBy("k"))
            .zone("Europe/Berlin")
            .missed(ScheduleSpec.Missed.SKIP)
            .overlap(ScheduleSpec.Overlap.SKIP);

    Schedule stored = put(spec);

    assertThat(jobs.schedules.list(CALL).toString()).isEqualTo(List.of(stored).toString());
    assertThat(stored.nextAt()).isEqualTo(Instant.parse("2026-05-29T02:00:00Z"));
    assertThat(stored.isEnabled()).isTrue();
    assertThat(stored.spec().zone()).isEqualTo("Europe/Berlin");
    assertThat(stored.spec().missed()).isEqualTo(ScheduleSpec.Missed.SKIP);
    assertThat(stored.spec().overlap()).isEqualTo(ScheduleSpec.Overlap.SKIP);
    NewJob job = stored.spec().job();
    assertThat(job.priority()).isEqualTo(3);
    assertThat(job.maxAttempts()).isEqualTo(4);
    assertThat(job.timeout()).isEqualTo(Duration.ofNanos(5));
    assertThat(job.limitKey()).isEqualTo("k");
    assertThat(job.payload()).isEqualTo(JOB.payload());
  }

  @Test
  void its_next_slot_stays_while_cron_and_zone_do() {
    put(everyMinute("s"));
    jobs.advance(MINUTE);

    assertThat(put(everyMinute("s").missed(ScheduleSpec.Missed.SKIP)).nextAt())
        .isEqualTo(at("20:27:00"));
    assertThat(put(everyMinute("s").zone("Asia/Tokyo")).nextAt()).isEqualTo(at("20:28:00"));
    assertThat(put(ScheduleSpec.of("s", "*/5 * * * *", JOB)).nextAt()).isEqualTo(at("20:30:00"));
    assertThat(jobs.schedules.list(CALL)).hasSize(1);
  }

  @Test
  void what_cannot_be_read_is_refused() {
    JobException refusal =
        catchThrowableOfType(JobException.class, () -> put(ScheduleSpec.of("s", "never", JOB)));

    assertThat(refusal.error()).isEqualTo(JobError.INVALID_SCHEDULE);
  }

  @Test
  void a_paused_schedule_fires_nothing_and_resumes_from_now() {
    put(everyMinute("s"));

    Schedule paused = jobs.schedules.enable("s", false, CALL).orElseThrow();
    jobs.advance(MINUTE);
    assertThat(paused.isEnabled()).isFalse();
    assertThat(paused.nextAt()).isEqualTo(at("20:27:00"));
    assertThat(tick()).isEqualTo(new JobUpkeep.Ticked(0, Effects.NONE, null));

    assertThat(jobs.schedules.enable("s", true, CALL).orElseThrow().nextAt())
        .isEqualTo(at("20:28:00"));
    assertThat(jobs.schedules.enable("s", true, CALL).orElseThrow().nextAt())
        .isEqualTo(at("20:28:00"));
    assertThat(jobs.schedules.enable("nobody", true, CALL)).isEmpty();
  }

  @Test
  void a_schedule_is_removed_and_its_jobs_stay() {
    put(everyMinute("s"));
    jobs.advance(MINUTE);
    tick();

    assertThat(jobs.schedules.delete("s", CALL)).isTrue();
    assertThat(jobs.schedules.delete("s", CALL)).isFalse();
    assertThat(jobs.schedules.list(CALL)).isEmpty();
    assertThat(keys()).hasSize(1);
  }

  @Test
  void a_slot_that_has_come_makes_its_job() {
    put(
        ScheduleSpec.of(
            "s", "* * * * *", JOB.priority(2).maxAttempts(4).timeout(Duration.ofSeconds(9))));
    assertThat(tick()).isEqualTo(new JobUpkeep.Ticked(0, Effects.NONE, Duration.ofSeconds(20)));
    jobs.advance(Duration.ofSeconds(21));

    JobUpkeep.Ticked ticked = tick();

    assertThat(ticked)
        .isEqualTo(
            new JobUpkeep.Ticked(1, new Effects(Set.of(), Set.of("q")), Duration.ofSeconds(59)));
    assertThat(keys()).containsExactly("schedule:s:2026-05-28T20:27:00Z");
    Schedule schedule = jobs.schedules.list(CALL).get(0);
    assertThat(schedule.nextAt()).isEqualTo(at("20:28:00"));
    assertThat(schedule.lastSlot()).isEqualTo(at("20:27:00"));
    Job job = jobs.job(String.valueOf(schedule.lastJobId()));
    assertThat(job.spec().payload()).isEqualTo(JOB.payload());
    assertThat(job.spec().priority()).isEqualTo(2);
    assertThat(job.spec().maxAttempts()).isEqualTo(4);
    assertThat(job.spec().timeout()).isEqualTo(Duration.ofSeconds(9));
    assertThat(job.createdAt()).isEqualTo(jobs.now());
    assertThat(jobs.column("rank_at = {now} - interval '2 min'", job.id())).isEqualTo("t");
    assertThat(tick().fired()).isZero();
  }

  @Test
  void jobs_of_one_tick_are_made_one_after_the_other_and_limited_ones_wait() {
    jobs.limits.configure(JobQueueConfig.of("q").defaultLimitKey("d"), CALL);
    put(everyMinute("a"));
    put(everyMinute("b").overlap(ScheduleSpec.Overlap.SKIP));
    put(ScheduleSpec.of("c", "*/2 * * * * *", JOB.limitedBy("k")));
    jobs.advance(Duration.ofSeconds(20));

    JobUpkeep.Ticked ticked = tick();

    assertThat(ticked.fired()).isEqualTo(9);
    assertThat(ticked.effects())
        .isEqualTo(new Effects(Set.of(new QueueKey("q", "k"), new QueueKey("q", "d")), Set.of()));
    assertThat(keys())
        .startsWith("schedule:c:2026-05-28T20:26:48Z", "schedule:c:2026-05-28T20:26:50Z")
        .endsWith("schedule:a:2026-05-28T20:27:00Z", "schedule:b:2026-05-28T20:27:00Z");
    assertThat(jobs.query("SELECT count(*) FROM {jobs} WHERE gate_at < created_at")).isEqualTo("9");
    assertThat(
            jobs.query(
                "SELECT extract(microseconds FROM max(created_at) - min(created_at)) FROM {jobs}"))
        .startsWith("8");
  }

  @Test
  @Guarantee("J84")
  void of_missed_slots_the_newest_fires_or_none() {
    put(everyMinute("once"));
    put(everyMinute("skip").missed(ScheduleSpec.Missed.SKIP));
    jobs.advance(Duration.ofHours(1));

    assertThat(tick().fired()).isEqualTo(1);
    assertThat(keys()).containsExactly("schedule:once:2026-05-28T21:26:00Z");
    assertThat(jobs.schedules.list(CALL)).extracting(Schedule::nextAt).containsOnly(at("21:27:00"));
    assertThat(jobs.schedules.list(CALL).get(1).lastSlot()).isNull();
  }

  @Test
  void a_slot_does_not_fire_while_the_last_job_is_unfinished_if_it_must_not() {
    put(ScheduleSpec.of("s", "*/2 * * * * *", JOB).overlap(ScheduleSpec.Overlap.SKIP));
    jobs.advance(Duration.ofSeconds(6));

    assertThat(tick().fired()).as("of three slots the first").isEqualTo(1);
    assertThat(keys()).containsExactly("schedule:s:2026-05-28T20:26:42Z");
    jobs.advance(Duration.ofSeconds(2));
    assertThat(tick().fired()).isZero();
    jobs.update("UPDATE {jobs} SET status = 'done'");
    jobs.advance(Duration.ofSeconds(2));

    assertThat(tick().fired()).isEqualTo(1);
    assertThat(jobs.schedules.list(CALL).get(0).lastSlot()).isEqualTo(at("20:26:50"));
  }

  @Test
  void a_slot_whose_key_is_taken_was_fired_before() {
    put(ScheduleSpec.of("s", "*/2 * * * * *", JOB).overlap(ScheduleSpec.Overlap.SKIP));
    jobs.insert("x", "idempotency_key", "'schedule:s:2026-05-28T20:26:42Z'");
    jobs.advance(Duration.ofSeconds(6));

    assertThat(tick().fired()).isEqualTo(1);
    assertThat(jobs.schedules.list(CALL).get(0).lastSlot()).isEqualTo(at("20:26:44"));
    assertThat(jobs.query("SELECT count(*) FROM {jobs}")).isEqualTo("2");
  }

  @Test
  void a_schedule_that_nobody_can_read_any_more_is_switched_off_and_hurts_no_other() {
    put(everyMinute("good"));
    put(everyMinute("zone"));
    jobs.update("UPDATE {schedules} SET zone = 'Atlantis/City' WHERE name = 'zone'");
    jobs.advance(MINUTE);

    assertThat(tick().fired()).isEqualTo(1);
    assertThat(jobs.schedules.list(CALL))
        .extracting(Schedule::isEnabled)
        .containsExactly(true, false);
  }

  @Test
  void a_schedule_is_triggered_out_of_turn_also_when_paused() {
    put(ScheduleSpec.of("s", "0 4 * * *", JOB));
    jobs.schedules.enable("s", false, CALL);

    JobSchedules.Triggered first = jobs.schedules.trigger("s", CALL).orElseThrow();
    JobSchedules.Triggered second = jobs.schedules.trigger("s", CALL).orElseThrow();

    assertThat(first.effects()).isEqualTo(new Effects(Set.of(), Set.of("q")));
    assertThat(jobs.job(first.jobId()).state()).isEqualTo(JobState.READY);
    assertThat(jobs.job(first.jobId()).spec().keys().idempotency()).isNull();
    Schedule schedule = jobs.schedules.list(CALL).get(0);
    assertThat(schedule.lastJobId()).isEqualTo(second.jobId());
    assertThat(schedule.lastSlot()).isNull();
    assertThat(jobs.schedules.trigger("nobody", CALL)).isEmpty();
  }

  @Test
  void at_most_a_hundred_schedules_fire_at_once() {
    put(everyMinute("s"));
    jobs.update(
        """
        INSERT INTO {schedules} (name, queue, type, payload, cron, zone, missed, overlap, next_at)
        SELECT 's' || i, queue, type, payload, cron, zone, missed, overlap, next_at
          FROM {schedules}, generate_series(1, 149) AS i
        """);
    jobs.advance(MINUTE);

    assertThat(tick())
        .extracting(JobUpkeep.Ticked::fired, JobUpkeep.Ticked::nextIn)
        .containsExactly(100, Duration.ZERO);
    assertThat(tick())
        .extracting(JobUpkeep.Ticked::fired, JobUpkeep.Ticked::nextIn)
        .containsExactly(50, Duration.ofSeconds(20));
  }

  @Test
  void a_schedule_that_somebody_works_on_is_passed_by() throws SQLException {
    put(everyMinute("a"));
    put(everyMinute("b"));
    jobs.advance(MINUTE);
    try (Connection other = TestDatabase.begin()) {
      TransactionsTest.run(
          other, jobs.filled("SELECT FROM {schedules} WHERE name = 'a' FOR UPDATE"));

      assertThat(tick())
          .extracting(JobUpkeep.Ticked::fired, JobUpkeep.Ticked::nextIn)
          .containsExactly(1, Duration.ofSeconds(20));
      other.rollback();
    }
    assertThat(tick().fired()).isEqualTo(1);
  }

  @Test
  void schedules_are_shown_by_name() {
    for (String name : List.of("b", "a", "Z")) {
      put(everyMinute(name));
    }

    assertThat(jobs.schedules.list(CALL)).extracting(Schedule::name).containsExactly("Z", "a", "b");
  }

  /** Each node ticks on its own; now and then one is killed in the middle and rolls back. */
  @Test
  @Guarantee({"J83", "JF18"})
  void five_nodes_tick_a_thousand_slots_and_each_makes_one_job() throws Exception {
    int nodes = 5;
    int rounds = 100;
    put(ScheduleSpec.of("s", "* * * * * *", JOB));
    List<PostgresJobUpkeep> crew = new ArrayList<>();
    for (int i = 0; i < nodes; i++) {
      crew.add(new PostgresJobUpkeep(jobs.process(), new JobIds(System::currentTimeMillis)));
    }
    ExecutorService threads = Executors.newFixedThreadPool(nodes);
    CyclicBarrier turn = new CyclicBarrier(nodes, () -> jobs.advance(Duration.ofSeconds(10)));
    List<Future<Integer>> ends = new ArrayList<>();
    for (int node = 0; node < nodes; node++) {
      PostgresJobUpkeep upkeep = crew.get(node);
      int number = node;
      ends.add(
          threads.submit(
              () -> {
                int fired = 0;
                for (int round = 0; round < rounds; round++) {
                  turn.await(30, TimeUnit.SECONDS);
                  if (round % nodes == number) {
                    killedTick();
                  }
                  fired += upkeep.tick(CALL).fired();
                }
                return fired;
              }));
    }

    int fired = 0;
    for (Future<Integer> end : ends) {
      fired += end.get(90, TimeUnit.SECONDS);
    }
    threads.shutdown();
    fired += tick().fired();

    assertThat(fired).isEqualTo(rounds * 10);
    assertThat(jobs.query("SELECT count(*) || ' ' || count(DISTINCT idempotency_key) FROM {jobs}"))
        .isEqualTo(fired + " " + fired);
    assertThat(jobs.schedules.list(CALL).get(0).nextAt()).isEqualTo(jobs.now().plusSeconds(1));
  }

  /** A tick whose process dies before it commits. */
  private void killedTick() throws SQLException {
    try (Connection dying = TestDatabase.begin();
        Statements statements = new Statements((operation, took, error) -> {})) {
      statements.run(
          "tick",
          dying,
          StoreCaller.limits(CALL),
          watch ->
              JobTick.fire(
                  new JobSession(watch, jobs.names, jobs.manual),
                  new JobIds(System::currentTimeMillis)),
          connection -> {});
      dying.rollback();
    }
  }
}
