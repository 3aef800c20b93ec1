package io.holdfast.postgres;

import static io.holdfast.postgres.QueueFixture.CALL;
import static io.holdfast.postgres.QueueFixture.leaseTexts;
import static io.holdfast.postgres.QueueFixture.produce;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.holdfast.lease.Hints;
import io.holdfast.queue.Changes;
import io.holdfast.queue.Clear;
import io.holdfast.queue.NewQueue;
import io.holdfast.queue.Partition;
import io.holdfast.queue.PartitionInfo;
import io.holdfast.queue.QueueCatalog;
import io.holdfast.queue.QueueException;
import io.holdfast.queue.QueueInfo;
import io.holdfast.queue.QueuePage;
import io.holdfast.queue.QueueUpdate;
import io.holdfast.testkit.Guarantee;
import java.sql.Connection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Which queues there are, and how they come and go while others use them. */
@Timeout(90)
class QueueCatalogTest {
  private final QueueFixture queues = QueueFixture.manual();
  private final ExecutorService threads = Executors.newCachedThreadPool();

  @AfterEach
  void close() {
    threads.shutdownNow();
    queues.close();
  }

  @Test
  @Guarantee({"Q61", "Q62", "Q63", "QF23"})
  void create_get_list_update_delete_round_trip() {
    QueueCatalog catalog = queues.catalog();
    NewQueue given =
        NewQueue.named("orders")
            .inNamespace("shop")
            .leaseFor(Duration.ofNanos(1_234_567))
            .maxAttempts(3)
            .reference("note")
            .partitions(2);
    QueueInfo added = catalog.add(given, CALL);
    QueueCatalog elsewhere = queues.process().queues().catalog();

    QueueInfo updated =
        elsewhere.update("orders", QueueUpdate.NOTHING.maxAttempts(5).partitions(4), CALL);

    assertThat(added.settings().leaseTimeout()).isEqualTo(Duration.ofNanos(1_234_567));
    assertThat(added.partitions())
        .containsExactly(
            new PartitionInfo(0, "postgres", false), new PartitionInfo(1, "postgres", false));
    assertThat(added.createdAt()).isEqualTo(queues.now());
    assertThat(updated.settings().reference()).isEqualTo("note");
    assertThat(updated.settings().maxAttempts()).isEqualTo(5);
    assertThat(updated.partitions()).extracting(PartitionInfo::number).containsExactly(0, 1, 2, 3);
    assertThat(updated.version()).isEqualTo(added.version() + 1);
    assertThat(catalog.get("orders", CALL)).contains(updated);
    assertThat(catalog.update("orders", QueueUpdate.NOTHING.partitions(1), CALL).partitions())
        .hasSize(4);
    assertThat(catalog.list(new QueuePage("", 0, "shop"), CALL)).hasSize(1);
    assertThat(catalog.list(new QueuePage("", 0, ""), CALL)).isEmpty();
    assertThat(catalog.versions(CALL))
        .containsExactly(java.util.Map.entry("orders", added.version() + 2));
    catalog.delete("orders", false, CALL);
    assertThat(elsewhere.get("orders", CALL)).isEmpty();
    catalog.delete("orders", false, CALL);
  }

  @Test
  @Guarantee({"Q67", "Q69", "QF17"})
  void two_updates_that_would_build_a_chain_of_dead_queues_do_not_both_succeed() throws Exception {
    for (String name : List.of("a", "b", "c")) {
      queues.queue(name);
    }
    QueueCatalog other = queues.process().queues().catalog();
    CyclicBarrier start = new CyclicBarrier(2);

    Future<Throwable> first = threads.submit(() -> deadQueue(queues.catalog(), start, "a", "b"));
    Future<Throwable> second = threads.submit(() -> deadQueue(other, start, "b", "c"));

    List<Throwable> failures = new ArrayList<>();
    for (Future<Throwable> update : List.of(first, second)) {
      Throwable failure = update.get(30, TimeUnit.SECONDS);
      if (failure != null) {
        failures.add(failure);
      }
    }
    assertThat(failures).hasSize(1);
    assertThat(failures.get(0)).hasMessageContaining("dead queue is invalid");
  }

