package io.holdfast.postgres;

import io.holdfast.Store;
import io.holdfast.lease.StoreCall;
import io.holdfast.lease.Time;
import io.holdfast.lock.LockCall;
import io.holdfast.lock.LockKey;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;

/**
 * Empty stores in PostgreSQL for tests of the server, in a schema that one test after the other
 * uses. It sits in the store's package to reach the names of its tables.
 */
public final class ServedStores {
  private static final String SCHEMA = "served";
  private static final LockTables LOCKS = LockTables.DEFAULTS.inSchema(SCHEMA);
  private static boolean isMade;

  private ServedStores() {}

  /** A store whose tables are empty; only one at a time. */
  public static synchronized Store empty(String url, Time time) {
    PostgresOptions options =
        PostgresOptions.DEFAULTS
            .withTime(time)
            .withLockTables(LOCKS)
            .withJobTables(new JobTables(SCHEMA, SCHEMA));
    if (!isMade) {
      execute(url, "CREATE SCHEMA IF NOT EXISTS " + SCHEMA);
      Pools.open(ConnectionString.parse(url), options.pool()); // stays, so that the pool does
    }
    PostgresStore store =
        new PostgresStore(Pools.open(ConnectionString.parse(url), options.pool()), options);
    store.locks().store().setup(LockCall.plain());
    if (!isMade) {
      store.jobs().admin().workers(StoreCall.plain());
      isMade = true;
    }
    execute(
        url,
        new JobNames(SCHEMA, SCHEMA)
            .sql("TRUNCATE {jobs}, {queues}, {limits}, {keys}, {workers}, {schedules}"));
    execute(url, "DELETE FROM " + SCHEMA + "." + LOCKS.table());
    execute(url, "DELETE FROM " + SCHEMA + "." + LOCKS.fenceTable());
    execute(url, "DELETE FROM holdfast.lock_waiters");
    return store;
  }

  /** Sets the fence counter of a key. */
  public static void setCounter(String url, String key, long fence) {
    String sql =
        "INSERT INTO %s.%s (fence_key, fence, key_debug) VALUES (?, ?, ?)"
                .formatted(SCHEMA, LOCKS.fenceTable())
            + " ON CONFLICT (fence_key) DO UPDATE SET fence = excluded.fence";
    try (Connection connection = DriverManager.getConnection(url);
        PreparedStatement statement = connection.prepareStatement(sql)) {
      statement.setString(1, LockKey.of(key).fenceKey());
      statement.setLong(2, fence);
      statement.setString(3, LockKey.of(key).text());
      statement.executeUpdate();
    } catch (SQLException e) {
      throw new AssertionError(sql, e);
    }
  }

  private static void execute(String url, String sql) {
    try (Connection connection = DriverManager.getConnection(url);
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    } catch (SQLException e) {
      throw new AssertionError(sql, e);
    }
  }
}
