package io.holdfast.postgres;

import io.holdfast.embedded.EmbeddedOptions;
import io.holdfast.embedded.EmbeddedPostgres;
import io.holdfast.lock.LockBackend;
import io.holdfast.lock.LockCall;
import io.holdfast.lock.LockKey;
import io.holdfast.testkit.Listening;
import io.holdfast.testkit.ManualTime;
import io.holdfast.testkit.lock.LockSubject;
import io.holdfast.testkit.net.QuickLogins;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The database of these tests: the one named by {@code HOLDFAST_TEST_DB}, else an embedded server
 * that lives as long as the JVM. Each subject has tables of its own in a schema of its own.
 */
final class TestDatabase {
  private static final AtomicInteger NUMBER = new AtomicInteger();
  private static final String RUN = Long.toString(System.nanoTime(), 36);

  /** These tests kill processes, not machines: what was written is there, flushed or not. */
  private static final EmbeddedOptions QUICK =
      EmbeddedOptions.defaults().withSetting("fsync", "off").withSetting("full_page_writes", "off");

  private static final @Nullable EmbeddedPostgres EMBEDDED;
  private static final String URL;
  private static final SpareSchemas LOCKS =
      new SpareSchemas(TestDatabase::makeLocks, TestDatabase::emptyingLocks);

  static {
    String given = System.getenv("HOLDFAST_TEST_DB");
    EMBEDDED = given == null || given.isBlank() ? EmbeddedPostgres.temporary(QUICK) : null;
    if (EMBEDDED != null) {
      QuickLogins.on(EMBEDDED.jdbcUrl());
    }
    URL = EMBEDDED == null ? ConnectionString.parse(given).jdbcUrl() : EMBEDDED.jdbcUrl();
    // One user stays, so that the pool of this url is made once.
    Pools.open(ConnectionString.parse(URL), PoolSettings.DEFAULTS);
  }

  private TestDatabase() {}

  static String url() {
    return URL;
  }

  /** The same server with further connection parameters, for example {@code prepareThreshold=0}. */
  static String url(String parameters) {
    return URL + (URL.contains("?") ? "&" : "?") + parameters;
  }

  static Connection connect() throws SQLException {
    return DriverManager.getConnection(URL);
  }

  /** A plain connection with an open transaction. */
  static Connection begin() throws SQLException {
    Connection connection = connect();
    connection.setAutoCommit(false);
    return connection;
  }

  /** A name nobody else uses. */
  static String unique(String prefix) {
    return prefix + "_" + RUN + "_" + NUMBER.incrementAndGet();
  }

  /** Lock tables in a new schema of their own. */
  static LockTables freshTables() {
    String schema = unique("t");
    execute("CREATE SCHEMA " + schema);
    return LockTables.DEFAULTS.inSchema(schema);
  }

  /** A new, empty database on the same server, as a url. */
  static String freshDatabase() {
    String name = unique("db");
    execute("CREATE DATABASE " + name + " TEMPLATE template0 ENCODING 'UTF8'");
    return urlOf(name);
  }

  /** The url of another database of the same server. */
  static String urlOf(String database) {
    return URL.replaceFirst("(jdbc:postgresql://[^/]+/)[^?]*", "$1" + database);
  }

  static void execute(String sql) {
    try {
      SpareConnections.use(
          URL,
          connection -> {
            try (Statement statement = connection.createStatement()) {
              return statement.execute(sql);
            }
          });
    } catch (SQLException e) {
      throw new AssertionError(sql, e);
    }
  }

  /** The first column of the first row, as text; null without a row. */
  static @Nullable String query(String sql) {
    try {
      return SpareConnections.use(
          URL,
          connection -> {
            try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
              return rows.next() ? rows.getString(1) : null;
            }
          });
    } catch (SQLException e) {
      throw new AssertionError(sql, e);
    }
  }

  /** A fresh lock store on {@code time}. */
  static LockSubject subject(ManualTime time) {
    return subject(URL, time, options -> options);
  }

  /**
   * The same, hearing hints from the start: a first waiter would otherwise be told, at some moment
   * of its wait, that it may have missed some.
   */
  static LockSubject listening(ManualTime time) {
    LockSubject subject = subject(time);
    Listening.await(subject.backend().hints());
    return subject;
  }

  /** A fresh lock store on {@code time}, reached by {@code url}. */
  static LockSubject subject(String url, ManualTime time, UnaryOperator<PostgresOptions> change) {
    LockTables tables = LockTables.DEFAULTS.inSchema(LOCKS.borrow());
    PostgresOptions options =
        change.apply(PostgresOptions.DEFAULTS.withTime(time).withLockTables(tables));
    PostgresStore store =
        new PostgresStore(Pools.open(ConnectionString.parse(url), options.pool()), options);
    return new Subject(store, tables);
  }

  private static void makeLocks(String schema) {
    execute("CREATE SCHEMA " + schema);
    PostgresOptions options =
        PostgresOptions.DEFAULTS.withLockTables(LockTables.DEFAULTS.inSchema(schema));
    try (PostgresStore store =
        new PostgresStore(Pools.open(ConnectionString.parse(URL), options.pool()), options)) {
      store.locks().store().setup(LockCall.plain());
    }
  }

  /** Deletes all locks, counters and waiters of the tables in a schema. */
  static String emptyingLocks(String schema) {
    LockTables tables = LockTables.DEFAULTS;
    String waiters = "DELETE FROM holdfast.lock_waiters WHERE pair = '%s'";
    return SpareSchemas.emptying(
        List.of(schema + "." + tables.table(), schema + "." + tables.fenceTable()),
        waiters.formatted(new LockSql(schema, tables.inSchema(schema)).pair()));
  }

  private record Subject(PostgresStore store, LockTables tables) implements LockSubject {
    @Override
    public LockBackend backend() {
      return store.locks();
    }

    @Override
    public void setCounter(String key, long fence) {
      store.locks().store().setup(LockCall.plain());
      String sql =
          "INSERT INTO %s.%s (fence_key, fence, key_debug) VALUES (?, ?, ?)"
                  .formatted(tables.schema(), tables.fenceTable())
              + " ON CONFLICT (fence_key) DO UPDATE SET fence = excluded.fence";
      try (Connection connection = connect();
          PreparedStatement statement = connection.prepareStatement(sql)) {
        statement.setString(1, LockKey.of(key).fenceKey());
        statement.setLong(2, fence);
        statement.setString(3, LockKey.of(key).text());
        statement.executeUpdate();
      } catch (SQLException e) {
        throw new AssertionError(e);
      }
    }

    @Override
    public void close() {
      store.close();
      LOCKS.giveBack(String.valueOf(tables.schema()));
    }
  }
}