  private static Throwable deadQueue(
      QueueCatalog catalog, CyclicBarrier start, String queue, String dead) throws Exception {
    start.await(20, TimeUnit.SECONDS);
    return catchThrowable(() -> catalog.update(queue, QueueUpdate.NOTHING.deadQueue(dead), CALL));
  }

  @Test
  @Guarantee("Q69")
  void a_queue_in_use_as_dead_queue_cannot_be_deleted() {
    queues.queue("dead");
    queues.add(NewQueue.named("orders").deadQueue("dead"));

    QueueException refusal =
        catchThrowableOfType(
            QueueException.class, () -> queues.catalog().delete("dead", true, CALL));

    assertThat(refusal.kind()).isEqualTo(QueueException.Kind.CONFLICT);
  }

  @Test
  @Guarantee({"Q70", "Q71", "QF15"})
  void a_re_created_queue_is_empty_and_late_calls_are_told() {
    QueueInfo orders = queues.add(NewQueue.named("orders").partitions(20));
    List<Partition> all =
        IntStream.range(0, 20)
            .<Partition>mapToObj(i -> queues.open(queues.store(), orders, i))
            .toList();
    all.forEach(partition -> produce(partition, "a"));
    QueueException refusal =
        catchThrowableOfType(
            QueueException.class, () -> queues.catalog().delete("orders", false, CALL));
    assertThat(refusal.kind()).isEqualTo(QueueException.Kind.CONFLICT);

    queues.catalog().delete("orders", true, CALL);

    assertThatThrownBy(() -> produce(all.get(0), "b")).hasMessageContaining("does not exist");
    assertThatThrownBy(() -> all.get(0).lease(1, CALL)).hasMessageContaining("does not exist");
    assertThat(tables()).isEqualTo("0");
    Partition fresh = queues.open(queues.queue("orders"));
    assertThat(fresh.lease(9, CALL)).isEmpty();
    produce(fresh, "new");
    assertThat(leaseTexts(all.get(0), 9)).containsExactly("new");
  }

  @Test
  void clearing_a_queue_that_never_had_items_makes_no_tables() {
    Partition partition = queues.open(queues.queue("orders"));

    assertThat(partition.clear(Clear.EVERYTHING, CALL)).isEqualTo(Changes.NONE);

    assertThat(tables()).isEqualTo("0");
    queues.catalog().delete("orders", false, CALL);
    assertThatThrownBy(() -> partition.clear(Clear.EVERYTHING, CALL))
        .hasMessageContaining("does not exist");
  }

  private String tables() {
    return String.valueOf(
        TestDatabase.query(
            "SELECT count(*) FROM pg_tables WHERE tablename LIKE 'items%' AND schemaname = '"
                + queues.schema
                + "'"));
  }

  @Test
  @Guarantee("QF15")
  void a_deletion_that_was_begun_is_unknown_to_all_and_finished_by_anybody() {
    QueueInfo orders = queues.queue("orders");
    Partition partition = queues.open(orders);
    String id = produce(partition, "a").get(0);
    QueueFixture.leaseIds(partition, 1);
    TestDatabase.execute("UPDATE " + queues.schema + ".queues SET state = 'deleting'");

    assertThat(queues.catalog().get("orders", CALL)).isEmpty();
    assertThat(queues.catalog().list(QueuePage.FIRST, CALL)).isEmpty();
    assertThatThrownBy(() -> produce(partition, "b")).hasMessageContaining("does not exist");
    assertThatThrownBy(() -> partition.lease(1, CALL)).hasMessageContaining("does not exist");
    assertThatThrownBy(() -> partition.complete(List.of(List.of(id)), CALL))
        .hasMessageContaining("does not exist");
    assertThat(queues.process().queues().catalog().finishDeletes(CALL)).isEqualTo(1);
    assertThat(tables()).isEqualTo("0");
    assertThat(TestDatabase.query("SELECT count(*) FROM " + queues.schema + ".queues"))
        .isEqualTo("0");
  }

