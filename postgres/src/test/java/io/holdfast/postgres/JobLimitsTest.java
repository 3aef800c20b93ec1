package io.holdfast.postgres;

import static io.holdfast.postgres.JobStage.CALL;
import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.job.Effects;
import io.holdfast.job.JobQueueConfig;
import io.holdfast.job.JobQueueInfo;
import io.holdfast.job.JobQueueSettings;
import io.holdfast.job.JobState;
import io.holdfast.job.JobUpkeep;
import io.holdfast.job.LeasedJob;
import io.holdfast.job.QueueKey;
import io.holdfast.job.Settlement;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Settings of queues, and who passes under the limits of keys. */
@Timeout(60)
class JobLimitsTest {
  private static final QueueKey K = new QueueKey("q", "k");

  private final JobStage jobs = JobStage.manual();

  @AfterEach
  void close() {
    jobs.close();
  }

  private void gate(String... ids) {
    for (String id : ids) {
      jobs.enqueue(id, job -> job.limitedBy("k"));
      jobs.advance(Duration.ofMillis(1));
    }
  }

  private Effects admit() {
    return jobs.limits.admit(Set.of(K), CALL);
  }

  private void limit(int most) {
    jobs.limits.configure(JobQueueConfig.of("q").limit("k", most), CALL);
  }

  /** Who has a slot. */
  private String held() {
    return String.valueOf(
        jobs.query(
            "SELECT string_agg(id, ' ' ORDER BY id) FROM {jobs} WHERE limit_key = 'k'"
                + " AND gate_at IS NULL AND status IN ('ready', 'inflight')"));
  }

  @Test
  void what_is_not_given_stays() {
    JobQueueInfo first =
        jobs.limits.configure(
            JobQueueConfig.of("q")
                .keepDone(Duration.ofMillis(1500).plusNanos(999_999))
                .keepDead(JobQueueConfig.FOR_EVER)
                .defaultLimitKey("k")
                .limit("k", 3)
                .limit("*", 1),
            CALL);
    JobQueueInfo second =
        jobs.limits.configure(JobQueueConfig.of("q").deliveryLimit(7).limit("*", null), CALL);
    JobQueueInfo third =
        jobs.limits.configure(
            JobQueueConfig.of("q").keepDead(Duration.ofDays(1)).defaultLimitKey(""), CALL);

    assertThat(first.settings())
        .isEqualTo(new JobQueueSettings(Duration.ofMillis(1500), null, 20, "k"));
    assertThat(first.limits())
        .containsExactly(new JobQueueConfig.KeyLimit("*", 1), new JobQueueConfig.KeyLimit("k", 3));
    assertThat(second.settings())
        .isEqualTo(new JobQueueSettings(Duration.ofMillis(1500), null, 7, "k"));
    assertThat(second.limits()).containsExactly(new JobQueueConfig.KeyLimit("k", 3));
    assertThat(third.settings())
        .isEqualTo(new JobQueueSettings(Duration.ofMillis(1500), Duration.ofDays(1), 7, null));
    assertThat(jobs.admin.queues("q", CALL)).containsExactly(third);
  }

  @Test
  void a_new_queue_gets_the_defaults_of_what_is_not_given() {
    assertThat(jobs.limits.configure(JobQueueConfig.of("new"), CALL).settings())
        .isEqualTo(JobQueueSettings.DEFAULTS);
    assertThat(
            jobs.limits
                .configure(JobQueueConfig.of("long").keepDone(JobQueueConfig.FOR_EVER), CALL)
                .settings()
                .doneKeep())
        .isGreaterThan(Duration.ofDays(300_000));
    assertThat(jobs.upkeep.retain(CALL)).isZero();
  }

