package io.holdfast.postgres;

import static io.holdfast.postgres.QueueFixture.CALL;
import static io.holdfast.postgres.QueueFixture.leaseIds;
import static io.holdfast.postgres.QueueFixture.leaseTexts;
import static io.holdfast.postgres.QueueFixture.produce;
import static io.holdfast.postgres.QueueFixture.sweep;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.queue.Changes;
import io.holdfast.queue.Fault;
import io.holdfast.queue.ItemLifecycle.Due;
import io.holdfast.queue.ItemLifecycle.Kind;
import io.holdfast.queue.LeasedItem;
import io.holdfast.queue.NewItem;
import io.holdfast.queue.NewQueue;
import io.holdfast.queue.Partition;
import io.holdfast.queue.QueueInfo;
import io.holdfast.queue.Retry;
import io.holdfast.queue.StoredItem;
import io.holdfast.testkit.Guarantee;
import io.holdfast.testkit.ManualTime;
import java.sql.Connection;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What time does to items. */
@Timeout(60)
class QueueSweepTest {
  private final QueueFixture queues = QueueFixture.manual();

  @AfterEach
  void close() {
    queues.close();
  }

  @Test
  @Guarantee({"QF5", "Q35", "Q46", "Q47", "Q57"})
  void an_expired_lease_sends_the_item_to_the_tail_under_a_new_id() {
    Partition partition = queues.open(queues.queue("orders"));
    List<String> ids = produce(partition, "a", "b");
    leaseIds(partition, 1);
    queues.advance(Duration.ofMinutes(1));

    List<Due> due = partition.scanActions(10, CALL);
    Changes changes = partition.takeAction(due, CALL);

    assertThat(due).extracting(Due::kind).containsExactly(Kind.LEASE_EXPIRED);
    assertThat(changes.ready()).isEqualTo(1);
    assertThat(partition.complete(List.of(List.of(ids.get(0))), CALL).faults())
        .containsExactly(new Fault(ids.get(0), Fault.Reason.NOT_FOUND));
    String fresh = String.valueOf(changes.firstReady());
    assertThat(partition.complete(List.of(List.of(fresh)), CALL).faults())
        .containsExactly(new Fault(fresh, Fault.Reason.NOT_LEASED));
    List<LeasedItem> items = partition.lease(9, CALL);
    assertThat(items).extracting(LeasedItem::text).containsExactly("b", "a");
    assertThat(items).extracting(LeasedItem::attempts).containsExactly(1, 2);
  }

  @Test
  @Guarantee("QF5")
  void a_sweep_that_lost_against_a_complete_or_extend_does_nothing() {
    Partition partition = queues.open(queues.queue("orders"));
    List<String> ids = produce(partition, "a", "b");
    leaseIds(partition, 2);
    queues.advance(Duration.ofMinutes(1));
    List<Due> due = partition.scanActions(10, CALL);
    partition.complete(List.of(ids.subList(0, 1)), CALL);
    TestDatabase.execute(
        "UPDATE "
            + queues.table("orders", 0)
            + " SET lease_deadline = lease_deadline - interval '1s'");

    Changes changes = partition.takeAction(due, CALL);

    assertThat(due).hasSize(2);
    assertThat(changes).isEqualTo(Changes.NONE);
    assertThat(partition.complete(List.of(ids.subList(1, 2)), CALL).faults().get(0)).isNull();
  }

  @Test
  @Guarantee("QF5")
  void a_row_that_somebody_is_settling_is_left_to_him() throws Exception {
    Partition partition = queues.open(queues.queue("orders"));
    produce(partition, "a");
    leaseIds(partition, 1);
    queues.advance(Duration.ofMinutes(1));
    List<Due> due = partition.scanActions(10, CALL);

    try (Connection settling = TestDatabase.begin()) {
      TransactionsTest.run(settling, "DELETE FROM " + queues.table("orders", 0));
      assertThat(partition.takeAction(due, CALL)).isEqualTo(Changes.NONE);
      settling.commit();
    }

    assertThat(partition.scanActions(10, CALL)).isEmpty();
  }

