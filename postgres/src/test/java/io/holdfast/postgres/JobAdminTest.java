package io.holdfast.postgres;

import static io.holdfast.postgres.JobStage.CALL;
import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.job.Bulk;
import io.holdfast.job.DeadQuery;
import io.holdfast.job.Effects;
import io.holdfast.job.Job;
import io.holdfast.job.JobAdmin;
import io.holdfast.job.JobError;
import io.holdfast.job.JobQueueConfig;
import io.holdfast.job.JobQueueInfo;
import io.holdfast.job.JobQueueSettings;
import io.holdfast.job.JobState;
import io.holdfast.job.JobStats;
import io.holdfast.job.QueueKey;
import io.holdfast.job.Requeue;
import io.holdfast.job.Requeued;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What operators do to jobs and queues. */
@Timeout(60)
class JobAdminTest {
  private static final Duration SECOND = Duration.ofSeconds(1);

  private final JobStage jobs = JobStage.manual();

  @AfterEach
  void close() {
    jobs.close();
  }

  private JobAdmin.Requeues requeue(Requeue how, String... ids) {
    return jobs.admin.requeue(List.of(ids), how, CALL);
  }

  @Test
  void a_dead_letter_returns_with_a_clean_record_and_its_count() {
    jobs.insertDead("d", SECOND);
    jobs.update(
        "UPDATE {jobs} SET priority = 2, output = 'x', cancel_requested = true, lease_owner = 'w#1'");

    JobAdmin.Requeues answer = requeue(Requeue.NOW, "d");

    assertThat(answer.requeued()).containsExactly(new Requeued("d", null));
    assertThat(answer.effects()).isEqualTo(new Effects(Set.of(), Set.of("q")));
    Job job = jobs.job("d");
    assertThat(job.state()).isEqualTo(JobState.READY);
    assertThat(job.history())
        .isEqualTo(new Job.History(0, "", null, 5, 5, null, new Job.Dead(null, null, 3, 1)));
    assertThat(jobs.column("rank_at = {now} - interval '2 min'", "d")).isEqualTo("t");
    assertThat(jobs.column("output IS NULL AND last_token IS NULL AND lease_owner IS NULL", "d"))
        .isEqualTo("t");
    assertThat(job.isCancelRequested()).isFalse();
  }

  @Test
  void without_a_reset_it_keeps_its_failures_and_gets_its_full_allowance() {
    jobs.insertDead("d", SECOND);

    requeue(new Requeue(null, null, false), "d");

    Job.History history = jobs.job("d").history();
    assertThat(history.attempts()).isEqualTo(3);
    assertThat(history.lastError()).isEqualTo("boom");
    assertThat(history.failedAt()).isEqualTo(jobs.now().minus(SECOND));
    assertThat(history.excused()).isEqualTo(2);
  }

  @Test
  void it_waits_for_a_due_time_that_lies_ahead_cut_to_microseconds() {
    jobs.insertDead("a", SECOND);
    jobs.insertDead("b", SECOND);
    Instant ahead = jobs.in(SECOND).plusNanos(1_999);

    requeue(new Requeue(null, ahead, true), "a");
    JobAdmin.Requeues past = requeue(new Requeue(null, jobs.now(), true), "b");

    assertThat(jobs.job("a").spec().runAt()).isEqualTo(jobs.in(SECOND).plusNanos(1_000));
    assertThat(jobs.job("b").spec().runAt()).isNull();
    assertThat(past.effects().runnable()).containsExactly("q");
  }

  @Test
  void what_is_requeued_for_later_wakes_nobody() {
    jobs.insertDead("a", SECOND);

    assertThat(requeue(new Requeue(null, jobs.in(SECOND.plusMillis(1)), true), "a").effects())
        .isEqualTo(Effects.NONE);
    assertThat(requeue(new Requeue(null, jobs.in(SECOND), true), "a").effects().runnable())
        .containsExactly("q");
  }

