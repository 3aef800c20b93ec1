package io.holdfast.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.lock.Acquired;
import io.holdfast.lock.LockCall;
import io.holdfast.lock.LockId;
import io.holdfast.lock.LockKey;
import io.holdfast.lock.LockOptions;
import io.holdfast.lock.LockStore;
import io.holdfast.lock.LockTtl;
import io.holdfast.lock.Locks;
import io.holdfast.postgres.PoolsTest.Kernel;
import io.holdfast.testkit.Guarantee;
import io.holdfast.testkit.net.PgWire;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What each operation costs: round trips on the wire, transaction ids and log on the server. */
@Timeout(60)
class LockWireTest {
  private static final Duration TTL = Duration.ofSeconds(60);
  private static final PoolSettings ONE = PoolSettings.DEFAULTS.withMaxConnections(1);
  private static final LockOptions QUIET = LockOptions.DEFAULTS.withPurgeEvery(null);

  /** Enough to pass the number of uses after which the driver prepares a statement. */
  private static final int USES = 12;

  /** The pool looks whether a connection lives when it was idle for longer than 500 ms. */
  private static final Duration WARM = Duration.ofMillis(300);

  private static final int TRIES = 20;

  @ParameterizedTest
  @Guarantee("L88")
  @ValueSource(strings = {"prepareThreshold=0", "prepareThreshold=1", "prepareThreshold=5"})
  void every_operation_is_one_round_trip(String parameters) {
    PgWire wire = new PgWire();
    try (Kernel kernel = Kernel.behind(wire, parameters)) {
      Locks locks = kernel.locks(o -> o.withPool(ONE).withLocks(QUIET)).locks();
      locks.setup();
      Costs costs = new Costs(wire);
      String unknown = LockId.random().text();

      for (int i = 0; i < USES; i++) {
        Acquired[] lock = new Acquired[1];
        costs.of("acquire", () -> lock[0] = (Acquired) locks.acquire("k", TTL));
        costs.of("refused acquire", () -> locks.acquire("k", TTL));
        costs.of("extend", () -> lock[0].extend(TTL));
        costs.of("extend of an unknown id", () -> locks.extend(unknown, TTL));
        costs.of("isLocked", () -> locks.isLocked("k"));
        costs.of("lookup", () -> locks.lookup("k"));
        costs.of("lookupById", () -> locks.lookupById(lock[0].lockId()));
        costs.of("release", () -> lock[0].release());
        costs.of("release of an unknown id", () -> locks.release(unknown));
        costs.of("setup with nothing missing", locks::setup);
      }

      assertThat(costs.measured).hasSizeGreaterThan(5 * USES);
      assertThat(costs.measured).allMatch(cost -> cost.endsWith(": 1"));
    }
  }

  @Test
  @Guarantee("L88")
  void the_first_use_costs_one_more_for_looking_at_the_catalog() {
    PgWire wire = new PgWire();
    try (Kernel kernel = Kernel.behind(wire)) {
      LockTables tables = TestDatabase.freshTables();
      kernel.locks(TestDatabase.url(), o -> o.withLockTables(tables)).setup();
      Locks locks =
          kernel.locks(o -> o.withPool(ONE).withLocks(QUIET).withLockTables(tables)).locks();
      kernel.locks(o -> o.withPool(ONE)).setup();
      wire.reset();

      locks.acquire("k", TTL);

      assertThat(roundTrips(wire)).isEqualTo(2);
    }
  }

  @Test
  @Guarantee("L88")
  void many_leases_are_renewed_in_one_round_trip() {
    PgWire wire = new PgWire();
    try (Kernel kernel = Kernel.behind(wire);
        PostgresStore store =
            new PostgresStore(
                kernel.database(ONE),
                PostgresOptions.DEFAULTS.withLockTables(TestDatabase.freshTables()))) {
      LockStore locks = store.locks().store();
      List<LockStore.Extend> leases = new ArrayList<>();
      for (int i = 0; i < 50; i++) {
        LockId id = LockId.random();
        locks.acquire(
            new LockStore.Request(LockKey.of("k" + i), id, false, LockTtl.of(TTL), null),
            LockCall.plain());
        leases.add(new LockStore.Extend(id, LockTtl.of(TTL)));
      }
      wire.reset();

      assertThat(locks.extendMany(leases, LockCall.plain())).hasSize(50);

      assertThat(roundTrips(wire)).isEqualTo(1);
    }
  }

  @Test
  void a_guard_is_one_round_trip_in_its_transaction() throws SQLException {
    PgWire wire = new PgWire();
    try (Kernel kernel = Kernel.behind(wire);
        Connection connection = DriverManager.getConnection(kernel.url())) {
      PostgresHoldfast holdfast = kernel.locks(TestDatabase.url(), o -> o.withLocks(QUIET));
      Acquired lock = (Acquired) holdfast.locks().acquire("k", TTL);
      connection.setAutoCommit(false);
      TransactionsTest.run(connection, "SELECT 1");
      wire.reset();

      holdfast.in(connection).guard("resource", lock.fence());
      assertThat(wire.roundTrips()).isEqualTo(1);
      holdfast.in(connection).guardStrict(lock);
      assertThat(wire.roundTrips()).isEqualTo(2);
      connection.rollback();
    }
  }

