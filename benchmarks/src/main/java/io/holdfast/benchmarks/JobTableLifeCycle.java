package io.holdfast.benchmarks;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Arrays;
import java.util.Collections;

/**
 * The job table that people roll by hand: a serial key, a status and an index on status and time;
 * claimed with {@code UPDATE .. WHERE id IN (SELECT .. FOR UPDATE SKIP LOCKED)} and deleted when
 * done. No deadlines, no schedule, no dead queue: less work per item than ours, and less promised.
 */
final class JobTableLifeCycle implements LifeCycle {
  private static final String TABLE = "bench_jobs";

  private static final String SETUP =
      """
      CREATE TABLE bench_jobs (
        id bigserial PRIMARY KEY, status text NOT NULL DEFAULT 'new',
        created_at timestamptz NOT NULL DEFAULT now(), locked_at timestamptz, payload bytea);
      CREATE INDEX bench_jobs_status ON bench_jobs (status, created_at)
      """;

  private static final String PRODUCE =
      "INSERT INTO bench_jobs (payload) SELECT payload FROM unnest(?::bytea[]) AS u (payload)";

  private static final String CLAIM =
      """
      UPDATE bench_jobs SET status = 'running', locked_at = now()
       WHERE id IN (SELECT id FROM bench_jobs WHERE status = 'new'
                     ORDER BY created_at LIMIT ? FOR UPDATE SKIP LOCKED)
      RETURNING id, payload
      """;

  private static final String COMPLETE = "DELETE FROM bench_jobs WHERE id = ANY (?::bigint[])";

  private final Place place;
  private final StatementTimes statements = new StatementTimes();

  JobTableLifeCycle(Place place, int backlog) throws SQLException {
    this.place = place;
    place.run(SETUP);
    try (Connection connection = place.connect();
        Statement statement = connection.createStatement()) {
      statement.execute(
          "INSERT INTO bench_jobs (payload) SELECT decode(repeat('00', 100), 'hex')"
              + " FROM generate_series(1, %d)".formatted(backlog));
    }
    place.run("ANALYZE " + TABLE);
  }

  @Override
  public String title() {
    return "status-column job table";
  }

  @Override
  public String table() {
    return TABLE;
  }

  @Override
  public StatementTimes statements() {
    return statements;
  }

  @Override
  public Caller caller() throws SQLException {
    return new JobCaller(place.connect(), statements);
  }

  @Override
  public void close() {}

  private static final class JobCaller implements Caller {
    private final Connection connection;
    private final StatementTimes statements;
    private final PreparedStatement produce;
    private final PreparedStatement claim;
    private final PreparedStatement complete;

    JobCaller(Connection connection, StatementTimes statements) throws SQLException {
      this.connection = connection;
      this.statements = statements;
      produce = connection.prepareStatement(PRODUCE);
      claim = connection.prepareStatement(CLAIM);
      complete = connection.prepareStatement(COMPLETE);
    }

    @Override
    public int cycle(int batch) throws SQLException {
      long start = System.nanoTime();
      byte[][] payloads = Collections.nCopies(batch, BenchQueue.PAYLOAD).toArray(new byte[0][]);
      produce.setArray(1, connection.createArrayOf("bytea", payloads));
      produce.executeUpdate();
      long produced = System.nanoTime();
      statements.add("produce", produced - start);
      claim.setInt(1, batch);
      Long[] ids = Arrays.stream(Claimed.ids(claim)).map(Long::valueOf).toArray(Long[]::new);
      long claimed = System.nanoTime();
      statements.add("lease", claimed - produced);
      complete.setArray(1, connection.createArrayOf("int8", ids));
      int removed = complete.executeUpdate();
      statements.add("complete", System.nanoTime() - claimed);
      return removed;
    }

    @Override
    public void close() throws SQLException {
      connection.close();
    }
  }
}