  @Test
  void a_cancelled_job_returns_and_a_scheduled_one_is_hastened() {
    jobs.insert("c", "status, outcome, finished_at", "'done', 'cancelled', {now}");
    jobs.insert(
        "s", "run_at, attempts, last_error, priority", "{now} + interval '1 h', 1, 'once', 1");

    JobAdmin.Requeues answer = requeue(Requeue.NOW, "c", "s");

    assertThat(answer.requeued()).extracting(Requeued::error).containsOnlyNulls();
    assertThat(jobs.job("c").state()).isEqualTo(JobState.READY);
    assertThat(jobs.job("s").state()).isEqualTo(JobState.READY);
    assertThat(jobs.job("s").history().attempts()).isEqualTo(1);
    assertThat(jobs.column("rank_at = {now} - interval '1 min'", "s")).isEqualTo("t");
  }

  @Test
  void a_scheduled_job_that_gets_another_due_time_keeps_its_rank() {
    jobs.insert("s", "run_at", "{now} + interval '1 h'");

    requeue(new Requeue(null, jobs.in(SECOND), true), "s");

    assertThat(jobs.job("s").spec().runAt()).isEqualTo(jobs.in(SECOND));
    assertThat(jobs.column("rank_at", "s")).isNull();
  }

  @Test
  void a_job_with_a_limit_key_goes_to_its_gate() {
    jobs.insertDead("a", SECOND);
    jobs.insertDead("b", SECOND);
    jobs.update("UPDATE {jobs} SET limit_key = 'k'");

    JobAdmin.Requeues answer = requeue(Requeue.NOW, "a");
    requeue(new Requeue(null, jobs.in(SECOND), true), "b");

    assertThat(answer.effects()).isEqualTo(new Effects(Set.of(new QueueKey("q", "k")), Set.of()));
    assertThat(jobs.job("a").state()).isEqualTo(JobState.GATED);
    assertThat(jobs.column("gate_at = {now}", "a")).isEqualTo("t");
    assertThat(jobs.column("gate_at = {now} + interval '1 s'", "b")).isEqualTo("t");
  }

  @Test
  void others_are_refused_and_left_alone() {
    jobs.insert("ready", "", "");
    jobs.insert("due", "run_at", "{now}");
    jobs.insert(
        "gated", "run_at, gate_at, limit_key", "'9999-12-31 23:59:59.999999+00', {now}, 'k'");
    jobs.insert("run", "status, lease_token, lease_expires_at", "'inflight', 'x', {now}");
    jobs.insert("done", "status, outcome", "'done', 'succeeded'");
    jobs.insert("theirs", "status", "'done'");
    jobs.insertDead("dead", SECOND);
    String all = "SELECT string_agg(j::text, ' ' ORDER BY id) FROM {jobs} AS j";
    String before = jobs.query(all);

    JobAdmin.Requeues answer =
        requeue(new Requeue("elsewhere", null, true), "dead", "nobody", "ready");
    JobAdmin.Requeues live = requeue(Requeue.NOW, "ready", "due", "gated", "run", "done", "theirs");

    assertThat(answer.requeued())
        .extracting(Requeued::error)
        .containsExactly(JobError.QUEUE_MISMATCH, JobError.JOB_NOT_FOUND, JobError.QUEUE_MISMATCH);
    assertThat(live.requeued())
        .extracting(Requeued::error)
        .containsOnly(JobError.JOB_NOT_REQUEUEABLE);
    assertThat(live.effects()).isEqualTo(Effects.NONE);
    assertThat(jobs.query(all)).isEqualTo(before);
  }

  /** The statement sees the job as it was, and has to judge it as it is. */
  @Test
  void a_job_that_changed_while_its_row_was_waited_for_is_judged_as_it_is() throws Exception {
    jobs.insert("a", "status, lease_token, lease_expires_at", "'inflight', 'x', {now}");
    try (Connection other = TestDatabase.begin()) {
      TransactionsTest.run(
          other,
          jobs.filled(
              "UPDATE {jobs} SET status = 'dlq', dlq_failed_at = {now}, lease_token = NULL,"
                  + " lease_expires_at = NULL"));
      CompletableFuture<JobAdmin.Requeues> answer =
          CompletableFuture.supplyAsync(() -> requeue(Requeue.NOW, "a"));
      JobStage.awaitWaiter();

      other.commit();

      assertThat(answer.get(20, TimeUnit.SECONDS).requeued())
          .containsExactly(new Requeued("a", null));
      assertThat(jobs.job("a").state()).isEqualTo(JobState.READY);
    }
  }

  private void tenDead() {
    for (int i = 9; i >= 0; i--) {
      jobs.insertDead("d" + i, Duration.ofSeconds(10 - i));
    }
  }

