package io.holdfast.postgres;

import static io.holdfast.postgres.QueueFaultTest.async;
import static io.holdfast.postgres.QueueFaultTest.await;
import static io.holdfast.postgres.QueueFaultTest.service;
import static io.holdfast.postgres.QueueFixture.CALL;
import static io.holdfast.postgres.QueueFixture.item;
import static io.holdfast.postgres.QueueFixture.leaseIds;
import static io.holdfast.postgres.QueueFixture.sweep;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.queue.LeaseRequest;
import io.holdfast.queue.LeasedItems;
import io.holdfast.queue.NewItem;
import io.holdfast.queue.NewQueue;
import io.holdfast.queue.Produced;
import io.holdfast.queue.Queue;
import io.holdfast.queue.QueueException;
import io.holdfast.queue.QueueException.Kind;
import io.holdfast.queue.QueueOptions;
import io.holdfast.queue.QueueService;
import io.holdfast.queue.Retry;
import io.holdfast.queue.StoredItem;
import io.holdfast.testkit.Guarantee;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.postgresql.PGConnection;

/** Queues while much is going on: dead rows that stay, deletions under load, an end in full run. */
@Timeout(120)
class QueueUnrestTest {
  private static final Duration PATIENT = Duration.ofSeconds(20);
  private static final int BATCH = 100;

  /** Pages by which a claim may differ, for where its rows happen to lie. */
  private static final int SLACK = 20;

  /** Nothing that ends while the transaction is open can be cleaned up, so dead rows pile up. */
  @Test
  @Guarantee({"QF13", "Q59"})
  void claims_and_sweeps_cost_the_same_after_thousands_of_dead_rows_that_stay() throws Exception {
    try (QueueFixture queues = QueueFixture.manual();
        Connection pin = TestDatabase.connect()) {
      PostgresPartition orders =
          queues.open(queues.add(NewQueue.named("orders").leaseFor(Duration.ofSeconds(1))));
      pin.setAutoCommit(false);
      pin.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
      RaceFixture.run(pin, "SELECT count(*) FROM pg_class");

      run(queues, orders, 10);
      long claimEarly = claimBuffers(queues, orders, orders.context().hint.current());
      long sweepEarly = sweepBuffers(queues, orders);
      run(queues, orders, 30);

      long fromTheBeginning = claimBuffers(queues, orders, "");
      long claimLate = claimBuffers(queues, orders, orders.context().hint.current());
      long sweepLate = sweepBuffers(queues, orders);
      assertThat(claimLate).isLessThanOrEqualTo(claimEarly + SLACK);
      assertThat(sweepLate).isLessThanOrEqualTo(sweepEarly + SLACK);
      assertThat(fromTheBeginning).as("what a hint spares").isGreaterThan(2 * claimLate);
      pin.rollback();
    }
  }

  @Test
  @Guarantee("Q96")
  void a_claim_knows_of_what_got_a_new_id_since_it_began() throws Exception {
    try (QueueFixture queues = QueueFixture.manual();
        Connection other = TestDatabase.connect()) {
      PostgresPartition orders = queues.open(queues.add(NewQueue.named("orders")));
      orders.produce(List.of(List.of(item("a"))), CALL);
      String slow = orders.context().sql.claim.replace("paused = ''", "pg_sleep(1) IS NOT NULL");
      CompletableFuture<Long> found =
          CompletableFuture.supplyAsync(() -> found(queues, other, slow));
      while (TestDatabase.query(
              "SELECT 1 FROM pg_stat_activity WHERE wait_event = 'PgSleep' AND pid = "
                  + other.unwrap(PGConnection.class).getBackendPID())
          == null) {
        LockSupport.parkNanos(100_000);
      }

      orders.retry(List.of(List.of(Retry.now(leaseIds(orders, 1).get(0)))), CALL);

      assertThat(found.get(20, TimeUnit.SECONDS)).as("found, and not leased").isEqualTo(1);
      assertThat(leaseIds(orders, 1)).hasSize(1);
    }
  }

  /** How many items a claim found, of which it must have leased none. */
  private static long found(QueueFixture queues, Connection connection, String claim) {
    try (PreparedStatement statement = connection.prepareStatement(claim)) {
      Binds.of(statement).now(queues.manual).text("orders").text("").integer(2).number(1 << 24);
      try (ResultSet row = statement.executeQuery()) {
        row.next();
        assertThat(row.getString("id")).isNull();
        return row.getLong("found");
      }
    } catch (SQLException e) {
      throw new AssertionError(e);
    }
  }