  @Test
  void as_many_pass_as_there_are_slots_oldest_first() {
    limit(2);
    gate("c", "b", "a");

    assertThat(admit()).isEqualTo(new Effects(Set.of(), Set.of("q")));
    assertThat(held()).isEqualTo("b c");
    assertThat(admit()).isEqualTo(Effects.NONE);
    assertThat(jobs.job("a").state()).isEqualTo(JobState.GATED);
  }

  @Test
  void without_a_limit_all_pass() {
    gate("a", "b");

    admit();

    assertThat(held()).isEqualTo("a b");
  }

  @Test
  void a_key_has_its_own_limit_before_that_of_every_other() {
    jobs.limits.configure(JobQueueConfig.of("q").limit("*", 1).limit("k", 2), CALL);
    gate("a", "b", "c");
    jobs.enqueue("x", job -> job.limitedBy("other"));
    jobs.enqueue("y", job -> job.limitedBy("other"));

    jobs.limits.admit(Set.of(K, new QueueKey("q", "other")), CALL);

    assertThat(held()).isEqualTo("a b");
    assertThat(
            jobs.query("SELECT count(*) FROM {jobs} WHERE limit_key = 'other' AND gate_at IS NULL"))
        .isEqualTo("1");
  }

  @Test
  void a_limit_of_none_lets_nobody_pass_and_a_lowered_one_takes_nothing_back() {
    limit(0);
    gate("a", "b");
    admit();
    assertThat(held()).isEqualTo("null");

    limit(2);
    admit();
    limit(1);
    admit();

    assertThat(held()).isEqualTo("a b");
  }

  @Test
  void a_due_time_survives_the_gate() {
    jobs.enqueue("late", job -> job.limitedBy("k").runIn(Duration.ofSeconds(5)));
    admit();
    assertThat(jobs.job("late").state()).isEqualTo(JobState.GATED);

    jobs.advance(Duration.ofSeconds(5));
    admit();

    assertThat(jobs.job("late").state()).isEqualTo(JobState.READY);
    assertThat(jobs.column("run_at = {now}", "late")).isEqualTo("t");
    gate("now");
    admit();
    assertThat(jobs.job("now").spec().runAt()).isNull();
  }

  @Test
  void a_settled_job_gives_its_slot_to_the_oldest_waiter() {
    limit(1);
    gate("a", "b", "c");
    admit();
    LeasedJob first = jobs.reserve(9).get(0);

    Set<QueueKey> keys = jobs.ack(first).effects().keys();
    jobs.limits.admit(keys, CALL);

    assertThat(first.id()).isEqualTo("a");
    assertThat(held()).isEqualTo("b");
    LeasedJob second = jobs.reserve(9).get(0);
    jobs.hot.settle(List.of(Settlement.Retry.in(second.held(), null, "no")), CALL);
    admit();
    assertThat(held()).as("a retried job goes to the end").isEqualTo("c");
  }

  @Test
  void a_lost_worker_keeps_its_slot_and_leaks_none() {
    limit(1);
    gate("a", "b");
    admit();
    jobs.reserve(1);
    jobs.advance(Duration.ofMinutes(1));

    admit();
    assertThat(held()).isEqualTo("a");
    jobs.ack(jobs.reserve(1).get(0));
    admit();

    assertThat(held()).isEqualTo("b");
  }

  @Test
  void more_keys_than_one_transaction_takes_are_admitted_all_the_same() {
    jobs.update(
        """
        INSERT INTO {jobs} (id, type, queue, payload, created_at, run_at, gate_at, limit_key)
        SELECT i, 't', 'q', '', {now}, '9999-12-31 23:59:59.999999+00', {now}, 'k' || i
          FROM generate_series(1, 450) AS i
        """);
    Set<QueueKey> keys = new HashSet<>();
    for (int i = 1; i <= 450; i++) {
      keys.add(new QueueKey("q", "k" + i));
    }

    jobs.limits.admit(keys, CALL);

    assertThat(jobs.query("SELECT count(*) FROM {jobs} WHERE gate_at IS NOT NULL")).isEqualTo("0");
    assertThat(jobs.limits.admit(Set.of(), CALL)).isEqualTo(Effects.NONE);
  }