  @Test
  void the_oldest_dead_letters_return_spread_over_time() {
    tenDead();

    JobAdmin.Revived answer =
        jobs.admin.requeueDead(DeadQuery.of("q").limit(4), true, Duration.ofSeconds(10), CALL);

    assertThat(answer.bulk()).isEqualTo(new Bulk(4, true));
    assertThat(answer.effects()).isEqualTo(new Effects(Set.of(), Set.of("q")));
    assertThat(jobs.job("d0").spec().runAt()).isNull();
    assertThat(jobs.job("d1").spec().runAt()).isEqualTo(jobs.in(Duration.ofMillis(2500)));
    assertThat(jobs.job("d3").spec().runAt()).isEqualTo(jobs.in(Duration.ofMillis(7500)));
    assertThat(jobs.job("d4").state()).isEqualTo(JobState.DLQ);
    assertThat(jobs.job("d1").history().attempts()).isZero();
  }

  @Test
  void with_limit_keys_they_return_to_their_gates() {
    tenDead();
    jobs.update("UPDATE {jobs} SET limit_key = 'k'");

    JobAdmin.Revived answer =
        jobs.admin.requeueDead(DeadQuery.of("q"), false, Duration.ofSeconds(10), CALL);

    assertThat(answer.bulk()).isEqualTo(new Bulk(10, false));
    assertThat(answer.effects()).isEqualTo(new Effects(Set.of(new QueueKey("q", "k")), Set.of()));
    assertThat(jobs.column("gate_at = {now} + interval '1 s'", "d1")).isEqualTo("t");
    assertThat(jobs.job("d1").history().attempts()).isEqualTo(3);
  }

  @Test
  void dead_letters_are_chosen_by_type_reason_and_time() {
    tenDead();
    jobs.update(
        "UPDATE {jobs} SET type = 'mail', dlq_reason = 'timeout after 5s' WHERE id >= 'd5'");
    jobs.update("UPDATE {jobs} SET dlq_reason = NULL WHERE id = 'd6'");

    DeadQuery query =
        DeadQuery.of("q")
            .type("mail")
            .reason("timeout")
            .died(jobs.now().minusSeconds(5), jobs.now().minusSeconds(2));

    assertThat(jobs.admin.purgeDead(query.limit(1), CALL)).isEqualTo(new Bulk(1, true));
    assertThat(jobs.admin.purgeDead(query.limit(1), CALL)).isEqualTo(new Bulk(1, false));
    assertThat(jobs.admin.purgeDead(query, CALL)).isEqualTo(new Bulk(0, false));
    assertThat(jobs.query("SELECT string_agg(id, ' ' ORDER BY id) FROM {jobs}"))
        .isEqualTo("d0 d1 d2 d3 d4 d6 d8 d9");
  }

  @Test
  void rows_that_somebody_works_on_are_passed_by() throws SQLException {
    tenDead();
    try (Connection other = TestDatabase.begin()) {
      TransactionsTest.run(other, jobs.filled("SELECT FROM {jobs} WHERE id < 'd8' FOR UPDATE"));

      assertThat(
              jobs.admin.requeueDead(DeadQuery.of("q").limit(1), true, Duration.ZERO, CALL).bulk())
          .isEqualTo(new Bulk(1, true));
      assertThat(jobs.admin.purgeDead(DeadQuery.of("q"), CALL)).isEqualTo(new Bulk(1, false));
      other.rollback();
    }
    assertThat(jobs.job("d8").state()).isEqualTo(JobState.READY);
  }

  @Test
  void a_pause_stays_as_it_began_until_it_is_ended() {
    Instant first = jobs.now();
    jobs.admin.pause("q", "ann", CALL);
    jobs.advance(SECOND);
    jobs.admin.pause("q", "bob", CALL);

    assertThat(jobs.admin.queues("q", CALL).get(0).pausedAt()).isEqualTo(first);
    assertThat(jobs.query("SELECT paused_by FROM {queues}")).isEqualTo("ann");
    jobs.admin.resume("q", CALL);
    jobs.admin.resume("unknown", CALL);
    assertThat(jobs.admin.queues("q", CALL).get(0).pausedAt()).isNull();
    assertThat(jobs.query("SELECT count(*) FROM {queues}")).isEqualTo("1");
  }

