package io.holdfast.testkit.queue;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.lease.StoreCall;
import io.holdfast.queue.Changes;
import io.holdfast.queue.Clear;
import io.holdfast.queue.Content;
import io.holdfast.queue.Fault;
import io.holdfast.queue.ItemAdmin;
import io.holdfast.queue.ItemLeaser;
import io.holdfast.queue.ItemLifecycle;
import io.holdfast.queue.ItemLifecycle.Due;
import io.holdfast.queue.ItemProducer;
import io.holdfast.queue.ItemSettler;
import io.holdfast.queue.LeasedItem;
import io.holdfast.queue.NewItem;
import io.holdfast.queue.Partition;
import io.holdfast.queue.Queue;
import io.holdfast.queue.QueueBackend;
import io.holdfast.queue.QueueException;
import io.holdfast.queue.QueueException.Kind;
import io.holdfast.queue.QueueUpdate;
import io.holdfast.queue.Redriven;
import io.holdfast.queue.Retry;
import io.holdfast.queue.StoredItem;
import io.holdfast.testkit.Guarantee;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * What a store owes the service: an outcome for each request of a batch, and counts by which
 * estimates follow and waiting leases are woken. Only a store can show these.
 */
@SuppressWarnings("NullAway.Init") // the fields are set before each test
public abstract class PartitionContract extends QueueSuite {
  private static final StoreCall CALL = StoreCall.plain();

  private QueueBackend backend;
  private Queue queue;
  private Partition partition;

  @BeforeEach
  void openPartition() {
    create(named("dead"));
    queue = create(named("orders").deadQueue("dead"));
    backend = subject.process();
    partition = behindTheScenes(backend, queue, 0);
  }

  @AfterEach
  void closePartition() {
    partition.close();
    backend.catalog().close();
  }

  @Test
  void a_produce_answers_each_request_and_counts_what_is_ready() {
    NewItem later = NewItem.text("later").at(in(Duration.ofMinutes(1)));

    ItemProducer.Produced produced =
        partition.produce(
            List.of(List.of(NewItem.text("a"), later), List.of(NewItem.text("b"))), CALL);

    assertThat(produced.ready()).isEqualTo(2);
    assertThat(produced.ids()).extracting(List::size).containsExactly(2, 1);
    assertThat(produced.ids().stream().flatMap(List::stream)).isSorted();
    assertThat(produced.first()).isEqualTo(produced.ids().get(0).get(0));
    assertThat(texts(partition.list("", 10, CALL))).containsExactly("a", "b");
  }

  @Test
  void a_lease_takes_the_oldest_and_counts_stop_at_their_cap() {
    insert("a", "b", "c");
    assertThat(partition.countReady(2, CALL)).isEqualTo(2);

    List<LeasedItem> leased = partition.lease(2, CALL);

    assertThat(leased).extracting(LeasedItem::text).containsExactly("a", "b");
    assertThat(partition.countReady(10, CALL)).isEqualTo(1);
  }

  @Test
  @Guarantee("Q74")
  void a_paused_queue_grants_nothing_and_a_probe_finds_nothing() {
    insert("a");
    queue.admin().pause();

    assertThat(partition.lease(1, CALL)).isEmpty();
    assertThat(probe()).isFalse();
    queue.admin().resume();
    assertThat(probe()).isTrue();
    assertThat(partition.lease(1, CALL)).hasSize(1);
    assertThat(probe()).isFalse();
  }

  @Test
  @Guarantee("Q33")
  void a_batch_of_completes_has_an_outcome_for_each_request() {
    List<String> ids = leased("a", "b", "c", "d");

    ItemSettler.Settled settled =
        partition.complete(
            List.of(ids.subList(0, 1), List.of(ids.get(1), strangersId()), ids.subList(2, 4)),
            CALL);

    assertThat(settled.faults())
        .containsExactly(null, new Fault(strangersId(), Fault.Reason.NOT_FOUND), null);
    assertThat(settled.changes()).isEqualTo(new Changes(0, null, 0, 3, List.of()));
    assertThat(texts(partition.list("", 10, CALL))).containsExactly("b");
  }

