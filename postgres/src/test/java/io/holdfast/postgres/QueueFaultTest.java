package io.holdfast.postgres;

import static io.holdfast.postgres.QueueFixture.CALL;
import static io.holdfast.postgres.QueueFixture.item;
import static io.holdfast.postgres.QueueFixture.leaseIds;
import static io.holdfast.postgres.QueueFixture.produce;
import static io.holdfast.postgres.QueueFixture.sweep;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.holdfast.queue.Clear;
import io.holdfast.queue.ItemSettler;
import io.holdfast.queue.LeaseRequest;
import io.holdfast.queue.LeasedItem;
import io.holdfast.queue.LeasedItems;
import io.holdfast.queue.NewQueue;
import io.holdfast.queue.Partition;
import io.holdfast.queue.Queue;
import io.holdfast.queue.QueueAdmin;
import io.holdfast.queue.QueueException;
import io.holdfast.queue.QueueException.Kind;
import io.holdfast.queue.QueueInfo;
import io.holdfast.queue.QueueOptions;
import io.holdfast.queue.QueueService;
import io.holdfast.queue.QueueUpdate;
import io.holdfast.queue.Retry;
import io.holdfast.testkit.Guarantee;
import io.holdfast.testkit.net.TcpProxy;
import java.net.URI;
import java.sql.Connection;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.function.BooleanSupplier;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What becomes of queues when the database, its connections or its transactions fail. */
@Timeout(60)
class QueueFaultTest {
  private static final Duration SHORT = Duration.ofMillis(500);
  private static final Duration PATIENT = Duration.ofSeconds(20);
  private static final NewQueue ORDERS =
      NewQueue.named("orders").leaseFor(Duration.ofSeconds(1)).expireAfter(Duration.ofHours(1));

  /** A database, and the way of one process to it, which can be disturbed. */
  private static final class Behind implements AutoCloseable {
    final QueueFixture direct;
    final TcpProxy proxy;
    final PostgresStore store;
    final QueueService service;
    final Queue orders;

    /** The queue is there before the process starts. */
    Behind(boolean isUp) throws Exception {
      direct = QueueFixture.real();
      direct.add(ORDERS);
      URI address = URI.create(TestDatabase.url().substring("jdbc:".length()));
      proxy = TcpProxy.to(address.getHost(), address.getPort() < 0 ? 5432 : address.getPort());
      proxy.refuse(!isUp);
      String url =
          TestDatabase.url("prepareThreshold=0&sslmode=disable")
              .replaceFirst("//[^/]+/", "//" + proxy.host() + ":" + proxy.port() + "/");
      PostgresOptions options = PostgresOptions.DEFAULTS.withQueueSchema(direct.schema);
      store = new PostgresStore(Pools.open(ConnectionString.parse(url), options.pool()), options);
      service = QueueService.over(store.queues(), QueueOptions.DEFAULTS);
      orders = service.queue("orders");
    }

    long rows() {
      return direct.rows("orders", 0);
    }

    @Override
    public void close() {
      service.close();
      store.close();
      proxy.close();
      direct.close();
    }
  }

  @Test
  @Guarantee({"QF1", "Q87"})
  void a_service_that_starts_without_its_database_recovers_by_itself() throws Exception {
    try (Behind behind = new Behind(false)) {
      Partition partition = behind.direct.open(catalogued(behind));
      produce(partition, "a");
      String left = leaseIds(partition, 1).get(0);

      behind.service.start();
      QueueException refused = failure(() -> behind.orders.produce(List.of(item("b")), SHORT));
      QueueException unread = failure(() -> behind.service.get("orders"));

      assertThat(refused.kind()).isEqualTo(Kind.RETRYABLE);
      assertThat(unread.kind()).isEqualTo(Kind.RETRYABLE);
      assertThat(behind.rows()).isEqualTo(1);
      behind.proxy.refuse(false);
      await(() -> partition.list("", 10, CALL).stream().noneMatch(i -> i.id().equals(left)));
      behind.orders.produce(List.of(item("b")), PATIENT);
      assertThat(behind.rows()).isEqualTo(2);
    }
  }

  private static QueueInfo catalogued(Behind behind) {
    return behind.direct.catalog().get("orders", CALL).orElseThrow();
  }

  @Test
  @Guarantee({"QF2", "Q06", "Q07"})
  void a_produce_without_a_database_is_retryable_by_its_deadline_and_stores_nothing()
      throws Exception {
    try (Behind behind = new Behind(true)) {
      behind.orders.produce(item("a"));
      behind.proxy.refuse(true);
      behind.proxy.cut();

      long before = System.nanoTime();
      QueueException refused = failure(() -> behind.orders.produce(List.of(item("b")), SHORT));

      assertThat(refused.kind()).isEqualTo(Kind.RETRYABLE);
      assertThat(Duration.ofNanos(System.nanoTime() - before)).isLessThan(Duration.ofSeconds(10));
      assertThat(behind.rows()).isEqualTo(1);
      behind.proxy.refuse(false);
      behind.orders.produce(List.of(item("c")), PATIENT);
      assertThat(behind.rows()).isEqualTo(2);
    }
  }