  @Test
  void an_add_finishes_the_deletion_in_its_way() {
    Partition partition = queues.open(queues.queue("orders"));
    produce(partition, "old");
    TestDatabase.execute("UPDATE " + queues.schema + ".queues SET state = 'deleting'");

    QueueInfo again = queues.queue("orders");

    assertThat(queues.open(again).lease(9, CALL)).isEmpty();
  }

  @Test
  @Guarantee("QF16")
  void an_unforced_delete_waits_for_a_produce_under_way_and_then_refuses() throws Exception {
    Partition partition = queues.open(queues.queue("orders"));
    QueueFixture.produce(partition, "a");
    partition.clear(Clear.EVERYTHING, CALL);
    try (Connection producing = TestDatabase.begin()) {
      new QueuesInTransaction(queues.store(), producing)
          .produce("orders", 0, List.of(QueueFixture.item("b")));

      Future<Throwable> delete =
          threads.submit(
              () -> catchThrowable(() -> queues.catalog().delete("orders", false, CALL)));
      awaitLockWaiter();
      producing.commit();

      assertThat(delete.get(20, TimeUnit.SECONDS)).hasMessageContaining("not empty");
    }
    assertThat(leaseTexts(partition, 9)).containsExactly("b");
  }

  @Test
  @Guarantee("QF16")
  void a_produce_that_waits_for_an_unforced_delete_is_refused() throws Exception {
    Partition partition = queues.open(queues.queue("orders"));
    QueueFixture.produce(partition, "a");
    partition.clear(Clear.EVERYTHING, CALL);
    try (Connection deleting = TestDatabase.begin()) {
      TransactionsTest.run(
          deleting, "LOCK TABLE " + queues.table("orders", 0) + " IN EXCLUSIVE MODE");
      Future<Throwable> produce =
          threads.submit(() -> catchThrowable(() -> produce(partition, "b")));
      awaitLockWaiter();
      TransactionsTest.run(deleting, "UPDATE " + queues.schema + ".queues SET state = 'deleting'");
      deleting.commit();

      assertThat(produce.get(20, TimeUnit.SECONDS)).hasMessageContaining("does not exist");
    }
    assertThat(queues.rows("orders", 0)).isZero();
  }

  private void awaitLockWaiter() {
    String waiting =
        """
        SELECT count(*) FROM pg_locks AS l JOIN pg_class AS c ON c.oid = l.relation
         WHERE NOT l.granted AND c.relname = '%s'
        """
            .formatted(ItemTables.name("orders", 0));
    long until = System.nanoTime() + Duration.ofSeconds(20).toNanos();
    while (Objects.equals(TestDatabase.query(waiting), "0")) {
      assertThat(System.nanoTime()).isLessThan(until);
      LockSupport.parkNanos(100_000);
    }
  }

  @Test
  @Guarantee("QF18")
  void processes_that_first_use_a_partition_together_make_one_table() throws Exception {
    QueueInfo orders = queues.queue("orders");
    int processes = 6;
    CyclicBarrier start = new CyclicBarrier(processes);
    List<Future<List<String>>> produced = new ArrayList<>();
    for (int i = 0; i < processes; i++) {
      Partition partition = queues.open(queues.process(), orders, 0);
      Callable<List<String>> first =
          () -> {
            start.await(20, TimeUnit.SECONDS);
            return produce(partition, "x");
          };
      produced.add(threads.submit(first));
    }

    for (Future<List<String>> one : produced) {
      assertThat(one.get(30, TimeUnit.SECONDS)).hasSize(1);
    }

    assertThat(queues.rows("orders", 0)).isEqualTo(processes);
    assertThat(
            TestDatabase.query(
                "SELECT count(*) FROM pg_indexes WHERE schemaname = '%s' AND tablename = '%s'"
                    .formatted(queues.schema, ItemTables.name("orders", 0))))
        .isEqualTo("6");
  }

