package io.holdfast.postgres;

import static io.holdfast.postgres.QueueFixture.CALL;
import static io.holdfast.postgres.QueueFixture.leaseIds;
import static io.holdfast.postgres.QueueFixture.produce;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.holdfast.lease.CancellationSource;
import io.holdfast.lease.StoreCall;
import io.holdfast.postgres.PoolsTest.Kernel;
import io.holdfast.queue.ItemLeaser;
import io.holdfast.queue.NewItem;
import io.holdfast.queue.QueueException;
import io.holdfast.queue.Retry;
import io.holdfast.testkit.Guarantee;
import io.holdfast.testkit.net.PgWire;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What each operation costs on the wire, and what becomes of its failures. */
@Timeout(60)
class QueueWireTest {
  private static final Duration WARM = Duration.ofMillis(300);

  @Test
  void every_hot_operation_is_one_round_trip() {
    PgWire wire = new PgWire();
    try (Kernel kernel = Kernel.behind(wire);
        QueueFixture queues = QueueFixture.real(kernel.url())) {
      PostgresPartition partition = queues.open(queues.queue("orders"));
      for (int i = 0; i < 8; i++) {
        produce(partition, "a", "b", "c", "d", "e");
        List<String> ids = leaseIds(partition, 5);
        partition.retry(List.of(List.of(Retry.now(ids.get(0)))), CALL);
        partition.complete(List.of(ids.subList(1, 5)), CALL);
        partition.complete(List.of(leaseIds(partition, 5)), CALL);
      }
      Costs costs = new Costs(wire);

      List<String> ids = costs.of("produce", () -> produce(partition, "a", "b", "c", "d", "e"));
      costs.of("lease", () -> leaseIds(partition, 5));
      costs.of("empty lease", () -> leaseIds(partition, 5));
      costs.of(
          "extend",
          () ->
              partition.extend(
                  List.of(
                      new ItemLeaser.Extend(ids.subList(0, 1), null),
                      new ItemLeaser.Extend(ids.subList(1, 3), Duration.ofSeconds(9))),
                  CALL));
      costs.of(
          "retry",
          () ->
              partition.retry(
                  List.of(List.of(Retry.now(ids.get(0))), List.of(Retry.dead(ids.get(4)))), CALL));
      costs.of("hand back", () -> partition.handBack(ids.subList(3, 4), CALL));
      costs.of(
          "fused complete",
          () -> partition.complete(List.of(ids.subList(1, 2), ids.subList(2, 3)), CALL));
      costs.of("scan", () -> partition.scanActions(1000, CALL));
      costs.of("lifecycle info", () -> partition.lifecycleInfo(CALL));
      costs.of("lifecycle info", () -> partition.lifecycleInfo(CALL));

      assertThat(costs.measured)
          .as(costs.statements.toString())
          .containsExactly(
              "produce: 1",
              "lease: 1",
              "empty lease: 1",
              "extend: 1",
              "retry: 1",
              "hand back: 1",
              "fused complete: 1",
              "scan: 1",
              "lifecycle info: 2",
              "lifecycle info: 1");
    }
  }

  @Test
  void a_refused_request_costs_one_more() {
    PgWire wire = new PgWire();
    try (Kernel kernel = Kernel.behind(wire);
        QueueFixture queues = QueueFixture.real(kernel.url())) {
      PostgresPartition partition = queues.open(queues.queue("orders"));
      List<String> ids = produce(partition, "a");
      Costs costs = new Costs(wire);

      for (int i = 0; i < 5; i++) {
        costs.of("refused complete", () -> partition.complete(List.of(ids), CALL));
      }

      // The news of the new queue may share the wire with one of them.
      assertThat(costs.measured).contains("refused complete: 2");
    }
  }

  private static final class Costs {
    private final PgWire wire;
    private final List<String> measured = new ArrayList<>();
    private final List<String> statements = new ArrayList<>();

    Costs(PgWire wire) {
      this.wire = wire;
    }

    <T> T of(String operation, Supplier<T> call) {
      wire.reset();
      T result = call.get();
      measured.add(operation + ": " + (wire.roundTrips() - besides()));
      statements.add(operation + ": " + wire.statements());
      return result;
    }

