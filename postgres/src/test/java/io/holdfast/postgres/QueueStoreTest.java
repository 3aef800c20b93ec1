package io.holdfast.postgres;

import static io.holdfast.postgres.QueueFixture.CALL;
import static io.holdfast.postgres.QueueFixture.leaseIds;
import static io.holdfast.postgres.QueueFixture.leaseTexts;
import static io.holdfast.postgres.QueueFixture.produce;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.queue.Changes;
import io.holdfast.queue.Clear;
import io.holdfast.queue.Content;
import io.holdfast.queue.Fault;
import io.holdfast.queue.ItemLeaser;
import io.holdfast.queue.ItemLifecycle;
import io.holdfast.queue.ItemSettler;
import io.holdfast.queue.LeasedItem;
import io.holdfast.queue.NewItem;
import io.holdfast.queue.NewQueue;
import io.holdfast.queue.Partition;
import io.holdfast.queue.Pause;
import io.holdfast.queue.QueueInfo;
import io.holdfast.queue.QueueStats;
import io.holdfast.queue.Retry;
import io.holdfast.queue.StoredItem;
import io.holdfast.testkit.Guarantee;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What each statement of a partition does. */
@Timeout(60)
class QueueStoreTest {
  private final QueueFixture queues = QueueFixture.manual();

  @AfterEach
  void close() {
    queues.close();
  }

  @Test
  @Guarantee({"Q01", "Q12", "Q13"})
  void an_item_comes_back_with_every_field_oldest_first() {
    Partition partition = queues.open(queues.queue("orders"));
    Content content = new Content(new byte[] {0, 1, -1}, "r\"{},'\\", "e NULL", "ü🐘");

    List<String> ids =
        partition
            .produce(
                List.of(
                    List.of(new NewItem(content, null), NewItem.text("b")),
                    List.of(NewItem.text("c"))),
                CALL)
            .ids()
            .stream()
            .flatMap(List::stream)
            .toList();
    List<LeasedItem> items = partition.lease(10, CALL);

    assertThat(items).extracting(LeasedItem::id).containsExactlyElementsOf(ids);
    assertThat(ids).isSorted().doesNotHaveDuplicates();
    assertThat(items.get(0).content()).isEqualTo(content);
    assertThat(items).extracting(LeasedItem::attempts).containsOnly(1);
    assertThat(items)
        .extracting(LeasedItem::leaseDeadline)
        .containsOnly(queues.now().plus(Duration.ofMinutes(1)));
    assertThat(partition.lease(10, CALL)).isEmpty();
  }

  @Test
  @Guarantee("Q05")
  void an_enqueue_time_under_100_ms_ahead_means_now() {
    Partition partition = queues.open(queues.queue("orders"));
    Instant now = queues.now();

    int ready =
        partition
            .produce(
                List.of(
                    List.of(
                        NewItem.text("past").at(now.minusSeconds(9)),
                        NewItem.text("soon").at(now.plusNanos(99_999_999)),
                        NewItem.text("later").at(now.plusMillis(100)))),
                CALL)
            .ready();

    assertThat(ready).isEqualTo(2);
    assertThat(leaseTexts(partition, 9)).containsExactly("past", "soon");
    StoredItem later = partition.listScheduled("", 10, CALL).get(0);
    assertThat(later.times().enqueueAt()).isEqualTo(now.plusMillis(100));
    assertThat(later.times().expireDeadline())
        .isEqualTo(now.plusMillis(100).plus(Duration.ofDays(7)));
  }

  @Test
  @Guarantee("Q14")
  void an_answer_carries_at_most_16_MiB_and_at_least_one_item() {
    Partition partition = queues.open(queues.queue("orders"));
    byte[] big = new byte[6 * 1024 * 1024];
    for (int i = 0; i < 3; i++) {
      partition.produce(List.of(List.of(NewItem.of(big))), CALL);
    }
    partition.add(List.of(StoredItem.of(Content.of(new byte[17 * 1024 * 1024]))), CALL);

    assertThat(partition.lease(10, CALL)).hasSize(2);
    assertThat(partition.lease(10, CALL)).hasSize(1);
    assertThat(partition.lease(10, CALL)).hasSize(1);
    assertThat(partition.list("", 10, CALL)).extracting(StoredItem::attempts).containsOnly(1);
  }