  /** Whole life cycles, a second each; at the end some items wait and the hint is behind them. */
  private static void run(QueueFixture queues, PostgresPartition orders, int rounds) {
    List<NewItem> items = IntStream.range(0, BATCH).mapToObj(n -> item("item")).toList();
    for (int round = 0; round < rounds; round++) {
      orders.produce(List.of(items), CALL);
      List<String> ids = leaseIds(orders, BATCH);
      assertThat(ids).hasSize(BATCH);
      assertThat(orders.complete(List.of(ids), CALL).faults()).containsOnlyNulls();
      queues.advance(Duration.ofSeconds(1));
      sweep(orders);
    }
    leaseIds(orders, 1);
  }

  private static long claimBuffers(QueueFixture queues, PostgresPartition orders, String from)
      throws SQLException {
    orders.produce(List.of(List.of(item("a"), item("b"))), CALL);
    return buffers(
        orders.context().sql.claim,
        binds -> binds.now(queues.manual).text("orders").text(from).integer(2).number(1 << 24));
  }

  private static long sweepBuffers(QueueFixture queues, PostgresPartition orders)
      throws SQLException {
    var floor = orders.context().actions.current();
    return buffers(
        new LifecycleSql(orders.context().sql.template).scanActions,
        binds ->
            binds
                .now(queues.manual)
                .text("orders")
                .at(floor)
                .integer(9)
                .at(floor)
                .integer(9)
                .integer(9));
  }

  private interface Bound {
    Binds to(Binds binds) throws SQLException;
  }

  /** Pages that a statement looks at; what it changes is undone. */
  private static long buffers(String sql, Bound bound) throws SQLException {
    try (Connection connection = TestDatabase.begin()) {
      RaceFixture.run(connection, "SET LOCAL enable_seqscan = off");
      RaceFixture.run(connection, "SET LOCAL enable_bitmapscan = off");
      String explain = "EXPLAIN (ANALYZE, BUFFERS, TIMING OFF, SUMMARY OFF) " + sql;
      StringBuilder plan = new StringBuilder();
      try (PreparedStatement statement = connection.prepareStatement(explain)) {
        bound.to(Binds.of(statement));
        try (ResultSet rows = statement.executeQuery()) {
          while (rows.next()) {
            plan.append(rows.getString(1)).append('\n');
          }
        }
      }
      connection.rollback();
      return pages(plan.toString());
    }
  }

  /** The first line about buffers is about the whole plan. */
  private static long pages(String plan) {
    Matcher whole = Pattern.compile("Buffers: shared (.*)").matcher(plan);
    assertThat(whole.find()).as(plan).isTrue();
    Matcher part = Pattern.compile("(hit|read)=(\\d+)").matcher(whole.group(1));
    long pages = 0;
    while (part.find()) {
      pages += Long.parseLong(part.group(2));
    }
    return pages;
  }

  @Test
  @Guarantee({"QF15", "Q71"})
  void a_queue_deleted_and_made_again_under_load_never_shows_old_items() throws Exception {
    try (QueueFixture queues = QueueFixture.real();
        QueueService here = service(queues);
        QueueService there = service(queues)) {
      NewQueue orders = NewQueue.named("orders");
      here.create(orders);
      AtomicInteger generation = new AtomicInteger();
      AtomicBoolean stop = new AtomicBoolean();
      AtomicInteger turns = new AtomicInteger();
      Set<Kind> kinds = ConcurrentHashMap.newKeySet();
      List<CompletableFuture<Void>> load = new ArrayList<>();
      for (QueueService service : List.of(here, there, there)) {
        load.add(
            async(
                () -> {
                  while (!stop.get()) {
                    produceOne(service.queue("orders"), generation, kinds);
                    turns.incrementAndGet();
                  }
                  return null;
                }));
      }

      for (int round = 1; round <= 5; round++) {
        int before = turns.get();
        await(() -> turns.get() > before + 12);
        here.delete("orders", true);
        here.create(orders);
        int current = generation.incrementAndGet();
        assertThat(here.queue("orders").admin().list(0, "", 0))
            .extracting(QueueUnrestTest::number)
            .allMatch(number -> number >= current - 1);
      }
      stop.set(true);
      for (CompletableFuture<Void> thread : load) {
        thread.get(30, SECONDS);
      }
      here.delete("orders", true);
      here.create(orders);

      assertThat(kinds).doesNotContain(Kind.INTERNAL, Kind.CONFLICT);
      assertThat(here.queue("orders").admin().list(0, "", 0)).isEmpty();
    }
  }

  private static int number(StoredItem item) {
    return Integer.parseInt(item.content().text());
  }

  private static void produceOne(Queue queue, AtomicInteger generation, Set<Kind> kinds) {
    try {
      queue.produce(List.of(item(generation.toString())), Duration.ofSeconds(5));
    } catch (QueueException e) {
      kinds.add(e.kind());
    }
  }

