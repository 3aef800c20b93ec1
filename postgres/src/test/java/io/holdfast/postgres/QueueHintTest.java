package io.holdfast.postgres;

import static io.holdfast.postgres.QueueFixture.CALL;
import static io.holdfast.postgres.QueueFixture.leaseIds;
import static io.holdfast.postgres.QueueFixture.leaseTexts;
import static io.holdfast.postgres.QueueFixture.produce;
import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.queue.ItemIds;
import io.holdfast.queue.Partition;
import io.holdfast.queue.QueueInfo;
import io.holdfast.queue.QueueUpdate;
import io.holdfast.testkit.Guarantee;
import io.holdfast.testkit.ManualTime;
import java.sql.Connection;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Claims begin where the last one ended, and nothing is overlooked for long. */
@Timeout(60)
class QueueHintTest {
  private static final Instant NOW = Instant.parse("2026-11-16T00:00:00Z");
  private static final String RECENT = digits(NOW.minusMillis(50));
  private static final String OLD = digits(NOW.minusSeconds(10));
  private static final String OLDER = digits(NOW.minusSeconds(20));

  private static String digits(Instant at) {
    return ItemIds.digits(ItemIds.prefix(at));
  }

  @Nested
  class Alone {
    private final ManualTime time = new ManualTime();
    private final ClaimHint hint = new ClaimHint(time);

    @Test
    void the_first_claim_begins_at_the_beginning_and_the_next_where_it_found_something() {
      ClaimHint.Look first = hint.begin();
      assertThat(first.from()).isEmpty();
      first.claimed(OLD, NOW);

      assertThat(hint.begin().from()).isEqualTo(OLD);
    }

    @Test
    void it_stays_behind_the_present() {
      hint.begin().claimed(digits(NOW), NOW);
      assertThat(hint.current()).isEqualTo(RECENT);

      hint.begin().claimed(null, NOW);
      assertThat(hint.current()).isEqualTo(RECENT);
    }

    @Test
    void an_insert_during_a_claim_holds_the_claim_back() {
      hint.begin().claimed(OLDER, NOW);
      ClaimHint.Look claim = hint.begin();

      hint.lower(OLD);
      claim.claimed(null, NOW);

      assertThat(hint.current()).isEqualTo(OLD);
    }

    @Test
    void an_insert_after_a_claim_lowers_it() {
      hint.begin().claimed(null, NOW);

      hint.lower(OLD);

      assertThat(hint.current()).isEqualTo(OLD);
      hint.lower(RECENT);
      assertThat(hint.current()).isEqualTo(OLD);
    }

    @Test
    void a_reset_spoils_the_claims_under_way() {
      ClaimHint.Look claim = hint.begin();

      hint.reset();
      claim.claimed(OLD, NOW);

      assertThat(hint.current()).isEmpty();
    }

    @Test
    void a_failed_claim_resets_it() {
      hint.begin().claimed(OLD, NOW);

      hint.begin().failed();

      assertThat(hint.current()).isEmpty();
    }

    @Test
    void one_claim_per_second_begins_at_the_beginning() {
      hint.begin().claimed(OLD, NOW);
      time.advanceMs(999);
      assertThat(hint.begin().isUnhinted()).isFalse();
      time.advanceMs(1);

      ClaimHint.Look claim = hint.begin();

      assertThat(claim.isUnhinted()).isTrue();
      assertThat(claim.from()).isEmpty();
      assertThat(hint.begin().isUnhinted()).isFalse();
    }

    @Test
    void a_slow_claim_from_the_beginning_is_rarer() {
      ClaimHint.Look slow = hint.begin();
      time.advanceMs(200);
      slow.claimed(OLD, NOW);
      time.advanceMs(3999);
      assertThat(hint.begin().isUnhinted()).isFalse();
      time.advanceMs(1);
      ClaimHint.Look slower = hint.begin();
      assertThat(slower.isUnhinted()).isTrue();
      time.advanceMs(10_000);
      slower.claimed(OLD, NOW);

      time.advanceMs(29_999);
      assertThat(hint.begin().isUnhinted()).isFalse();
      time.advanceMs(1);
      assertThat(hint.begin().isUnhinted()).isTrue();
    }
  }