  @Test
  @Guarantee("Q44")
  void a_batch_of_retries_tells_what_became_ready_and_what_left() {
    List<String> ids = leased("a", "b", "c", "d");
    insert("waiting");
    String waiting = partition.list("", 10, CALL).get(4).id();

    ItemSettler.Settled settled =
        partition.retry(
            List.of(
                List.of(Retry.now(ids.get(0)), Retry.dead(ids.get(1))),
                List.of(Retry.now(ids.get(2)), Retry.now(waiting)),
                List.of(Retry.at(ids.get(3), in(Duration.ofMinutes(1))))),
            CALL);

    assertThat(settled.faults())
        .containsExactly(null, new Fault(waiting, Fault.Reason.NOT_LEASED), null);
    Changes changes = settled.changes();
    List<StoredItem> left = partition.list("", 10, CALL);
    assertThat(texts(left)).containsExactly("c", "waiting", "a");
    assertThat(changes.ready()).isEqualTo(1);
    assertThat(changes.firstReady()).isEqualTo(left.get(2).id());
    assertThat(changes.unready()).isZero();
    assertThat(changes.removed()).isEqualTo(1);
    String arrived = stored(queues.queue("dead")).get(0).id();
    assertThat(changes.dead()).containsExactly(new Changes.Arrival("dead", 0, 1, arrived));
  }

  @Test
  @Guarantee({"Q29", "Q30"})
  void a_batch_of_extensions_has_a_deadline_or_a_fault_for_each_request() {
    List<String> lapsed = leased("lapsed");
    time.advance(LEASE);
    List<String> held = leased("held");

    List<ItemLeaser.Extension> answers =
        partition.extend(
            List.of(
                new ItemLeaser.Extend(held, Duration.ofMinutes(1)),
                new ItemLeaser.Extend(lapsed, null)),
            CALL);

    assertThat(answers)
        .containsExactly(
            new ItemLeaser.Extension(in(Duration.ofMinutes(1)), null),
            new ItemLeaser.Extension(null, new Fault(lapsed.get(0), Fault.Reason.LAPSED)));
  }

  @Test
  @Guarantee("Q26")
  void a_hand_back_restores_what_was_and_leaves_alone_what_nobody_holds() {
    List<String> ids = leased("a", "b");
    insert("c");
    StoredItem waiting = partition.list("", 10, CALL).get(2);

    int back =
        partition.handBack(List.of(ids.get(0), ids.get(1), waiting.id(), strangersId()), CALL);

    assertThat(back).isEqualTo(2);
    List<StoredItem> items = partition.list("", 10, CALL);
    assertThat(items).extracting(StoredItem::attempts).containsExactly(0, 0, 0);
    assertThat(items).noneMatch(StoredItem::isLeased);
    assertThat(items)
        .extracting(StoredItem::id)
        .containsExactly(ids.get(0), ids.get(1), waiting.id());
  }

  @Test
  @Guarantee("Q26")
  void what_somebody_may_have_seen_goes_back_under_a_new_id_at_the_tail() {
    List<String> ids = leased("a", "b");
    insert("c");
    String waiting = partition.list("", 10, CALL).get(2).id();

    Changes changes = partition.takeBack(List.of(ids.get(0), waiting, strangersId()), CALL);

    List<StoredItem> items = partition.list("", 10, CALL);
    assertThat(texts(items)).containsExactly("b", "c", "a");
    assertThat(items).extracting(StoredItem::attempts).containsExactly(1, 0, 0);
    assertThat(items).extracting(StoredItem::isLeased).containsExactly(true, false, false);
    assertThat(items.get(2).id()).isGreaterThan(waiting);
    assertThat(changes).isEqualTo(new Changes(1, items.get(2).id(), 0, 0, List.of()));
    assertThat(partition.complete(List.of(List.of(ids.get(0))), CALL).faults())
        .containsExactly(new Fault(ids.get(0), Fault.Reason.NOT_FOUND));
  }