  @Test
  void at_most_a_thousand_of_a_key_pass_at_once() {
    jobs.update(
        """
        INSERT INTO {jobs} (id, type, queue, payload, created_at, run_at, gate_at, limit_key)
        SELECT i, 't', 'q', '', {now}, '9999-12-31 23:59:59.999999+00', {now}, 'k'
          FROM generate_series(1, 1500) AS i
        """);

    admit();
    assertThat(jobs.query("SELECT count(*) FROM {jobs} WHERE gate_at IS NULL")).isEqualTo("1000");
    assertThat(jobs.upkeep.sweep(CALL).admitted()).isEqualTo(500);
  }

  /** Who counts before he holds the key would not see what the one before him admitted. */
  @Test
  void who_waited_for_a_key_counts_what_the_one_before_him_admitted() throws Exception {
    limit(1);
    gate("a", "b");
    try (Connection other = TestDatabase.begin()) {
      TransactionsTest.run(
          other, jobs.filled("INSERT INTO {keys} (queue, limit_key) VALUES ('q', 'k')"));
      CompletableFuture<Effects> answer = CompletableFuture.supplyAsync(this::admit);
      JobStage.awaitWaiter();
      TransactionsTest.run(
          other, jobs.filled("UPDATE {jobs} SET gate_at = NULL, run_at = NULL WHERE id = 'a'"));

      other.commit();

      assertThat(answer.get(20, TimeUnit.SECONDS)).isEqualTo(Effects.NONE);
      assertThat(held()).isEqualTo("a");
    }
  }

  @Test
  void a_sweep_finds_keys_with_room_and_passes_by_those_that_are_locked() throws SQLException {
    limit(1);
    gate("a", "b");
    jobs.enqueue("x", job -> job.limitedBy("free"));
    jobs.enqueue("later", job -> job.limitedBy("later").runIn(Duration.ofHours(1)));
    admit();
    try (Connection other = TestDatabase.begin()) {
      TransactionsTest.run(
          other, jobs.filled("INSERT INTO {keys} (queue, limit_key) VALUES ('q', 'else')"));
      TransactionsTest.run(
          other, jobs.filled("SELECT FROM {keys} WHERE limit_key = 'k' FOR UPDATE"));
      jobs.update("DELETE FROM {jobs} WHERE id = 'a'");

      assertThat(jobs.upkeep.sweep(CALL))
          .isEqualTo(new JobUpkeep.Swept(1, new Effects(Set.of(), Set.of("q"))));
      other.rollback();
    }
    assertThat(held()).isEqualTo("null");
    assertThat(jobs.upkeep.sweep(CALL).admitted()).isEqualTo(1);
    assertThat(held()).isEqualTo("b");
    assertThat(jobs.upkeep.sweep(CALL)).isEqualTo(new JobUpkeep.Swept(0, Effects.NONE));
  }

  @Test
  void sweeps_go_on_behind_each_other_until_every_key_had_its_turn() {
    jobs.update(
        """
        INSERT INTO {jobs} (id, type, queue, payload, created_at, run_at, gate_at, limit_key)
        SELECT i, 't', 'q' || i % 3, '', {now}, '9999-12-31 23:59:59.999999+00',
               {now} + CASE WHEN i % 2 = 0 THEN interval '1 h' ELSE interval '0' END, 'k' || i
          FROM generate_series(1, 1000) AS i
        """);

    assertThat(jobs.upkeep.sweep(CALL).admitted()).isEqualTo(200);
    assertThat(jobs.upkeep.sweep(CALL).admitted()).isEqualTo(200);
    assertThat(jobs.upkeep.sweep(CALL).admitted()).isEqualTo(100);
    assertThat(jobs.upkeep.sweep(CALL).admitted()).isZero();
  }
}