  @Test
  @Guarantee({"Q28", "Q29", "Q30"})
  void extend_moves_the_deadlines_of_whole_requests() {
    Partition partition = queues.open(queues.queue("orders"));
    List<String> ids = produce(partition, "a", "b", "c");
    leaseIds(partition, 2);
    String missing = ids.get(0).substring(0, 26) + (ids.get(0).endsWith("0") ? "1" : "0");

    List<ItemLeaser.Extension> answers =
        partition.extend(
            List.of(
                new ItemLeaser.Extend(List.of(ids.get(0)), Duration.ofSeconds(90)),
                new ItemLeaser.Extend(List.of(ids.get(1)), null),
                new ItemLeaser.Extend(List.of(ids.get(2)), null),
                new ItemLeaser.Extend(List.of(missing), null)),
            CALL);

    assertThat(answers.get(0).deadline()).isEqualTo(queues.now().plusSeconds(90));
    assertThat(answers.get(1).deadline()).isEqualTo(queues.now().plusSeconds(60));
    assertThat(answers.get(2).fault()).isEqualTo(new Fault(ids.get(2), Fault.Reason.NOT_LEASED));
    assertThat(answers.get(3).fault()).isEqualTo(new Fault(missing, Fault.Reason.NOT_FOUND));
    queues.advance(Duration.ofSeconds(60));
    List<ItemLeaser.Extension> late =
        partition.extend(
            List.of(
                new ItemLeaser.Extend(List.of(ids.get(0), ids.get(1)), null),
                new ItemLeaser.Extend(List.of(ids.get(0)), Duration.ofSeconds(5))),
            CALL);
    assertThat(late.get(0).fault()).isEqualTo(new Fault(ids.get(1), Fault.Reason.LAPSED));
    assertThat(late.get(1).deadline()).isEqualTo(queues.now().plusSeconds(5));
  }

  @Test
  @Guarantee({"QF7", "Q33", "Q36", "Q37"})
  void one_bad_id_undoes_its_request_and_no_other() {
    Partition partition = queues.open(queues.queue("orders"));
    List<String> ids = produce(partition, "a", "b", "c", "d");
    leaseIds(partition, 3);

    ItemSettler.Settled settled =
        partition.complete(
            List.of(List.of(ids.get(0), ids.get(3), ids.get(1)), List.of(ids.get(2))), CALL);

    Fault expected = new Fault(ids.get(3), Fault.Reason.NOT_LEASED);
    assertThat(settled.faults()).containsExactly(expected, null);
    assertThat(settled.changes().removed()).isEqualTo(1);
    assertThat(partition.list("", 9, CALL)).hasSize(3);
    queues.advance(Duration.ofHours(1));
    assertThat(partition.complete(List.of(ids.subList(0, 2)), CALL).faults())
        .isEqualTo(Collections.singletonList(null));
    assertThat(partition.list("", 9, CALL)).extracting(StoredItem::id).containsExactly(ids.get(3));
  }

  @Test
  @Guarantee({"Q38", "Q39", "Q40", "Q42", "Q45"})
  void retry_returns_schedules_or_removes() {
    Partition partition = queues.open(queues.queue("orders"));
    List<String> ids = produce(partition, "a", "b", "c", "d", "e");
    leaseIds(partition, 4);
    Instant later = queues.now().plusSeconds(30);

    ItemSettler.Settled settled =
        partition.retry(
            List.of(
                List.of(
                    Retry.now(ids.get(0)),
                    Retry.at(ids.get(1), queues.now().minusSeconds(1)),
                    Retry.at(ids.get(2), later),
                    new Retry(ids.get(3), later, true))),
            CALL);

    assertThat(settled.faults()).isEqualTo(Collections.singletonList(null));
    Changes changes = settled.changes();
    assertThat(changes.ready()).isEqualTo(2);
    assertThat(changes.removed()).isEqualTo(1);
    List<LeasedItem> items = partition.lease(9, CALL);
    assertThat(items).extracting(LeasedItem::text).containsExactly("e", "a", "b");
    assertThat(items.get(1).id()).isEqualTo(changes.firstReady()).isGreaterThan(ids.get(4));
    assertThat(items).extracting(LeasedItem::attempts).containsExactly(1, 2, 2);
    StoredItem scheduled = partition.listScheduled("", 9, CALL).get(0);
    assertThat(scheduled.id()).isEqualTo(ids.get(2));
    assertThat(scheduled.times().enqueueAt()).isEqualTo(later);
    assertThat(scheduled.times().expireDeadline()).isEqualTo(later.plus(Duration.ofDays(7)));
  }