  @Test
  @Guarantee({"QF10", "Q48", "Q49", "Q50"})
  void the_last_permitted_lease_runs_out_before_the_item_is_exhausted() {
    QueueInfo dead = queues.queue("dead");
    QueueInfo orders = queues.add(NewQueue.named("orders").deadQueue("dead").maxAttempts(1));
    Partition partition = queues.open(orders);
    String id = produce(partition, "a").get(0);
    leaseIds(partition, 1);
    sweep(partition);
    assertThat(queues.rows("orders", 0)).isEqualTo(1);
    queues.advance(Duration.ofMinutes(1));

    List<Due> due = partition.scanActions(10, CALL);
    Changes changes = partition.takeAction(due, CALL);

    assertThat(due).extracting(Due::kind).containsExactly(Kind.MAX_ATTEMPTS);
    assertThat(changes.removed()).isEqualTo(1);
    assertThat(changes.dead()).hasSize(1);
    StoredItem letter = queues.open(dead).list("", 9, CALL).get(0);
    assertThat(letter.origin()).isEqualTo(new StoredItem.Origin(id, "orders", "exhausted"));
    assertThat(letter.attempts()).isZero();
    assertThat(changes.dead().get(0)).isEqualTo(new Changes.Arrival("dead", 0, 1, letter.id()));
    assertThat(queues.rows("orders", 0)).isZero();
  }

  @Test
  @Guarantee({"QF9", "Q22", "Q52"})
  void an_expired_waiting_item_is_moved_once() {
    QueueInfo dead = queues.queue("dead");
    QueueInfo orders =
        queues.add(NewQueue.named("orders").expireAfter(Duration.ofMinutes(2)).deadQueue("dead"));
    Partition partition = queues.open(orders);
    produce(partition, "a", "b");
    queues.advance(Duration.ofMinutes(2));
    assertThat(partition.lease(9, CALL)).isEmpty();
    List<Due> due = partition.scanActions(10, CALL);

    Changes first = partition.takeAction(due, CALL);
    Changes second = partition.takeAction(due, CALL);

    assertThat(due).extracting(Due::kind).containsOnly(Kind.ITEM_EXPIRED);
    assertThat(first.unready()).isEqualTo(2);
    assertThat(first.removed()).isEqualTo(2);
    assertThat(second).isEqualTo(Changes.NONE);
    List<StoredItem> letters = queues.open(dead).list("", 9, CALL);
    assertThat(letters).extracting(item -> item.content().text()).containsExactly("a", "b");
    assertThat(letters).extracting(item -> item.origin().deadReason()).containsOnly("expired");
  }

  @Test
  @Guarantee("Q53")
  void an_item_past_its_expiry_stays_with_its_holder_while_the_lease_is_valid() {
    QueueInfo orders = queues.add(NewQueue.named("orders").expireAfter(Duration.ofMinutes(1)));
    Partition partition = queues.open(orders);
    produce(partition, "a");
    queues.advance(Duration.ofSeconds(30));
    List<String> ids = leaseIds(partition, 1);
    queues.advance(Duration.ofSeconds(31));

    assertThat(partition.scanActions(9, CALL)).isEmpty();
    assertThat(
            partition.takeAction(
                List.of(new Due(Kind.ITEM_EXPIRED, ids.get(0), 1, queues.now())), CALL))
        .isEqualTo(Changes.NONE);
    queues.advance(Duration.ofSeconds(29));
    List<Due> due = partition.scanActions(9, CALL);
    assertThat(due).extracting(Due::kind).containsExactly(Kind.ITEM_EXPIRED);
    assertThat(partition.takeAction(due, CALL).removed()).isEqualTo(1);
  }

  @Test
  @Guarantee({"Q54", "Q55", "Q56", "QF11"})
  void scheduled_items_return_in_the_order_of_their_times_then_ids() {
    QueueInfo orders = queues.queue("orders");
    Partition partition = queues.open(orders);
    Instant now = queues.now();
    partition.produce(
        List.of(
            List.of(
                NewItem.text("third").at(now.plusSeconds(20)),
                NewItem.text("first").at(now.plusSeconds(10)),
                NewItem.text("second").at(now.plusSeconds(10)),
                NewItem.text("last").at(now.plusSeconds(40)))),
        CALL);
    sweep(partition);
    assertThat(partition.lease(9, CALL)).isEmpty();
    queues.advance(Duration.ofSeconds(30));
    Partition restarted = queues.open(queues.process(), orders, 0);

    sweep(restarted);

    assertThat(leaseTexts(partition, 9)).containsExactly("first", "second", "third");
    queues.advance(Duration.ofSeconds(10));
    sweep(restarted);
    assertThat(leaseTexts(restarted, 9)).containsExactly("last");
  }

  @Test
  void a_scheduled_item_that_expired_meanwhile_is_dead_lettered() {
    QueueInfo dead = queues.queue("dead");
    Partition partition = queues.open(queues.add(NewQueue.named("orders").deadQueue("dead")));
    Instant at = queues.now().plusSeconds(10);
    partition.produce(List.of(List.of(NewItem.text("a").at(at))), CALL);
    queues.advance(Duration.ofDays(8));

    sweep(partition);

    assertThat(queues.open(dead).list("", 9, CALL))
        .extracting(item -> item.origin().deadReason())
        .containsExactly("expired");
  }