    /**
     * Statistics follow a table's growth, on a thread and a connection of their own; and a pool
     * looks, with an empty statement, whether a connection is alive that was idle for half a second
     * (on a busy machine, between two of these calls).
     */
    private long besides() {
      return wire.statements().stream()
          .filter(sql -> sql.isEmpty() || sql.startsWith("ANALYZE"))
          .count();
    }
  }

  @Test
  @Guarantee({"QF19", "Q07"})
  void refused_data_are_invalid_and_store_nothing() {
    try (QueueFixture queues = QueueFixture.real()) {
      PostgresPartition partition = queues.open(queues.queue("orders"));
      produce(partition, "a");

      QueueException failure =
          catchThrowableOfType(
              QueueException.class,
              () ->
                  partition.produce(
                      List.of(
                          List.of(NewItem.text("b")), List.of(NewItem.text("c").withKind("x\0y"))),
                      CALL));

      assertThat(failure.kind()).isEqualTo(QueueException.Kind.INVALID);
      assertThat(failure).hasMessageContaining("produce of 'orders'");
      assertThat(failure.getCause()).isInstanceOf(SQLException.class);
      assertThat(queues.rows("orders", 0)).isEqualTo(1);
    }
  }

  @Test
  @Guarantee({"QF3", "Q25"})
  void a_lost_answer_of_a_change_is_unknown_and_that_of_a_look_is_not() throws Exception {
    try (QueueFixture queues = QueueFixture.real();
        Connection blocker = TestDatabase.begin()) {
      PostgresPartition partition = queues.open(queues.queue("orders"));
      produce(partition, "a");
      leaseIds(partition, 1);
      assertThat(partition.context().hint.current()).isNotEmpty();
      TransactionsTest.run(
          blocker, "LOCK TABLE " + queues.table("orders", 0) + " IN ACCESS EXCLUSIVE MODE");

      QueueException change = killed(queues, () -> partition.lease(1, CALL));
      assertThat(change.isOutcomeUnknown()).isTrue();
      assertThat(change.kind()).isEqualTo(QueueException.Kind.RETRYABLE);
      assertThat(partition.context().hint.current()).isEmpty();
      QueueException look = killed(queues, () -> partition.list("", 1, CALL));
      assertThat(look.isOutcomeUnknown()).isFalse();
      assertThat(look.kind()).isEqualTo(QueueException.Kind.RETRYABLE);
      blocker.rollback();
    }
  }

  private static QueueException killed(QueueFixture queues, Runnable call) throws Exception {
    Thread killer =
        new Thread(
            () -> {
              String kill =
                  """
                  SELECT count(pg_terminate_backend(l.pid)) FROM pg_locks AS l
                    JOIN pg_class AS c ON c.oid = l.relation
                   WHERE NOT l.granted AND c.relname = '%s'
                  """
                      .formatted(ItemTables.name("orders", 0));
              while ("0".equals(TestDatabase.query(kill))) {
                Thread.onSpinWait();
              }
            });
    killer.start();
    QueueException failure = catchThrowableOfType(QueueException.class, call::run);
    killer.join();
    return failure;
  }

  @Test
  void a_call_ends_at_its_limit_or_when_it_is_called_off() throws Exception {
    try (QueueFixture queues = QueueFixture.real();
        Connection blocker = TestDatabase.begin()) {
      PostgresPartition partition = queues.open(queues.queue("orders"));
      produce(partition, "a");
      TransactionsTest.run(
          blocker, "LOCK TABLE " + queues.table("orders", 0) + " IN ACCESS EXCLUSIVE MODE");
      CancellationSource source = new CancellationSource();
      source.cancel();

      QueueException late =
          catchThrowableOfType(
              QueueException.class,
              () ->
                  partition.list(
                      "", 1, new StoreCall(io.holdfast.lease.Cancellation.never(), WARM)));
      QueueException calledOff =
          catchThrowableOfType(
              QueueException.class,
              () -> partition.lease(1, new StoreCall(source, Duration.ofSeconds(20))));

      assertThat(late.kind()).isEqualTo(QueueException.Kind.RETRYABLE);
      assertThat(calledOff.code()).isEqualTo(io.holdfast.ErrorCode.ABORTED);
      blocker.rollback();
    }
  }
}