  @Test
  @Guarantee("Q59")
  void a_scan_finds_what_is_due_in_order_and_no_more_than_asked_for() {
    produceAt(in(Duration.ofSeconds(30)), "third");
    produceAt(in(Duration.ofSeconds(20)), "second");
    produceAt(in(Duration.ofSeconds(10)), "first");
    List<String> held = leased("held");
    time.advance(Duration.ofSeconds(20));

    List<Due> one = partition.scanScheduled(1, CALL);
    List<Due> scheduled = partition.scanScheduled(10, CALL);
    List<Due> actions = partition.scanActions(10, CALL);

    assertThat(scheduled).extracting(Due::kind).containsOnly(ItemLifecycle.Kind.QUEUE_SCHEDULED);
    assertThat(scheduled)
        .extracting(Due::deadline)
        .containsExactly(instant().minusSeconds(10), instant());
    assertThat(one).isEqualTo(scheduled.subList(0, 1));
    assertThat(actions).extracting(Due::id).isEqualTo(held);
    assertThat(actions.get(0).kind()).isEqualTo(ItemLifecycle.Kind.LEASE_EXPIRED);
  }

  @Test
  @Guarantee("Q60")
  void taking_action_skips_what_has_changed_since_the_scan() {
    List<String> ids = leased("completed", "extended", "lapsed");
    time.advance(LEASE.minusMillis(1));
    partition.extend(List.of(new ItemLeaser.Extend(ids.subList(1, 2), Duration.ofMillis(1))), CALL);
    time.advance(Duration.ofMillis(1));
    List<Due> page = partition.scanActions(10, CALL);
    assertThat(page).hasSize(3);
    partition.complete(List.of(ids.subList(0, 1)), CALL);
    time.stepDatabase(-1);
    partition.extend(List.of(new ItemLeaser.Extend(ids.subList(1, 2), LEASE)), CALL);
    time.stepDatabase(1);

    Changes first = partition.takeAction(page, CALL);
    Changes second = partition.takeAction(page, CALL);

    List<StoredItem> items = partition.list("", 10, CALL);
    assertThat(texts(items)).containsExactly("extended", "lapsed");
    assertThat(items).extracting(StoredItem::isLeased).containsExactly(true, false);
    assertThat(first).isEqualTo(new Changes(1, items.get(1).id(), 0, 0, List.of()));
    assertThat(second).isEqualTo(Changes.NONE);
  }

  @Test
  @Guarantee({"Q49", "Q52"})
  void taking_action_counts_what_left_and_where_it_arrived() {
    queues.update("orders", QueueUpdate.NOTHING.maxAttempts(1));
    queues.update("dead", QueueUpdate.NOTHING.expireAfter(Duration.ofDays(1)));
    leased("exhausted");
    insert("expired");
    time.advance(EXPIRE);
    List<Due> page = partition.scanActions(10, CALL);
    assertThat(page)
        .extracting(Due::kind)
        .containsExactly(ItemLifecycle.Kind.MAX_ATTEMPTS, ItemLifecycle.Kind.ITEM_EXPIRED);

    Changes changes = partition.takeAction(page, CALL);

    assertThat(changes.removed()).isEqualTo(2);
    assertThat(changes.unready()).isEqualTo(1);
    assertThat(changes.ready()).isZero();
    assertThat(changes.dead().stream().mapToInt(Changes.Arrival::count).sum()).isEqualTo(2);
    assertThat(changes.dead()).allMatch(arrival -> arrival.queue().equals("dead"));
  }

  @Test
  void lifecycle_info_tells_how_long_until_the_earliest_of_each_kind() {
    assertThat(partition.lifecycleInfo(CALL)).isEqualTo(ItemLifecycle.Info.NOTHING);
    leased("held");
    time.advance(Duration.ofSeconds(4));
    insert("ready");
    produceAt(in(Duration.ofMinutes(2)), "later");
    time.advance(Duration.ofSeconds(1));

    ItemLifecycle.Info info = partition.lifecycleInfo(CALL);

    assertThat(info.lease()).isEqualTo(micros(Duration.ofSeconds(5)));
    assertThat(info.expiry()).isEqualTo(micros(EXPIRE.minusSeconds(1)));
    assertThat(info.schedule()).isEqualTo(micros(Duration.ofSeconds(119)));
  }