  @Nested
  class InThePartition {
    @Test
    @Guarantee("QF12")
    void a_late_commit_of_another_process_is_found_within_the_interval() throws Exception {
      try (QueueFixture queues = QueueFixture.manual();
          Connection late = TestDatabase.begin()) {
        Partition partition = queues.open(queues.queue("orders"));
        produce(partition, "first");
        leaseIds(partition, 1);
        insert(late, queues, "late");
        queues.advance(Duration.ofMillis(500));
        produce(partition, "second");
        assertThat(leaseTexts(partition, 9)).containsExactly("second");
        assertThat(partition.lease(9, CALL)).isEmpty();

        late.commit();

        assertThat(partition.lease(9, CALL)).isEmpty();
        queues.advance(Duration.ofMillis(500));
        assertThat(leaseTexts(partition, 9)).containsExactly("late");
      }
    }

    private void insert(Connection connection, QueueFixture queues, String text) throws Exception {
      TransactionsTest.run(
          connection,
          """
          INSERT INTO %s (id, expire_deadline, created_at, payload)
          VALUES ('%s', 'infinity', now(), '%s')
          """
              .formatted(
                  queues.table("orders", 0),
                  ItemIds.digits(ItemIds.prefix(queues.now()) + 1) + "00000000000000000",
                  text));
    }

    @Test
    @Guarantee("QF12")
    void a_hint_of_the_inserting_process_finds_it_at_once() throws Exception {
      try (QueueFixture queues = QueueFixture.manual();
          Connection late = TestDatabase.begin()) {
        PostgresPartition partition = queues.open(queues.queue("orders"));
        String first = produce(partition, "first").get(0);
        leaseIds(partition, 1);
        insert(late, queues, "late");
        queues.advance(Duration.ofMillis(500));
        assertThat(partition.lease(9, CALL)).isEmpty();
        late.commit();

        partition.hinted(first);

        assertThat(leaseTexts(partition, 9)).containsExactly("late");
      }
    }

    @Test
    @Guarantee("QF3")
    void a_new_version_of_the_queue_or_a_reset_begins_afresh() {
      try (QueueFixture queues = QueueFixture.manual()) {
        QueueInfo orders = queues.queue("orders");
        PostgresPartition partition = queues.open(orders);
        produce(partition, "a");
        leaseIds(partition, 1);
        assertThat(partition.context().hint.current()).isNotEmpty();

        partition.updateQueueInfo(orders);
        assertThat(partition.context().hint.current()).isNotEmpty();
        partition.updateQueueInfo(
            queues.catalog().update("orders", QueueUpdate.NOTHING.maxAttempts(3), CALL));
        assertThat(partition.context().hint.current()).isEmpty();

        leaseIds(partition, 1);
        partition.reset();
        assertThat(partition.context().hint.current()).isEmpty();
      }
    }

    @Test
    @Guarantee({"QF4", "Q24"})
    void two_processes_claim_disjoint_sets() {
      try (QueueFixture queues = QueueFixture.manual()) {
        QueueInfo orders = queues.queue("orders");
        Partition here = queues.open(orders);
        Partition there = queues.open(queues.process(), orders, 0);
        List<String> ids = produce(here, "a", "b", "c", "d", "e", "f");

        List<String> mine = leaseIds(here, 2);
        List<String> yours = leaseIds(there, 3);
        List<String> rest = leaseIds(here, 9);

        assertThat(mine).isEqualTo(ids.subList(0, 2));
        assertThat(yours).isEqualTo(ids.subList(2, 5));
        assertThat(rest).isEqualTo(ids.subList(5, 6));
      }
    }
  }
}