  @Test
  @Guarantee({"QF3", "Q06"})
  void a_produce_whose_answer_was_lost_has_an_unknown_outcome_and_is_not_sent_again()
      throws Exception {
    try (Behind behind = new Behind(true)) {
      behind.orders.produce(item("a"));
      CompletableFuture<byte[]> lost = behind.proxy.swallowNextAnswer("RETURNING enqueue_at");

      QueueException unknown = failure(() -> behind.orders.produce(List.of(item("b")), PATIENT));

      lost.get(10, SECONDS);
      assertThat(unknown.isOutcomeUnknown()).isTrue();
      assertThat(unknown.kind()).isEqualTo(Kind.RETRYABLE);
      assertThat(behind.rows()).isEqualTo(2);
    }
  }

  @Test
  @Guarantee("QF3")
  void a_complete_whose_answer_was_lost_has_an_unknown_outcome() throws Exception {
    try (Behind behind = new Behind(true)) {
      behind.orders.produce(item("a"));
      LeasedItems leased = behind.orders.lease(new LeaseRequest("c", 1, PATIENT));
      CompletableFuture<byte[]> lost = behind.proxy.swallowNextAnswer("FROM q) AS active, ARRAY");

      QueueException unknown =
          failure(() -> behind.orders.complete(leased.partition(), leased.ids(), PATIENT));

      lost.get(10, SECONDS);
      assertThat(unknown.isOutcomeUnknown()).isTrue();
      assertThat(behind.rows()).isZero();
    }
  }

  @Test
  @Guarantee({"QF3", "Q25"})
  void a_claim_whose_answer_was_lost_delivers_nothing_and_its_items_return() throws Exception {
    try (Behind behind = new Behind(true)) {
      String id = behind.orders.produce(item("a")).ids().get(0);
      CompletableFuture<byte[]> lost = behind.proxy.swallowNextAnswer("fitting AS MATERIALIZED");

      CompletableFuture<LeasedItems> waiting =
          behind.orders.leaseAsync(new LeaseRequest("c", 1, Duration.ofSeconds(30)));
      lost.get(10, SECONDS);

      LeasedItems leased;
      try {
        leased = waiting.get(30, SECONDS);
      } catch (ExecutionException e) {
        assertThat(((QueueException) e.getCause()).kind()).isEqualTo(Kind.RETRYABLE);
        leased = behind.orders.lease(new LeaseRequest("c", 1, Duration.ofSeconds(30)));
      }
      assertThat(leased.items()).extracting(LeasedItem::attempts).containsExactly(2);
      assertThat(leased.ids()).doesNotContain(id);
    }
  }

  @Test
  @Guarantee({"QF8", "Q41"})
  void a_crash_in_the_middle_of_a_dead_letter_leaves_both_sides_or_neither() throws Exception {
    String name = TestDatabase.unique("crash");
    try (QueueFixture queues = QueueFixture.real(TestDatabase.url("ApplicationName=" + name));
        Connection blocker = TestDatabase.begin()) {
      Partition dead = queues.open(queues.queue("dead"));
      Partition orders = queues.open(queues.add(NewQueue.named("orders").deadQueue("dead")));
      produce(dead, "other");
      String id = produce(orders, "a").get(0);
      leaseIds(orders, 1);

      RaceFixture.run(blocker, "LOCK TABLE " + queues.table("dead", 0) + " IN EXCLUSIVE MODE");
      CompletableFuture<ItemSettler.Settled> moving =
          async(() -> orders.retry(List.of(List.of(Retry.dead(id))), CALL));
      String blocked =
          "FROM pg_stat_activity WHERE application_name = '"
              + name
              + "' AND wait_event_type = 'Lock'";
      await(() -> "1".equals(TestDatabase.query("SELECT count(*) " + blocked)));
      TestDatabase.query("SELECT pg_terminate_backend(pid) " + blocked);
      QueueException crashed = failure(moving::join);
      blocker.rollback();

      assertThat(crashed.kind()).isEqualTo(Kind.RETRYABLE);
      assertThat(queues.rows("orders", 0)).isEqualTo(1);
      assertThat(queues.rows("dead", 0)).isEqualTo(1);
      assertThat(orders.retry(List.of(List.of(Retry.dead(id))), CALL).faults()).containsOnlyNulls();
      assertThat(queues.rows("orders", 0)).isZero();
      assertThat(dead.list("", 10, CALL))
          .extracting(item -> item.origin().sourceId())
          .containsExactlyInAnyOrder(null, id);
    }
  }