  @Test
  @Guarantee("Q60")
  void a_second_sweeper_leaves_the_partition_to_the_first() throws Exception {
    PostgresPartition partition = queues.open(queues.queue("orders"));
    produce(partition, "a");
    leaseIds(partition, 1);
    queues.advance(Duration.ofMinutes(1));
    List<Due> due = partition.scanActions(10, CALL);

    try (Connection other = TestDatabase.begin()) {
      TransactionsTest.run(
          other,
          "SELECT pg_advisory_xact_lock(1215261797, hashtext('%s'))"
              .formatted(partition.context().sql.table));
      assertThat(partition.takeAction(due, CALL)).isEqualTo(Changes.NONE);
      other.rollback();
    }

    assertThat(partition.takeAction(due, CALL).ready()).isEqualTo(1);
  }

  @Test
  void an_action_of_kind_delete_removes_an_item_in_any_state() {
    Partition partition = queues.open(queues.queue("orders"));
    List<String> ids = produce(partition, "a", "b");
    leaseIds(partition, 1);

    Changes changes =
        partition.takeAction(
            ids.stream().map(id -> new Due(Kind.DELETE, id, 0, null)).toList(), CALL);

    assertThat(changes.removed()).isEqualTo(2);
    assertThat(changes.unready()).isEqualTo(1);
  }

  @Test
  @Guarantee("QF8")
  void a_dead_letter_is_moved_wholly_or_not_at_all() {
    QueueInfo dead = queues.queue("dead");
    Partition partition = queues.open(queues.add(NewQueue.named("orders").deadQueue("dead")));
    List<String> ids = produce(partition, "a", "b");
    leaseIds(partition, 2);
    produce(queues.open(dead), "x");
    TestDatabase.execute(
        "ALTER TABLE " + queues.table("dead", 0) + " ADD CHECK (payload <> 'b'::bytea) NOT VALID");

    List<Retry> both = ids.stream().map(Retry::dead).toList();
    assertThatThrownBy(() -> partition.retry(List.of(both), CALL)).hasMessageContaining("23514");

    assertThat(queues.rows("dead", 0)).isEqualTo(1);
    assertThat(partition.complete(List.of(ids), CALL).faults().get(0)).isNull();
  }

  @Test
  void a_source_id_that_is_there_already_is_not_copied_again() {
    QueueInfo dead = queues.queue("dead");
    Partition partition = queues.open(queues.add(NewQueue.named("orders").deadQueue("dead")));
    String id = produce(partition, "a").get(0);
    leaseIds(partition, 1);
    StoredItem copy =
        new StoredItem(
            "",
            false,
            0,
            0,
            StoredItem.Times.NONE,
            new StoredItem.Origin(id, "orders", "dead"),
            io.holdfast.queue.Content.empty());
    queues.open(dead).add(List.of(copy), CALL);

    Changes changes = partition.retry(List.of(List.of(Retry.dead(id))), CALL).changes();

    assertThat(changes.removed()).isEqualTo(1);
    assertThat(changes.dead()).isEmpty();
    assertThat(queues.rows("dead", 0)).isEqualTo(1);
    assertThat(queues.rows("orders", 0)).isZero();
  }

  @Test
  @Guarantee("Q59")
  void a_scan_begins_at_its_floor_except_once_a_minute() {
    ManualTime time = new ManualTime();
    SweepFloor floor = new SweepFloor(time);
    Instant now = Instant.parse("2026-11-16T00:00:00Z");
    SweepFloor.Scan first = floor.begin();
    assertThat(first.from()).isNull();

    floor.foundNothing(first, now);
    assertThat(floor.begin().from()).isEqualTo(now.minusSeconds(5));

    time.advanceMs(59_999);
    assertThat(floor.begin().from()).isNotNull();
    time.advanceMs(1);
    assertThat(floor.begin().from()).isNull();
  }

  @Test
  void a_reset_during_a_scan_is_not_forgotten() {
    SweepFloor floor = new SweepFloor(new ManualTime());
    SweepFloor.Scan scan = floor.begin();

    floor.reset();
    floor.foundNothing(scan, Instant.EPOCH);

    assertThat(floor.begin().from()).isNull();
  }

  @Test
  void imported_deadlines_of_long_ago_are_found_at_once() {
    Partition partition = queues.open(queues.queue("orders"));
    produce(partition, "a");
    sweep(partition);
    Instant past = queues.now().minusSeconds(3600);
    partition.add(
        List.of(
            new StoredItem(
                "",
                true,
                1,
                0,
                new StoredItem.Times(null, null, past, null),
                StoredItem.Origin.NONE,
                io.holdfast.queue.Content.empty())),
        CALL);

    assertThat(partition.scanActions(9, CALL))
        .extracting(Due::kind)
        .containsExactly(Kind.LEASE_EXPIRED);
  }
}
