package io.holdfast.postgres;

import io.holdfast.lease.Time;
import io.holdfast.stream.StreamStore;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;

/** Streams in a schema of their own, which is emptied for every sequence. */
final class DifferentialStreamDatabase implements AutoCloseable {
  private final String schema = StreamSchemas.borrow();
  private final PostgresStore store;
  private final Connection emptying;

  /** Nothing here survives a crash of the server, so commits need not wait for the disk. */
  DifferentialStreamDatabase(Time time) throws SQLException {
    String url = TestDatabase.url("options=-c%20synchronous_commit=off");
    this.emptying = DriverManager.getConnection(url);
    PostgresOptions options = PostgresOptions.DEFAULTS.withTime(time).withStreamSchema(schema);
    this.store =
        new PostgresStore(Pools.open(ConnectionString.parse(url), options.pool()), options);
  }

  /** As a process sees it that knows nothing yet. Quicker than new tables. */
  StreamStore empty() throws SQLException {
    try (Statement statement = emptying.createStatement()) {
      statement.execute(StreamSchemas.emptying(schema));
    }
    return new PostgresStreamStore(store.streamKernel(), store.streams().hints(), messages -> {});
  }

  @Override
  public void close() throws SQLException {
    store.close();
    emptying.close();
    StreamSchemas.giveBack(schema);
  }
}