  @Test
  @Guarantee({"QF23", "Q62", "Q63", "Q27"})
  void an_update_of_one_field_in_another_process_binds_the_next_statement() {
    try (QueueFixture queues = QueueFixture.real();
        QueueService here = service(queues);
        QueueService there = service(queues)) {
      NewQueue given = ORDERS.maxAttempts(7).reference("r");
      QueueInfo before = here.create(given);
      here.queue("orders").produce(item("a"), item("b"));
      LeasedItems first = here.queue("orders").lease(new LeaseRequest("c", 1, PATIENT));

      there.update("orders", QueueUpdate.NOTHING.leaseFor(Duration.ofMinutes(30)));

      QueueInfo after = here.get("orders");
      LeasedItems second = here.queue("orders").lease(new LeaseRequest("c", 1, PATIENT));
      assertThat(after.settings().leaseTimeout()).isEqualTo(Duration.ofMinutes(30));
      assertThat(after.settings())
          .usingRecursiveComparison()
          .ignoringFields("leaseTimeout")
          .isEqualTo(before.settings());
      Instant later = first.items().get(0).leaseDeadline().plus(Duration.ofMinutes(20));
      assertThat(second.items().get(0).leaseDeadline()).isAfter(later);
    }
  }

  @Test
  @Guarantee("QF24")
  void a_store_error_in_stats_list_and_clear_is_answered() {
    try (QueueFixture queues = QueueFixture.real();
        QueueService service = service(queues)) {
      service.create(ORDERS);
      service.queue("orders").produce(item("a"));
      QueueAdmin admin = service.queue("orders").admin();
      String rename = "ALTER TABLE " + queues.table("orders", 0) + " RENAME COLUMN ";
      TestDatabase.execute(rename + "created_at TO elsewhere");
      TestDatabase.execute(rename + "enqueue_at TO elsewhen");

      List<ThrowingCallable> calls =
          List.of(
              admin::stats,
              () -> admin.list(0, "", 0),
              () -> admin.listScheduled(0, "", 0),
              () -> admin.clear(Clear.WAITING));

      for (ThrowingCallable call : calls) {
        assertThat(failure(call).kind()).isEqualTo(Kind.INTERNAL);
      }
      TestDatabase.execute(rename + "elsewhere TO created_at");
      TestDatabase.execute(rename + "elsewhen TO enqueue_at");
      assertThat(admin.list(0, "", 0)).hasSize(1);
      admin.clear(Clear.WAITING);
      assertThat(admin.stats().partitions().get(0).counts().total()).isZero();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"40P01", "40001"})
  @Guarantee("QF25")
  void a_lost_conflict_is_repeated(String state) {
    try (QueueFixture queues = QueueFixture.manual()) {
      Partition orders = queues.open(queues.add(ORDERS));
      List<String> ids = produce(orders, "a", "b");
      String schema = queues.schema;
      TestDatabase.execute("CREATE SEQUENCE " + schema + ".turns");
      TestDatabase.execute(
          """
          CREATE FUNCTION %1$s.lose() RETURNS trigger LANGUAGE plpgsql AS $$
          BEGIN
            IF nextval('%1$s.turns') <= 2 THEN
              RAISE EXCEPTION 'lost' USING ERRCODE = '%2$s';
            END IF;
            RETURN NULL;
          END $$"""
              .formatted(schema, state));
      TestDatabase.execute(
          "CREATE TRIGGER lose AFTER INSERT OR UPDATE OR DELETE ON %s EXECUTE FUNCTION %s.lose()"
              .formatted(queues.table("orders", 0), schema));

      String again = "ALTER SEQUENCE " + schema + ".turns RESTART";
      produce(orders, "c");
      TestDatabase.execute(again);
      assertThat(leaseIds(orders, 2)).isEqualTo(ids);
      TestDatabase.execute(again);
      assertThat(orders.complete(List.of(ids.subList(0, 1)), CALL).faults()).containsOnlyNulls();
      TestDatabase.execute(again);
      queues.advance(Duration.ofSeconds(1));
      sweep(orders);

      assertThat(orders.list("", 10, CALL))
          .extracting(item -> item.content().text())
          .containsExactly("c", "b");
    }
  }

  static QueueService service(QueueFixture queues) {
    return QueueService.over(queues.process().queues(), QueueOptions.DEFAULTS);
  }

  static <T> CompletableFuture<T> async(Callable<T> call) {
    return CompletableFuture.supplyAsync(
        () -> {
          try {
            return call.call();
          } catch (RuntimeException e) {
            throw e;
          } catch (Exception e) {
            throw new AssertionError(e);
          }
        });
  }

  /** The failure that a call ends with. */
  private static QueueException failure(ThrowingCallable call) {
    Throwable thrown = catchThrowable(call);
    Throwable cause = thrown instanceof CompletionException ? thrown.getCause() : thrown;
    assertThat(cause).isInstanceOf(QueueException.class);
    return (QueueException) cause;
  }

  /** Looks again, a little later each time on the database's clock, until it holds. */
  static void await(BooleanSupplier holds) throws Exception {
    for (int turn = 0; !holds.getAsBoolean(); turn++) {
      if (turn == 1000) {
        throw new AssertionError("it did not happen in time");
      }
      RaceFixture.pause(0.02);
    }
  }
}