  @Test
  @Guarantee({"QF22", "Q89"})
  void a_shutdown_gives_up_statements_that_are_blocked_beyond_its_grace() throws Exception {
    String name = TestDatabase.unique("blocked");
    Duration grace = Duration.ofSeconds(1);
    try (QueueFixture queues = QueueFixture.real(TestDatabase.url("ApplicationName=" + name));
        Connection busy = TestDatabase.begin()) {
      QueueService service =
          QueueService.over(queues.store().queues(), QueueOptions.DEFAULTS.withGrace(grace));
      service.create(NewQueue.named("busy"));
      service.queue("busy").produce(item("first"));
      lock(busy, queues, "busy");
      CompletableFuture<Produced> produce =
          service.queue("busy").produceAsync(List.of(item("second")), PATIENT);
      CompletableFuture<LeasedItems> lease =
          service.queue("busy").leaseAsync(new LeaseRequest("c", 1, PATIENT));
      await(() -> blocked(name) >= 2);

      service.close();

      assertThat(produce).isCompletedExceptionally();
      assertThat(lease).isCompletedExceptionally();
      busy.rollback();
      assertThat(queues.rows("busy", 0)).isEqualTo(1);
    }
  }

  @Test
  @Guarantee({"QF22", "Q89"})
  void a_shutdown_in_full_run_answers_every_call_once_and_in_time() throws Exception {
    String name = TestDatabase.unique("shutdown");
    Duration grace = Duration.ofSeconds(2);
    try (QueueFixture queues = QueueFixture.real(TestDatabase.url("ApplicationName=" + name));
        Connection busy = TestDatabase.begin();
        Connection due = TestDatabase.begin()) {
      QueueService service =
          QueueService.over(queues.store().queues(), QueueOptions.DEFAULTS.withGrace(grace));
      for (String queue : List.of("busy", "idle", "paused", "due")) {
        service.create(NewQueue.named(queue).leaseFor(Duration.ofMillis(300)));
        service.queue(queue).produce(item("first"));
      }
      service.queue("paused").admin().pause();
      service.queue("idle").lease(new LeaseRequest("c", 1, PATIENT));
      service.queue("due").lease(new LeaseRequest("c", 1, PATIENT));
      lock(busy, queues, "busy");
      lock(due, queues, "due");

      List<CompletableFuture<Produced>> produces = new ArrayList<>();
      List<CompletableFuture<LeasedItems>> leases = new ArrayList<>();
      for (int n = 0; n < 20; n++) {
        produces.add(service.queue("busy").produceAsync(List.of(item("p" + n)), PATIENT));
        LeaseRequest request = new LeaseRequest("c" + n, 1, PATIENT);
        leases.add(service.queue("paused").leaseAsync(request));
      }
      leases.add(service.queue("due").leaseAsync(new LeaseRequest("d", 1, PATIENT)));
      await(() -> blocked(name) >= 2);
      long before = System.nanoTime();
      CompletableFuture<Void> closing =
          async(
              () -> {
                service.close();
                return null;
              });

      QueueException refusedNow = refusal(service);
      busy.rollback();
      due.rollback();
      closing.get(15, SECONDS);
      assertThat(Duration.ofNanos(System.nanoTime() - before)).isLessThan(grace.multipliedBy(4));
      for (CompletableFuture<LeasedItems> call : leases.subList(0, 20)) {
        assertThat(answer(call)).isEqualTo(Kind.FAILED);
      }
      answer(leases.get(20));
      List<Kind> answers = new ArrayList<>();
      produces.forEach(call -> answers.add(answer(call)));
      assertThat(refusedNow.kind()).isEqualTo(Kind.FAILED);
      assertThat(answers).allMatch(kind -> kind == null || kind == Kind.FAILED);
      long acknowledged = answers.stream().filter(kind -> kind == null).count();
      assertThat(queues.rows("busy", 0)).isEqualTo(1 + acknowledged);
    }
  }

  private static void lock(Connection connection, QueueFixture queues, String queue)
      throws SQLException {
    RaceFixture.run(connection, "LOCK TABLE " + queues.table(queue, 0) + " IN EXCLUSIVE MODE");
  }

  private static int blocked(String name) {
    return Integer.parseInt(
        String.valueOf(
            TestDatabase.query(
                "SELECT count(*) FROM pg_stat_activity WHERE application_name = '"
                    + name
                    + "' AND wait_event_type = 'Lock'")));
  }

  /** What somebody hears who comes too late. */
  private static QueueException refusal(QueueService service) throws Exception {
    List<QueueException> refused = new ArrayList<>();
    await(
        () -> {
          try {
            service.get("idle");
          } catch (QueueException e) {
            refused.add(e);
          }
          return !refused.isEmpty();
        });
    return refused.get(0);
  }

  /** How a call ended, which it must have; null when it was done. */
  private static @Nullable Kind answer(CompletableFuture<?> call) {
    assertThat(call).isDone();
    try {
      call.join();
      return null;
    } catch (CompletionException e) {
      return ((QueueException) e.getCause()).kind();
    }
  }
}
