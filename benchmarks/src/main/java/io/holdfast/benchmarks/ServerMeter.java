package io.holdfast.benchmarks;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Reads what the server counts, from a session in another database, so that reading does not count.
 * Write-ahead log and transaction ids are exact at once but belong to the whole server. The number
 * of transactions of the database is reported by each session with a delay, and for certain only
 * when it ends.
 */
final class ServerMeter implements AutoCloseable {
  private static final String READ =
      """
      SELECT pg_current_wal_insert_lsn() - '0/0'::pg_lsn,
             pg_snapshot_xmax(pg_current_snapshot())::text::bigint
      """;
  private static final String TRANSACTIONS =
      "SELECT xact_commit FROM pg_stat_database WHERE datname = ?";
  private static final String SESSIONS =
      "SELECT count(*) FROM pg_stat_activity WHERE datname = ? AND backend_type = 'client backend'";
  private static final int TRIES = 200;

  private final Connection connection;
  private final String database;

  ServerMeter(String url, String database) throws SQLException {
    this.connection = DriverManager.getConnection(url);
    this.database = database;
  }

  /**
   * What the server has done so far.
   *
   * @param walBytes of write-ahead log
   * @param writes transactions that got an id, because they wrote: each ends with a commit record
   */
  record Reading(long walBytes, long writes) {
    Reading since(Reading earlier) {
      return new Reading(walBytes - earlier.walBytes, writes - earlier.writes);
    }
  }

  Reading read() throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(READ);
        ResultSet row = statement.executeQuery()) {
      row.next();
      return new Reading(row.getLong(1), row.getLong(2));
    }
  }

  /** Transactions that committed in the database, with or without having written. */
  long transactions() throws SQLException {
    awaitNoSessions();
    return number(TRANSACTIONS);
  }

  private void awaitNoSessions() throws SQLException {
    for (int i = 0; i < TRIES; i++) {
      if (number(SESSIONS) == 0) {
        return;
      }
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(25));
    }
    throw new IllegalStateException("sessions of the benchmark's database do not end");
  }

  private long number(String sql) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      statement.setString(1, database);
      try (ResultSet row = statement.executeQuery()) {
        row.next();
        return row.getLong(1);
      }
    }
  }

  @Override
  public void close() throws SQLException {
    connection.close();
  }
}