  @Test
  @Guarantee({"Q41", "Q43", "Q44", "Q68"})
  void retry_moves_to_the_dead_queue_with_reason_and_source() {
    queues.add(NewQueue.named("dead").partitions(3));
    QueueInfo orders = queues.add(NewQueue.named("orders").deadQueue("dead").maxAttempts(2));
    Partition partition = queues.open(orders);
    List<String> ids = produce(partition, "a", "b", "c", "d");
    leaseIds(partition, 1);
    String again =
        String.valueOf(
            partition.retry(List.of(List.of(Retry.now(ids.get(0)))), CALL).changes().firstReady());
    leaseIds(partition, 4);
    String missing = ids.get(0);

    ItemSettler.Settled settled =
        partition.retry(
            List.of(
                List.of(Retry.now(again), Retry.dead(ids.get(1)), Retry.now(ids.get(2))),
                List.of(Retry.dead(ids.get(3)), Retry.dead(missing))),
            CALL);

    assertThat(settled.faults().get(0)).isNull();
    assertThat(settled.faults().get(1)).isEqualTo(new Fault(missing, Fault.Reason.NOT_FOUND));
    assertThat(settled.changes().removed()).isEqualTo(2);
    assertThat(settled.changes().ready()).isEqualTo(1);
    assertThat(settled.changes().dead().stream().mapToInt(Changes.Arrival::count).sum())
        .isEqualTo(2);
    List<StoredItem> dead = dead();
    assertThat(dead)
        .extracting(item -> item.content().text() + " " + item.origin().deadReason())
        .containsExactlyInAnyOrder("a exhausted", "b dead");
    assertThat(dead)
        .extracting(item -> item.origin().sourceId())
        .containsExactlyInAnyOrder(again, ids.get(1));
    assertThat(dead).extracting(item -> item.origin().sourceQueue()).containsOnly("orders");
    assertThat(dead).extracting(StoredItem::attempts).containsOnly(0);
    assertThat(partition.list("", 9, CALL)).hasSize(2);
  }

  private List<StoredItem> dead() {
    QueueInfo info = queues.catalog().get("dead", CALL).orElseThrow();
    List<StoredItem> all = new ArrayList<>();
    for (int i = 0; i < info.partitions().size(); i++) {
      all.addAll(queues.open(queues.store(), info, i).list("", 100, CALL));
    }
    return all;
  }

  @Test
  @Guarantee("Q86")
  void redrive_returns_dead_items_to_their_source_and_counts_the_rest() {
    QueueInfo deadInfo = queues.queue("dead");
    Partition partition = queues.open(queues.add(NewQueue.named("orders").deadQueue("dead")));
    Partition dead = queues.open(deadInfo);
    List<String> ids = produce(partition, "a", "b", "c");
    leaseIds(partition, 3);
    partition.retry(List.of(ids.stream().map(Retry::dead).toList()), CALL);
    dead.add(List.of(StoredItem.of(Content.empty())), CALL);

    var first = dead.redrive(2, CALL);
    var rest = dead.redrive(100, CALL);

    assertThat(first.result().moved()).isEqualTo(2);
    assertThat(rest.result().moved()).isEqualTo(1);
    assertThat(rest.result().skipped()).isEqualTo(1);
    assertThat(rest.changes().dead().get(0).queue()).isEqualTo("orders");
    List<StoredItem> items = partition.list("", 9, CALL);
    assertThat(items).extracting(item -> item.content().text()).containsExactly("a", "b", "c");
    assertThat(items).extracting(StoredItem::origin).containsOnly(StoredItem.Origin.NONE);
    assertThat(items).extracting(StoredItem::attempts).containsOnly(0);
  }

