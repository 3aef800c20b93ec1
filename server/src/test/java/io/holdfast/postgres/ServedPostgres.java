package io.holdfast.postgres;

import io.holdfast.Store;
import io.holdfast.lock.LockKey;
import io.holdfast.server.TestServer;
import io.holdfast.testkit.ManualTime;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * An empty schema for tests of the server. To make its tables takes longer than most tests, so one
 * test after the other uses it. It sits in the store's package to choose the schema.
 */
public final class ServedPostgres implements AutoCloseable {
  private static final AtomicInteger NUMBER = new AtomicInteger();
  private static final Deque<String> FREE = new ConcurrentLinkedDeque<>();

  /** One user stays, so that the pool is made once. */
  private static final Database KEPT = pool();

  private static final Connection CONNECTION = connect();

  /**
   * Deletes all rows but those that come with the tables, after whoever still writes. Of a few rows
   * that is quicker than truncating.
   */
  private static final String EMPTYING =
      """
      DO $$
      DECLARE
        filled record;
      BEGIN
        FOR filled IN
          SELECT c.oid::regclass AS name, pg_relation_size(c.oid) > 1000000 AS is_large
            FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
           WHERE n.nspname = '{schema}' AND c.relkind = 'r' AND pg_relation_size(c.oid) > 0
             AND c.relname NOT IN ('stream_global', 'th_schema_migrations')
           ORDER BY c.relname
        LOOP
          IF filled.is_large THEN
            EXECUTE format('TRUNCATE %s', filled.name);
          ELSE
            EXECUTE format('LOCK TABLE %s IN EXCLUSIVE MODE', filled.name);
            EXECUTE format('DELETE FROM %s', filled.name);
          END IF;
        END LOOP;
        IF to_regclass('{schema}.stream_global') IS NOT NULL THEN
          UPDATE {schema}.stream_global SET push_pause = NULL, pop_paused = false;
        END IF;
        IF to_regclass('holdfast.lock_waiters') IS NOT NULL THEN
          DELETE FROM holdfast.lock_waiters;
        END IF;
      END $$
      """;

  private final String schema;
  private final PostgresOptions options;
  private final List<PostgresStore> stores = new CopyOnWriteArrayList<>();

  public ServedPostgres(ManualTime time) {
    this.schema = take();
    this.options =
        PostgresOptions.DEFAULTS
            .withTime(time)
            .withLockTables(LockTables.DEFAULTS.inSchema(schema))
            .withQueueSchema(schema)
            .withStreamSchema(schema)
            .withJobTables(new JobTables(schema, schema));
  }

  private static String take() {
    String free = FREE.poll();
    if (free != null) {
      return free;
    }
    String made = "served_" + NUMBER.incrementAndGet();
    execute("CREATE SCHEMA " + made);
    return made;
  }

  private static Database pool() {
    return Pools.open(ConnectionString.parse(TestServer.url()), PoolSettings.DEFAULTS);
  }

  private static Connection connect() {
    try {
      return DriverManager.getConnection(TestServer.url());
    } catch (SQLException e) {
      throw new AssertionError("no database", e);
    }
  }

  /** The schema as one more process sees it. */
  public Store process() {
    PostgresStore store = new PostgresStore(pool(), options);
    stores.add(store);
    return store;
  }

  /** Sets the fence counter of a key. */
  public void setCounter(String key, long fence) {
    String sql =
        "INSERT INTO %s.%s (fence_key, fence, key_debug) VALUES (?, ?, ?)"
                .formatted(schema, LockTables.DEFAULTS.fenceTable())
            + " ON CONFLICT (fence_key) DO UPDATE SET fence = excluded.fence";
    synchronized (CONNECTION) {
      try (PreparedStatement statement = CONNECTION.prepareStatement(sql)) {
        statement.setString(1, LockKey.of(key).fenceKey());
        statement.setLong(2, fence);
        statement.setString(3, LockKey.of(key).text());
        statement.executeUpdate();
      } catch (SQLException e) {
        throw new AssertionError(sql, e);
      }
    }
  }

  private static void execute(String sql) {
    synchronized (CONNECTION) {
      try (Statement statement = CONNECTION.createStatement()) {
        statement.execute(sql);
      } catch (SQLException e) {
        throw new AssertionError(sql, e);
      }
    }
  }

  @Override
  public void close() {
    stores.forEach(PostgresStore::close);
    execute(EMPTYING.replace("{schema}", schema));
    FREE.push(schema);
  }
}
