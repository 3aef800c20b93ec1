package io.holdfast.benchmarks;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Collections;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Batch SQL as a careful person writes it in plain JDBC, on a table with the columns, indexes and
 * storage options of ours: three statements, each its own transaction. It has no settings, no
 * pause, no hint where to begin, no checks of what it completes, and makes its ids itself.
 */
final class HandWrittenLifeCycle implements LifeCycle {
  private static final String TABLE = "bench_hand_written";

  private static final String OPTIONS =
      "SELECT array_to_string(reloptions, ', ') FROM pg_class WHERE oid = '%s'::regclass";

  private static final String PRODUCE =
      """
      INSERT INTO bench_hand_written (id, expire_deadline, created_at, payload)
      SELECT u.id, now() + interval '7 days', now(), u.payload
        FROM unnest(?::text[], ?::bytea[]) AS u (id, payload)
      """;

  private static final String CLAIM =
      """
      WITH picked AS MATERIALIZED (
        SELECT id FROM bench_hand_written
         WHERE NOT is_leased AND enqueue_at IS NULL AND expire_deadline > now()
         ORDER BY id LIMIT ? FOR UPDATE SKIP LOCKED)
      UPDATE bench_hand_written AS item
         SET is_leased = true, attempts = item.attempts + 1,
             lease_deadline = now() + interval '1 hour'
       WHERE item.id = ANY (ARRAY(SELECT id FROM picked))
      RETURNING item.id, item.attempts, item.lease_deadline, item.reference, item.encoding,
                item.kind, item.payload
      """;

  private static final String COMPLETE =
      "DELETE FROM bench_hand_written WHERE id = ANY (?::text[]) AND is_leased";

  private final Place place;
  private final AtomicLong numbers = new AtomicLong();
  private final StatementTimes statements = new StatementTimes();

  /** Takes the layout from a table of ours. */
  HandWrittenLifeCycle(Place place, String model, int backlog) throws SQLException {
    this.place = place;
    place.run("CREATE TABLE %s (LIKE %s INCLUDING ALL)".formatted(TABLE, model));
    place.run("ALTER TABLE %s SET (%s)".formatted(TABLE, options(model)));
    try (HandWrittenCaller caller = new HandWrittenCaller(place.connect(), numbers, statements)) {
      for (int i = 0; i < backlog; i += LifeCycles.BATCH) {
        caller.produce(LifeCycles.BATCH);
      }
    }
    place.run("ANALYZE " + TABLE);
  }

  private String options(String model) throws SQLException {
    try (Connection connection = place.connect();
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(OPTIONS.formatted(model))) {
      row.next();
      return row.getString(1);
    }
  }

  @Override
  public String title() {
    return "hand-written batch SQL, same table";
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
    return new HandWrittenCaller(place.connect(), numbers, statements);
  }

  @Override
  public void close() {}

  private static final class HandWrittenCaller implements Caller {
    private final Connection connection;
    private final AtomicLong numbers;
    private final StatementTimes statements;
    private final PreparedStatement produce;
    private final PreparedStatement claim;
    private final PreparedStatement complete;

    HandWrittenCaller(Connection connection, AtomicLong numbers, StatementTimes statements)
        throws SQLException {
      this.connection = connection;
      this.numbers = numbers;
      this.statements = statements;
      produce = connection.prepareStatement(PRODUCE);
      claim = connection.prepareStatement(CLAIM);
      complete = connection.prepareStatement(COMPLETE);
    }

    @Override
    public int cycle(int batch) throws SQLException {
      long start = System.nanoTime();
      produce(batch);
      long produced = System.nanoTime();
      statements.add("produce", produced - start);
      String[] ids = claim(batch);
      long claimed = System.nanoTime();
      statements.add("lease", claimed - produced);
      complete.setArray(1, connection.createArrayOf("text", ids));
      int removed = complete.executeUpdate();
      statements.add("complete", System.nanoTime() - claimed);
      return removed;
    }

    private void produce(int batch) throws SQLException {
      String[] ids = new String[batch];
      long first = numbers.getAndAdd(batch);
      for (int i = 0; i < batch; i++) {
        ids[i] = "item" + (1_000_000_000_000L + first + i) + "ofthebench";
      }
      byte[][] payloads = Collections.nCopies(batch, BenchQueue.PAYLOAD).toArray(new byte[0][]);
      produce.setArray(1, connection.createArrayOf("text", ids));
      produce.setArray(2, connection.createArrayOf("bytea", payloads));
      produce.executeUpdate();
    }

    private String[] claim(int batch) throws SQLException {
      claim.setInt(1, batch);
      return Claimed.ids(claim);
    }

    @Override
    public void close() throws SQLException {
      connection.close();
    }
  }
}
