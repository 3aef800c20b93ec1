package io.holdfast.postgres;

import io.holdfast.lock.LockOptions;
import io.holdfast.lock.Locks;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.UnaryOperator;

/** Locks on tables of their own, and the means to hold their calls up at a chosen point. */
final class RaceFixture implements AutoCloseable {
  static final Duration TTL = Duration.ofSeconds(30);

  final LockTables tables = TestDatabase.freshTables();
  final String name = TestDatabase.unique("race");
  final String url = TestDatabase.url("ApplicationName=" + name);
  final PostgresHoldfast holdfast;
  final Locks locks;
  private final ExecutorService threads = Executors.newCachedThreadPool();

  RaceFixture() {
    this(options -> options);
  }

  RaceFixture(UnaryOperator<PostgresOptions> change) {
    PostgresOptions options =
        PostgresOptions.DEFAULTS
            .withLockTables(tables)
            .withLocks(LockOptions.DEFAULTS.withPurgeEvery(null));
    holdfast = PostgresHoldfast.open(url, change.apply(options));
    locks = holdfast.locks();
    locks.setup();
  }

  <T> Future<T> async(Callable<T> call) {
    return threads.submit(call);
  }

  String lockTable() {
    return tables.schema() + "." + tables.table();
  }

  String counterTable() {
    return tables.schema() + "." + tables.fenceTable();
  }

  /** A transaction that holds the advisory lock of {@code key}. */
  Connection holdAdvisory(String key) throws SQLException {
    return begin("SELECT pg_advisory_xact_lock(hashtext(?))", key);
  }

  /** A transaction that holds the row of {@code key}. */
  Connection holdRow(String key) throws SQLException {
    return begin("SELECT 1 FROM " + lockTable() + " WHERE key = ? FOR UPDATE", key);
  }

  private static Connection begin(String sql, String key) throws SQLException {
    Connection connection = TestDatabase.begin();
    run(connection, sql, key);
    return connection;
  }

  static void run(Connection connection, String sql, Object... binds) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      for (int i = 0; i < binds.length; i++) {
        statement.setObject(i + 1, binds[i]);
      }
      statement.execute();
    }
  }

  static void end(Connection connection) throws SQLException {
    connection.commit();
    connection.close();
  }

  /** Waits until so many calls of this fixture's pool are stuck behind a lock. */
  void awaitBlocked(int calls) throws SQLException {
    String sql =
        "SELECT count(*) FROM pg_stat_activity WHERE application_name = ? AND wait_event_type = 'Lock'";
    try (Connection connection = TestDatabase.connect();
        PreparedStatement statement = connection.prepareStatement(sql)) {
      statement.setString(1, name);
      for (int turn = 0; turn < 1000; turn++) {
        try (ResultSet row = statement.executeQuery()) {
          row.next();
          if (row.getInt(1) >= calls) {
            return;
          }
        }
        pause(connection, 0.01);
      }
    }
    throw new AssertionError("no call got stuck");
  }

  /** Lets real time pass on the database's clock. */
  static void pause(Connection connection, double seconds) throws SQLException {
    run(connection, "SELECT pg_sleep(?)", seconds);
  }

  static void pause(double seconds) throws SQLException {
    try (Connection connection = TestDatabase.connect()) {
      pause(connection, seconds);
    }
  }

  long counter(String key) {
    String text =
        TestDatabase.query(
            "SELECT fence FROM " + counterTable() + " WHERE fence_key = 'fence:" + key + "'");
    return text == null ? 0 : Long.parseLong(text);
  }

  @Override
  public void close() {
    threads.shutdownNow();
    holdfast.close();
    TestDatabase.execute("DROP SCHEMA " + tables.schema() + " CASCADE");
  }
}
