package io.holdfast.postgres;

import io.holdfast.job.JobBackend;
import io.holdfast.lease.StoreCall;
import io.holdfast.lease.Time;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;

/** Jobs in tables of their own, which are emptied for every sequence, as two processes see them. */
final class DifferentialJobDatabase implements AutoCloseable {
  private final JobTables tables = JobSchemas.take();
  private final PostgresStore one;
  private final PostgresStore other;
  private final Connection emptying;

  /** Nothing here survives a crash of the server, so commits need not wait for the disk. */
  DifferentialJobDatabase(Time time) throws SQLException {
    String url = TestDatabase.url("options=-c%20synchronous_commit=off");
    PostgresOptions options = PostgresOptions.DEFAULTS.withTime(time).withJobTables(tables);
    this.emptying = DriverManager.getConnection(url);
    this.one = new PostgresStore(Pools.open(ConnectionString.parse(url), options.pool()), options);
    this.other =
        new PostgresStore(Pools.open(ConnectionString.parse(url), options.pool()), options);
    one.jobKernel().setup().ensure(StoreCall.plain());
  }

  /** Quicker than new tables. */
  List<JobBackend> empty() throws SQLException {
    try (Statement statement = emptying.createStatement()) {
      statement.execute(JobSchemas.emptying(tables));
    }
    return List.of(one.jobs(), other.jobs());
  }

  @Override
  public void close() throws SQLException {
    one.close();
    other.close();
    emptying.close();
    JobSchemas.giveBack(tables);
  }
}
