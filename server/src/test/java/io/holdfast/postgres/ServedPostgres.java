package io.holdfast.postgres;

import io.holdfast.queue.QueueBackend;
import io.holdfast.server.TestServer;
import io.holdfast.testkit.ManualTime;
import io.holdfast.testkit.queue.QueueSubject;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

/** Queues in a schema of their own, to be served; it sits in the store's package to open views. */
public final class ServedPostgres implements QueueSubject {
  private static final AtomicInteger NUMBER = new AtomicInteger();
  private static final Database KEPT = pool();

  private final String schema = "served_" + NUMBER.incrementAndGet();
  private final PostgresOptions options;
  private final List<PostgresStore> stores = new CopyOnWriteArrayList<>();

  public ServedPostgres(ManualTime time) {
    this.options = PostgresOptions.DEFAULTS.withTime(time).withQueueSchema(schema);
  }

  /** One user stays, so that the pool is made once. */
  private static Database pool() {
    return Pools.open(ConnectionString.parse(TestServer.url()), PoolSettings.DEFAULTS);
  }

  @Override
  public QueueBackend process() {
    PostgresStore store = new PostgresStore(pool(), options);
    stores.add(store);
    return store.queues();
  }

  @Override
  public void close() {
    stores.forEach(PostgresStore::close);
    try (Connection connection = DriverManager.getConnection(TestServer.url());
        Statement statement = connection.createStatement()) {
      statement.execute("DROP SCHEMA IF EXISTS " + schema + " CASCADE");
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }
}
