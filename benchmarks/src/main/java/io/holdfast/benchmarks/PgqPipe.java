package io.holdfast.benchmarks;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * PgQ through its functions. Events become readable by a tick; here the consumer makes one whenever
 * it has read everything, so that its batches are as large as what came in the meantime. It has no
 * partitions, no leases and one reader per consumer name; a batch is settled as a whole.
 */
final class PgqPipe implements Pipe {
  private static final String SETUP =
      """
      CREATE EXTENSION IF NOT EXISTS pgq;
      SELECT pgq.create_queue('bench');
      SELECT pgq.set_queue_config('bench', 'ticker_max_count', '1');
      SELECT pgq.register_consumer('bench', 'bench');
      """;

  private static final String INSERT =
      "SELECT count(pgq.insert_event('bench', 'bench', data)) FROM unnest(?::text[]) AS u (data)";

  private static final String EVENTS = "SELECT ev_id, ev_data FROM pgq.get_batch_events(?)";

  private static final long PAUSE_NANOS = TimeUnit.MICROSECONDS.toNanos(200);

  private final Connection producing;
  private final Connection consuming;
  private final PreparedStatement insert;
  private final PreparedStatement tick;
  private final PreparedStatement next;
  private final PreparedStatement events;
  private final PreparedStatement finish;
  private long batches;
  private long read;

  PgqPipe(Place place) throws SQLException {
    place.run(SETUP);
    producing = place.connect();
    consuming = place.connect();
    consuming.setAutoCommit(false);
    insert = producing.prepareStatement(INSERT);
    tick = consuming.prepareStatement("SELECT pgq.ticker('bench')");
    next = consuming.prepareStatement("SELECT pgq.next_batch('bench', 'bench')");
    events = consuming.prepareStatement(EVENTS);
    finish = consuming.prepareStatement("SELECT pgq.finish_batch(?)");
  }

  static boolean isAvailable(Place place) throws SQLException {
    try (Connection connection = place.connect();
        Statement statement = connection.createStatement();
        ResultSet row =
            statement.executeQuery("SELECT FROM pg_available_extensions WHERE name = 'pgq'")) {
      return row.next();
    }
  }

  @Override
  public String title() {
    return batches == 0 ? "PgQ" : Targets.text("PgQ, %d events per batch", read / batches);
  }

  @Override
  public void push(int batch) throws SQLException {
    String[] data = new String[batch];
    Arrays.fill(data, BenchStream.PAYLOAD.text());
    insert.setArray(1, producing.createArrayOf("text", data));
    number(insert);
  }

  @Override
  public int take(int batch) throws SQLException {
    long id = number(next);
    if (id == 0) {
      consuming.commit();
      boolean isTicked = number(tick) != 0;
      consuming.commit();
      if (!isTicked) {
        LockSupport.parkNanos(PAUSE_NANOS);
      }
      return 0;
    }
    int count = read(id);
    finish.setLong(1, id);
    number(finish);
    consuming.commit();
    batches++;
    read += count;
    return count;
  }

  private int read(long id) throws SQLException {
    int count = 0;
    events.setLong(1, id);
    try (ResultSet rows = events.executeQuery()) {
      while (rows.next()) {
        if (rows.getLong(1) > 0 && rows.getString(2) != null) {
          count++;
        }
      }
    }
    return count;
  }

  /** What the statement answers; 0 for null. */
  private static long number(PreparedStatement statement) throws SQLException {
    try (ResultSet row = statement.executeQuery()) {
      row.next();
      return row.getLong(1);
    }
  }

  @Override
  public void close() throws SQLException {
    producing.close();
    consuming.close();
  }
}