  @Test
  void queues_are_those_set_up_and_those_with_jobs_by_name() {
    for (String queue : List.of("b", "a", "Z", "é", "b")) {
      jobs.update(
          "INSERT INTO {jobs} (id, type, queue, payload, created_at) VALUES (gen_random_uuid(), 't', '%s', '', now())"
              .formatted(queue));
    }
    jobs.limits.configure(JobQueueConfig.of("aa").limit("y", 2).limit("X", 1), CALL);

    List<JobQueueInfo> queues = jobs.admin.queues(null, CALL);

    assertThat(queues).extracting(JobQueueInfo::queue).containsExactly("Z", "a", "aa", "b", "é");
    assertThat(queues.get(2).limits())
        .containsExactly(new JobQueueConfig.KeyLimit("X", 1), new JobQueueConfig.KeyLimit("y", 2));
    assertThat(queues.get(0).settings()).isEqualTo(JobQueueSettings.DEFAULTS);
    assertThat(jobs.admin.queues("nobody", CALL))
        .containsExactly(new JobQueueInfo("nobody", null, JobQueueSettings.DEFAULTS, List.of()));
  }

  @Test
  void stats_count_every_state_and_the_last_minute() {
    jobs.insert("r", "rank_at", "{now} - interval '9 s'");
    jobs.insert("due", "run_at", "{now} - interval '1 h'");
    jobs.insert("later", "run_at", "{now} + interval '1 us'");
    jobs.insert(
        "gated", "run_at, gate_at, limit_key", "'9999-12-31 23:59:59.999999+00', {now}, 'k'");
    jobs.insert("run", "status, lease_token, lease_expires_at", "'inflight', 'x', {now}");
    jobs.insert("done", "status, finished_at", "'done', {now} - interval '59 s'");
    jobs.insert("done1", "status, finished_at", "'done', {now} - interval '60 s'");
    jobs.insert("done2", "status, finished_at, outcome", "'done', {now}, 'cancelled'");
    jobs.insertDead("dead1", Duration.ofSeconds(61));
    jobs.insertDead("dead2", SECOND);

    JobStats stats = jobs.admin.stats("q", CALL);

    assertThat(stats.counts())
        .isEqualTo(
            Map.of(
                JobState.READY, count(2),
                JobState.SCHEDULED, count(1),
                JobState.GATED, count(1),
                JobState.INFLIGHT, count(1),
                JobState.DONE, count(3),
                JobState.DLQ, count(2)));
    assertThat(stats.oldestReady()).isEqualTo(jobs.now().minusSeconds(9));
    assertThat(stats.oldestDead()).isEqualTo(jobs.now().minusSeconds(61));
    assertThat(stats.finishedLastMinute()).isEqualTo(count(1));
    assertThat(stats.diedLastMinute()).isEqualTo(count(1));
    assertThat(jobs.admin.stats("nobody", CALL).oldestReady()).isNull();
  }

  private static JobStats.Count count(int value) {
    return new JobStats.Count(value, false);
  }

  @Test
  void stats_say_when_they_stopped_counting() {
    jobs.update(
        """
        INSERT INTO {jobs} (id, type, queue, payload, created_at, status, finished_at)
        SELECT i, 't', CASE WHEN i > 10000 THEN 'q' ELSE 'full' END, '', {now}, 'done', {now}
          FROM generate_series(0, 20000) AS i
        """);

    assertThat(jobs.admin.stats("full", CALL).counts().get(JobState.DONE))
        .isEqualTo(new JobStats.Count(10_000, true));
    assertThat(jobs.admin.stats("q", CALL).finishedLastMinute())
        .isEqualTo(new JobStats.Count(10_000, false));
  }

  @Test
  void workers_are_shown_by_id() {
    jobs.update(
        "INSERT INTO {workers} VALUES ('b', 'h', ARRAY['q', 'r'], ARRAY['t'], 4, {now}, {now}),"
            + " ('a', 'h', '{}', '{}', 1, {now}, {now} + interval '1 s')");

    assertThat(jobs.admin.workers(CALL))
        .extracting(w -> w.id() + w.queues() + w.types() + w.slots() + w.seenAt())
        .containsExactly("a[][]1" + jobs.now().plusSeconds(1), "b[q, r][t]4" + jobs.now());
  }
}