  /** Through a pooler that gives each transaction another session, these would be lost or worse. */
  @Test
  void operations_leave_nothing_in_the_session() {
    PgWire wire = new PgWire();
    try (Kernel kernel = Kernel.behind(wire)) {
      Locks locks = kernel.locks(o -> o.withPool(ONE).withLocks(QUIET)).locks();
      locks.isLocked("warm up");
      wire.reset();

      locks.setup();
      Acquired lock = (Acquired) locks.acquire("k", TTL);
      lock.extend(TTL);
      locks.isLocked("k");
      lock.release();

      assertThat(wire.statements())
          .noneMatch(
              sql -> sql.matches("(?is)\\s*(SET\\s+(?!LOCAL|TRANSACTION)|LISTEN|CREATE TEMP).*"))
          .noneMatch(sql -> sql.matches("(?is).*pg_(try_)?advisory_lock.*"));
    }
  }

  @Test
  void what_changes_nothing_takes_no_transaction_id_and_writes_no_log() throws SQLException {
    try (Kernel kernel = Kernel.direct();
        Connection probe = TestDatabase.connect()) {
      Locks locks = kernel.locks(o -> o.withPool(ONE).withLocks(QUIET)).locks();
      Acquired held = (Acquired) locks.acquire("k", TTL);
      String unknown = LockId.random().text();

      nothing(probe, "refused acquire", () -> locks.acquire("k", TTL));
      nothing(probe, "release of an unknown id", () -> locks.release(unknown));
      nothing(probe, "extend of an unknown id", () -> locks.extend(unknown, TTL));
      nothing(probe, "isLocked", () -> locks.isLocked("k"));
      nothing(probe, "lookup", () -> locks.lookup("k"));
      nothing(probe, "lookupById", () -> locks.lookupById(held.lockId()));
      nothing(probe, "setup with nothing missing", locks::setup);
    }
  }

  @Test
  void what_changes_something_takes_one_transaction_id() throws SQLException {
    try (Kernel kernel = Kernel.direct();
        Connection probe = TestDatabase.connect()) {
      Locks locks = kernel.locks(o -> o.withPool(ONE).withLocks(QUIET)).locks();
      locks.setup();
      List<Acquired> granted = new ArrayList<>();

      long acquire =
          leastXids(probe, () -> granted.add((Acquired) locks.acquire("k" + granted.size(), TTL)));
      long extend = leastXids(probe, () -> granted.get(0).extend(TTL));
      long release = leastXids(probe, () -> granted.remove(0).release());

      assertThat(acquire).isEqualTo(1);
      assertThat(extend).isEqualTo(1);
      assertThat(release).isEqualTo(1);
    }
  }

  /** Without the empty statements by which the pool looks whether an idle connection lives. */
  private static long roundTrips(PgWire wire) {
    return wire.roundTrips() - wire.statements().stream().filter(String::isEmpty).count();
  }

  /** Counts the round trips of calls on a warm pool. */
  private static final class Costs {
    private final PgWire wire;
    private final List<String> measured = new ArrayList<>();
    private long endedNanos = System.nanoTime();

    Costs(PgWire wire) {
      this.wire = wire;
    }

    void of(String operation, Runnable call) {
      wire.reset();
      boolean warm = System.nanoTime() - endedNanos < WARM.toNanos();
      call.run();
      if (warm) {
        measured.add(operation + ": " + wire.roundTrips());
      }
      endedNanos = System.nanoTime();
    }
  }

  /** Others may write at any moment, so it is the least of several tries that counts. */
  private static void nothing(Connection probe, String operation, Runnable call)
      throws SQLException {
    assertThat(leastXids(probe, call)).as("transaction ids of %s", operation).isZero();
    assertThat(leastLog(probe, call)).as("bytes of log of %s", operation).isZero();
  }

  private static long leastXids(Connection probe, Runnable call) throws SQLException {
    long least = Long.MAX_VALUE;
    for (int i = 0; i < TRIES && least > 0; i++) {
      long before = number(probe, "SELECT txid_current()");
      call.run();
      // Asking takes one as well.
      least = Math.min(least, number(probe, "SELECT txid_current()") - before - 1);
    }
    return least;
  }

  private static long leastLog(Connection probe, Runnable call) throws SQLException {
    String position = "SELECT pg_current_wal_insert_lsn() - '0/0'::pg_lsn";
    long least = Long.MAX_VALUE;
    for (int i = 0; i < TRIES && least > 0; i++) {
      long before = number(probe, position);
      call.run();
      least = Math.min(least, number(probe, position) - before);
    }
    return least;
  }

  private static long number(Connection probe, String sql) throws SQLException {
    return Long.parseLong(Objects.requireNonNull(LockSqlTest.read(probe, sql)));
  }
}
