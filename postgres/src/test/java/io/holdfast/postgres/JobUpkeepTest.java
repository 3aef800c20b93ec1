package io.holdfast.postgres;

import static io.holdfast.postgres.JobStage.CALL;
import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.job.JobQueueConfig;
import io.holdfast.testkit.Guarantee;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What is done in the background. */
@Timeout(60)
class JobUpkeepTest {
  private final JobStage jobs = JobStage.manual();

  @AfterEach
  void close() {
    jobs.close();
  }

  private String ids() {
    return String.valueOf(jobs.query("SELECT string_agg(id, ' ' ORDER BY id) FROM {jobs}"));
  }

  private void done(String id, String queue, Duration ago) {
    jobs.insert(
        id,
        "status, outcome, finished_at",
        "'done', 'succeeded', " + JobStage.literal(jobs.now().minus(ago)));
    jobs.update("UPDATE {jobs} SET queue = '%s' WHERE id = '%s'".formatted(queue, id));
  }

  @Test
  @Guarantee("J75")
  void only_finished_jobs_that_were_kept_for_long_enough_go() {
    done("old", "q", Duration.ofHours(24));
    done("young", "q", Duration.ofHours(24).minusMillis(1));
    jobs.insert(
        "cancelled", "status, outcome, finished_at", "'done', 'cancelled', {now} - interval '2 d'");
    jobs.insert("unknown", "status", "'done'");
    jobs.insertDead("dead-old", Duration.ofDays(30));
    jobs.insertDead("dead-young", Duration.ofDays(30).minusMillis(1));
    jobs.insert("ready", "rank_at", "{now} - interval '99 d'");
    jobs.insert(
        "run", "status, lease_token, lease_expires_at", "'inflight', 'x', {now} - interval '99 d'");

    assertThat(jobs.upkeep.retain(CALL)).isEqualTo(3);
    assertThat(ids()).isEqualTo("dead-young ready run unknown young");
    assertThat(jobs.upkeep.retain(CALL)).isZero();
  }

  @Test
  void each_queue_keeps_for_as_long_as_it_says() {
    jobs.limits.configure(
        JobQueueConfig.of("short").keepDone(Duration.ofSeconds(1)).keepDead(Duration.ofSeconds(2)),
        CALL);
    jobs.limits.configure(JobQueueConfig.of("long").keepDead(JobQueueConfig.FOR_EVER), CALL);
    done("a", "short", Duration.ofSeconds(1));
    done("b", "q", Duration.ofSeconds(1));
    jobs.insertDead("c", Duration.ofSeconds(2));
    jobs.update("UPDATE {jobs} SET queue = 'short' WHERE id = 'c'");
    jobs.insertDead("d", Duration.ofDays(3_000));
    jobs.update("UPDATE {jobs} SET queue = 'long' WHERE id = 'd'");
    jobs.insertDead("e", Duration.ofDays(40));

    assertThat(jobs.upkeep.retain(CALL)).isEqualTo(3);
    assertThat(ids()).isEqualTo("b d");
  }

  @Test
  void a_step_deletes_a_thousand_and_the_next_ones_the_rest() {
    jobs.update(
        """
        INSERT INTO {jobs} (id, type, queue, payload, created_at, status, finished_at)
        SELECT i, 't', 'q' || i % 3, '', {now}, 'done', {now} - interval '2 d'
          FROM generate_series(1, 1500) AS i
        """);
    jobs.insertDead("dead", Duration.ofDays(40));

    assertThat(jobs.upkeep.retain(CALL)).isEqualTo(1000);
    assertThat(jobs.upkeep.retain(CALL) + jobs.upkeep.retain(CALL)).isEqualTo(501);
    assertThat(jobs.upkeep.retain(CALL)).isZero();
  }

  @Test
  void a_queue_that_never_gets_empty_does_not_hold_up_the_others() {
    jobs.update(
        """
        INSERT INTO {jobs} (id, type, queue, payload, created_at, status, finished_at)
        SELECT i, 't', 'busy', '', {now}, 'done', {now} - interval '2 d' FROM generate_series(1, 2500) AS i
        """);
    done("other", "zz", Duration.ofDays(2));

    assertThat(jobs.upkeep.retain(CALL)).isEqualTo(1000);
    assertThat(jobs.upkeep.retain(CALL)).isEqualTo(1);
    assertThat(jobs.query("SELECT count(*) FROM {jobs} WHERE queue = 'zz'")).isEqualTo("0");
    assertThat(jobs.upkeep.retain(CALL)).isEqualTo(1000);
    assertThat(jobs.upkeep.retain(CALL)).as("nothing is left behind it").isEqualTo(500);
    assertThat(jobs.upkeep.retain(CALL)).isZero();
  }

