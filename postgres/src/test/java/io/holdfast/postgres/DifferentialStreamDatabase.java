package io.holdfast.postgres;

import io.holdfast.lease.StoreCall;
import io.holdfast.lease.Time;
import io.holdfast.stream.StreamStore;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;

/** Streams in a schema of their own, which is emptied for every sequence. */
final class DifferentialStreamDatabase implements AutoCloseable {
  private static final List<String> TABLES =
      List.of(
          "queue",
          "partition",
          "message",
          "subscription",
          "cursor",
          "mark",
          "dead",
          "counter",
          "trace",
          "trace_name",
          "retention_log");

  private final String schema = TestDatabase.unique("ds");
  private final PostgresStore store;
  private final Connection emptying;

  /** Nothing here survives a crash of the server, so commits need not wait for the disk. */
  DifferentialStreamDatabase(Time time) throws SQLException {
    String url = TestDatabase.url("options=-c%20synchronous_commit=off");
    this.emptying = DriverManager.getConnection(url);
    PostgresOptions options = PostgresOptions.DEFAULTS.withTime(time).withStreamSchema(schema);
    this.store =
        new PostgresStore(Pools.open(ConnectionString.parse(url), options.pool()), options);
    store.streamKernel().setup().ensure(StoreCall.plain());
  }

  /** As a process sees it that knows nothing yet. Quicker than new tables. */
  StreamStore empty() throws SQLException {
    try (Statement statement = emptying.createStatement()) {
      for (String table : TABLES) {
        statement.addBatch("DELETE FROM %s.stream_%s".formatted(schema, table));
      }
      statement.addBatch(
          "UPDATE %s.stream_global SET push_pause = NULL, pop_paused = false".formatted(schema));
      statement.executeBatch();
    }
    return new PostgresStreamStore(store.streamKernel(), store.streams().hints(), messages -> {});
  }

  @Override
  public void close() throws SQLException {
    store.close();
    emptying.close();
    TestDatabase.execute("DROP SCHEMA " + schema + " CASCADE");
  }
}