  @Test
  @Guarantee("Q26")
  void an_item_handed_back_keeps_its_id_and_its_attempts() {
    Partition partition = queues.open(queues.queue("orders"));
    List<String> ids = produce(partition, "a", "b");
    leaseIds(partition, 2);

    assertThat(partition.handBack(ids, CALL)).isEqualTo(2);
    assertThat(partition.handBack(ids, CALL)).isZero();

    assertThat(partition.lease(9, CALL))
        .extracting(LeasedItem::id, LeasedItem::attempts)
        .containsExactly(
            org.assertj.core.groups.Tuple.tuple(ids.get(0), 1),
            org.assertj.core.groups.Tuple.tuple(ids.get(1), 1));
  }

  @Test
  @Guarantee({"Q58", "Q80", "Q81"})
  void import_keeps_what_is_given_and_skips_a_known_source() {
    Partition partition = queues.open(queues.queue("orders"));
    Instant some = Instant.parse("2027-03-04T05:06:07.123456Z");
    StoredItem leased =
        new StoredItem(
            "",
            true,
            3,
            7,
            new StoredItem.Times(null, null, some, some.plusSeconds(1)),
            new StoredItem.Origin("0ujtsYcgvSTl8PAuAdqWYSMnLOv", "x", "dead"),
            Content.of(new byte[] {1}));
    StoredItem scheduled =
        new StoredItem(
            "",
            false,
            0,
            0,
            new StoredItem.Times(null, some, null, null),
            StoredItem.Origin.NONE,
            Content.empty());

    List<StoredItem> stored =
        partition
            .add(List.of(leased, scheduled, StoredItem.of(Content.empty()), leased), CALL)
            .items();
    List<StoredItem> again = partition.add(List.of(leased), CALL).items();

    assertThat(stored.get(0).times())
        .isEqualTo(new StoredItem.Times(queues.now(), null, some, some.plusSeconds(1)));
    assertThat(stored.get(0).attempts()).isEqualTo(3);
    assertThat(stored.get(0).maxAttempts()).isEqualTo(7);
    assertThat(stored.get(0).origin()).isEqualTo(leased.origin());
    assertThat(stored.get(1).times().enqueueAt()).isEqualTo(some);
    assertThat(stored.get(3)).isEqualTo(stored.get(0));
    assertThat(again).containsExactly(stored.get(0));
    assertThat(leaseIds(partition, 9)).containsExactly(stored.get(2).id());
    assertThat(partition.stats(CALL))
        .isEqualTo(
            new QueueStats.ItemCounts(
                2, 2, 1, Duration.ZERO, partition.stats(CALL).averageLeaseLeft()));
  }

  @Test
  @Guarantee({"Q78", "Q79", "Q82"})
  void lists_and_deletes_go_by_id() {
    Partition partition = queues.open(queues.queue("orders"));
    List<String> ids = produce(partition, "a", "b", "c");

    Changes changes = partition.delete(List.of(ids.get(1), ids.get(1).replace('0', '1')), CALL);

    assertThat(changes.removed()).isEqualTo(1);
    assertThat(changes.unready()).isEqualTo(1);
    assertThat(partition.list(ids.get(1), 9, CALL))
        .extracting(StoredItem::id)
        .containsExactly(ids.get(2));
    assertThat(partition.list(ids.get(0), 1, CALL))
        .extracting(StoredItem::id)
        .containsExactly(ids.get(0));
    assertThat(partition.countReady(1, CALL)).isEqualTo(1);
    assertThat(partition.countReady(9, CALL)).isEqualTo(2);
  }

  @Test
  @Guarantee("Q83")
  void each_clear_flag_removes_exactly_its_items() {
    Partition partition = queues.open(queues.queue("orders"));
    record Case(Clear what, int total, int leased, int scheduled) {}
    for (Case c :
        List.of(
            new Case(new Clear(true, false, false), 1, 1, 1),
            new Case(new Clear(true, false, true), 0, 0, 1),
            new Case(new Clear(false, true, false), 2, 1, 0),
            new Case(new Clear(false, true, true), 2, 1, 0),
            new Case(Clear.WAITING, 1, 1, 0),
            new Case(Clear.EVERYTHING, 0, 0, 0))) {
      partition.clear(Clear.EVERYTHING, CALL);
      produce(partition, "leased", "ready");
      leaseIds(partition, 1);
      partition.produce(
          List.of(List.of(NewItem.text("later").at(queues.now().plusSeconds(60)))), CALL);

      Changes changes = partition.clear(c.what(), CALL);

      QueueStats.ItemCounts left = partition.stats(CALL);
      assertThat(List.of(left.total(), left.leased(), left.scheduled()))
          .as("%s", c)
          .containsExactly((long) c.total(), (long) c.leased(), (long) c.scheduled());
      assertThat(changes.removed()).isEqualTo(3 - c.total() - c.scheduled());
    }
    assertThatThrownBy(() -> partition.clear(new Clear(false, false, true), CALL))
        .hasMessageContaining("invalid clear request");
  }

