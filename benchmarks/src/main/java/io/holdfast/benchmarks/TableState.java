package io.holdfast.benchmarks;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;

/** What the server says about a table: how much of it is dead, and whether a vacuum came by. */
record TableState(long live, long dead, long vacuums, long bytes) {
  private static final String READ =
      """
      SELECT n_live_tup, n_dead_tup, vacuum_count + autovacuum_count, pg_total_relation_size(relid)
        FROM pg_stat_user_tables WHERE relid = ?::regclass
      """;

  static final List<String> HEADER = List.of("subject", "live", "dead tuples", "vacuums", "kB");

  static TableState of(Place place, String table) throws SQLException {
    try (Connection connection = place.connect();
        PreparedStatement statement = connection.prepareStatement(READ)) {
      statement.setString(1, table);
      try (ResultSet row = statement.executeQuery()) {
        row.next();
        return new TableState(row.getLong(1), row.getLong(2), row.getLong(3), row.getLong(4));
      }
    }
  }

  List<String> row(String subject) {
    return List.of(
        subject,
        Long.toString(live),
        Long.toString(dead),
        Long.toString(vacuums),
        Long.toString(bytes / 1024));
  }
}