  @Test
  void rows_that_somebody_works_on_are_left_to_the_next_step() throws SQLException {
    done("a", "q", Duration.ofDays(2));
    done("b", "q", Duration.ofDays(2));
    try (Connection other = TestDatabase.begin()) {
      TransactionsTest.run(other, jobs.filled("SELECT FROM {jobs} WHERE id = 'a' FOR UPDATE"));

      assertThat(jobs.upkeep.retain(CALL)).isEqualTo(1);
      other.rollback();
    }
    assertThat(jobs.upkeep.retain(CALL)).isEqualTo(1);
  }

  @Test
  @Guarantee({"JP7", "J19"})
  void what_another_worker_finished_is_noted_kept_and_then_removed() {
    jobs.enqueue("a", job -> job.once("k"));
    jobs.update("UPDATE {jobs} SET status = 'done'");
    done("ours", "q", Duration.ZERO);

    assertThat(jobs.upkeep.adopt(CALL)).isEqualTo(1);
    assertThat(jobs.upkeep.adopt(CALL)).isZero();
    assertThat(jobs.job("a").history().end().finishedAt()).isEqualTo(jobs.now());
    jobs.advance(Duration.ofHours(24).minusMillis(1));
    assertThat(jobs.upkeep.retain(CALL)).isZero();
    assertThat(jobs.enqueue("b", job -> job.once("k")).jobs().get(0).existed()).isTrue();
    jobs.advance(Duration.ofMillis(1));

    assertThat(jobs.upkeep.retain(CALL)).isEqualTo(2);
    assertThat(jobs.enqueue("b", job -> job.once("k")).jobs().get(0).existed()).isFalse();
  }

  @Test
  void a_thousand_are_noted_at_once_in_all_queues() {
    jobs.update(
        """
        INSERT INTO {jobs} (id, type, queue, payload, created_at, status)
        SELECT i, 't', 'q' || i % 3, '', {now}, 'done' FROM generate_series(1, 1100) AS i
        """);

    assertThat(jobs.upkeep.adopt(CALL)).isEqualTo(1000);
    assertThat(jobs.upkeep.adopt(CALL)).isEqualTo(100);
    assertThat(jobs.query("SELECT count(*) FROM {jobs} WHERE finished_at = {now}"))
        .isEqualTo("1100");
  }

  @Test
  void workers_that_have_not_been_seen_for_ten_minutes_are_forgotten() {
    jobs.update(
        "INSERT INTO {workers} VALUES ('old', 'h', '{}', '{}', 1, {now}, {now} - interval '601 s'),"
            + " ('new', 'h', '{}', '{}', 1, {now}, {now} - interval '600 s')");

    assertThat(jobs.upkeep.forgetWorkers(CALL)).isEqualTo(1);
    assertThat(jobs.query("SELECT worker_id FROM {workers}")).isEqualTo("new");
  }

  @Test
  void keys_without_jobs_that_wait_or_run_are_forgotten() {
    jobs.enqueue("gated", job -> job.limitedBy("gated"));
    jobs.insert("held", "limit_key", "'held'");
    jobs.insert("done", "limit_key, status", "'idle', 'done'");
    jobs.update(
        "INSERT INTO {keys} (queue, limit_key) VALUES ('q', 'gated'), ('q', 'held'), ('q', 'idle')");
    jobs.update(
        "INSERT INTO {keys} (queue, limit_key) SELECT 'r', i FROM generate_series(1, 1500) AS i");

    jobs.upkeep.forgetWorkers(CALL);
    assertThat(jobs.query("SELECT count(*) FROM {keys}")).isEqualTo("505");
    jobs.upkeep.forgetWorkers(CALL);

    assertThat(jobs.query("SELECT string_agg(limit_key, ' ' ORDER BY limit_key) FROM {keys}"))
        .isEqualTo("gated held");
  }
}