  @Test
  void everything_is_cleared_while_somebody_works_on_the_table() throws Exception {
    Partition partition = queues.open(queues.queue("orders"));
    produce(partition, "a", "b");

    try (var other = TestDatabase.begin()) {
      TransactionsTest.run(other, "LOCK TABLE " + queues.table("orders", 0) + " IN ROW SHARE MODE");
      Changes changes = partition.clear(Clear.EVERYTHING, CALL);

      assertThat(changes.removed()).isEqualTo(2);
      other.rollback();
    }
  }

  @Test
  @Guarantee("Q74")
  void a_paused_queue_grants_no_lease_in_any_process() {
    QueueInfo orders = queues.queue("orders");
    Partition here = queues.open(orders);
    Partition there = queues.open(queues.process(), orders, 0);
    produce(here, "a");

    queues.catalog().pause("orders", Pause.LEASE, CALL);

    assertThat(here.lease(1, CALL)).isEmpty();
    assertThat(there.lease(1, CALL)).isEmpty();
    assertThat(probe(here)).isFalse();
    produce(there, "b");
    queues.catalog().pause("orders", Pause.NONE, CALL);
    assertThat(probe(here)).isTrue();
    assertThat(leaseTexts(there, 9)).containsExactly("a", "b");
  }

  private boolean probe(Partition partition) {
    return queues.store().queues().partitions().probe(List.of(partition), CALL).get(0);
  }

  @Test
  void many_partitions_are_surveyed_at_once_and_unused_ones_have_nothing() {
    QueueInfo wide = queues.add(NewQueue.named("wide").partitions(60));
    List<Partition> all = new ArrayList<>();
    for (int i = 0; i < 60; i++) {
      all.add(queues.open(queues.store(), wide, i));
    }
    produce(all.get(7), "a");
    produce(all.get(59), "b");
    leaseIds(all.get(59), 1);

    List<ItemLifecycle.Info> infos = queues.store().queues().partitions().lifecycleInfo(all, CALL);
    List<Boolean> ready = queues.store().queues().partitions().probe(all, CALL);

    assertThat(infos.get(0)).isEqualTo(ItemLifecycle.Info.NOTHING);
    assertThat(infos.get(7).expiry()).hasValue(Duration.ofDays(7).toNanos() / 1000);
    assertThat(infos.get(59).lease()).hasValue(60_000_000);
    assertThat(infos.get(59).earliest()).hasValue(60_000_000);
    assertThat(ready.get(7)).isTrue();
    assertThat(Collections.frequency(ready, true)).isEqualTo(1);
  }

  @Test
  void a_partition_never_used_answers_and_makes_no_table() {
    QueueInfo orders = queues.queue("orders");
    Partition partition = queues.open(orders);

    assertThat(partition.lease(1, CALL)).isEmpty();
    assertThat(partition.list("", 1, CALL)).isEmpty();
    assertThat(partition.stats(CALL).total()).isZero();
    assertThat(partition.scanActions(1, CALL)).isEmpty();
    assertThat(partition.lifecycleInfo(CALL)).isEqualTo(ItemLifecycle.Info.NOTHING);

    assertThat(TestDatabase.query("SELECT to_regclass('" + queues.table("orders", 0) + "')"))
        .isNull();
  }

  @Test
  void an_item_that_never_expires_by_hand_disturbs_nobody() {
    Partition partition = queues.open(queues.queue("orders"));
    List<String> ids = produce(partition, "a", "b");
    TestDatabase.execute(
        "UPDATE " + queues.table("orders", 0) + " SET expire_deadline = 'infinity'");

    assertThat(partition.lifecycleInfo(CALL).expiry()).isPresent();
    assertThat(probe(partition)).isTrue();
    assertThat(leaseIds(partition, 9)).isEqualTo(ids);
    assertThat(partition.stats(CALL).leased()).isEqualTo(2);
  }
}