  @Test
  void the_schema_is_made_by_many_processes_at_once() throws Exception {
    int processes = 6;
    CyclicBarrier start = new CyclicBarrier(processes);
    List<Future<Integer>> setups = new ArrayList<>();
    for (int i = 0; i < processes; i++) {
      QueueCatalog catalog = queues.process().queues().catalog();
      Callable<Integer> first =
          () -> {
            start.await(20, TimeUnit.SECONDS);
            return catalog.list(QueuePage.FIRST, CALL).size();
          };
      setups.add(threads.submit(first));
    }

    for (Future<Integer> setup : setups) {
      assertThat(setup.get(30, TimeUnit.SECONDS)).isZero();
    }
  }

  @Test
  @Guarantee("QF6")
  void completes_that_share_an_id_do_not_deadlock_and_one_wins() throws Exception {
    QueueInfo orders = queues.queue("orders");
    Partition here = queues.open(orders);
    Partition there = queues.open(queues.process(), orders, 0);
    String[] texts = IntStream.range(0, 200).mapToObj(Integer::toString).toArray(String[]::new);
    for (int round = 0; round < 5; round++) {
      produce(here, texts);
      List<String> ids = QueueFixture.leaseIds(here, 200);
      List<String> reversed = new ArrayList<>(ids);
      java.util.Collections.reverse(reversed);
      CyclicBarrier start = new CyclicBarrier(2);

      Future<Boolean> one = threads.submit(() -> completes(here, start, ids));
      Future<Boolean> two = threads.submit(() -> completes(there, start, reversed));

      assertThat(one.get(20, TimeUnit.SECONDS) ^ two.get(20, TimeUnit.SECONDS)).isTrue();
      assertThat(queues.rows("orders", 0)).isZero();
    }
    assertThat(deadlocks()).isZero();
  }

  private static boolean completes(Partition partition, CyclicBarrier start, List<String> ids)
      throws Exception {
    start.await(20, TimeUnit.SECONDS);
    return partition.complete(List.of(ids), CALL).faults().get(0) == null;
  }

  private static long deadlocks() {
    return Long.parseLong(
            String.valueOf(
                TestDatabase.query(
                    "SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()")))
        - DEADLOCKS_BEFORE;
  }

  private static final long DEADLOCKS_BEFORE =
      Long.parseLong(
          String.valueOf(
              TestDatabase.query(
                  "SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()")));

  @Test
  void a_change_is_told_to_other_processes_after_its_commit() throws Exception {
    queues.queue("orders");
    BlockingQueue<String> heard = new LinkedBlockingQueue<>();
    Hints.Subscription subscription =
        queues
            .process()
            .queues()
            .hints()
            .listen(
                new Hints.Listener() {
                  @Override
                  public void hinted(String topic) {
                    heard.add(topic);
                  }

                  @Override
                  public void mayHaveMissedSome() {
                    heard.add("listening");
                  }
                });
    assertThat(heard.poll(20, TimeUnit.SECONDS)).isEqualTo("listening");

    queues.catalog().update("orders", QueueUpdate.NOTHING.maxAttempts(2), CALL);

    assertThat(heard.poll(20, TimeUnit.SECONDS)).isEqualTo("queue/orders");
    subscription.close();
  }

  @Test
  @Guarantee("Q72")
  void a_name_with_the_hash_of_another_is_refused() {
    queues.queue("orders");
    TestDatabase.execute(
        "UPDATE "
            + queues.schema
            + ".queues SET table_hash = '"
            + io.holdfast.queue.TableHash.of("emails")
            + "'");

    assertThatThrownBy(() -> queues.queue("emails")).hasMessageContaining("hash");
  }

  @Test
  void a_closed_catalogue_or_partition_refuses() {
    Partition partition = queues.open(queues.queue("orders"));
    partition.close();
    queues.catalog().close();

    assertThatThrownBy(() -> produce(partition, "a"))
        .isInstanceOfSatisfying(
            QueueException.class, e -> assertThat(e.kind()).isEqualTo(QueueException.Kind.FAILED));
    assertThatThrownBy(() -> queues.catalog().get("orders", CALL))
        .hasMessageContaining("shutting down");
  }
}