  @Test
  void clear_and_delete_count_what_was_ready_and_what_is_gone() {
    List<String> held = leased("held");
    insert("a", "b");
    produceAt(in(Duration.ofMinutes(2)), "later");
    String a = partition.list("", 10, CALL).get(1).id();

    assertThat(partition.delete(List.of(a, held.get(0), strangersId()), CALL))
        .isEqualTo(new Changes(0, null, 1, 2, List.of()));
    assertThat(partition.clear(Clear.EVERYTHING, CALL))
        .isEqualTo(new Changes(0, null, 1, 2, List.of()));
  }

  @Test
  @Guarantee({"Q58", "Q80"})
  void an_import_counts_only_what_it_made_ready() {
    StoredItem known = imported("known");
    partition.add(List.of(known), CALL);

    ItemAdmin.Imported imported = partition.add(List.of(known, imported("new")), CALL);

    assertThat(imported.items()).hasSize(2);
    String id = imported.items().get(1).id();
    assertThat(imported.changes()).isEqualTo(new Changes(1, id, 0, 0, List.of()));
  }

  @Test
  @Guarantee("Q86")
  void a_redrive_tells_where_items_arrived() {
    List<String> ids = leased("a");
    partition.retry(List.of(List.of(Retry.dead(ids.get(0)))), CALL);
    Partition dead = behindTheScenes(backend, queues.queue("dead"), 0);
    dead.produce(List.of(List.of(NewItem.text("without a source"))), CALL);

    ItemAdmin.Redrive redrive = dead.redrive(10, CALL);

    assertThat(redrive.result()).isEqualTo(new Redriven(1, 1));
    StoredItem back = stored(queue).get(0);
    assertThat(redrive.changes())
        .isEqualTo(
            new Changes(0, null, 1, 1, List.of(new Changes.Arrival("orders", 0, 1, back.id()))));
    assertThat(back.origin()).isEqualTo(StoredItem.Origin.NONE);
    assertThat(back.attempts()).isZero();
  }

  @Test
  @Guarantee("QF15")
  void a_partition_of_a_deleted_queue_says_that_there_is_no_such_queue() {
    queues.delete("orders", true);

    QueueException failure = failing(Kind.INVALID, () -> insert("late"));
    failing(Kind.INVALID, () -> partition.lease(1, CALL));
    failing(Kind.INVALID, () -> partition.complete(List.of(List.of(strangersId())), CALL));

    assertThat(failure).hasMessageStartingWith("queue does not exist");
  }

  @Test
  void a_closed_partition_refuses_and_may_be_closed_again() {
    partition.close();
    partition.close();

    failing(Kind.FAILED, () -> partition.lease(1, CALL));
  }

  private void insert(String... payloads) {
    partition.produce(List.of(List.of(payloads).stream().map(NewItem::text).toList()), CALL);
  }

  private void produceAt(Instant at, String payload) {
    partition.produce(List.of(List.of(NewItem.text(payload).at(at))), CALL);
  }

  private List<String> leased(String... payloads) {
    insert(payloads);
    return partition.lease(payloads.length, CALL).stream().map(LeasedItem::id).toList();
  }

  private boolean probe() {
    return backend.partitions().probe(List.of(partition), CALL).get(0);
  }

  private static StoredItem imported(String sourceId) {
    return new StoredItem(
        "",
        false,
        0,
        0,
        StoredItem.Times.NONE,
        new StoredItem.Origin(sourceId, "", ""),
        Content.empty());
  }

  private static OptionalLong micros(Duration duration) {
    return OptionalLong.of(TimeUnit.NANOSECONDS.toMicros(duration.toNanos()));
  }
}
