package io.holdfast.postgres;

import io.holdfast.lease.Time;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** One call's connection, with statements about the tables of jobs. Used by one thread. */
record JobSession(Watch watch, JobNames names, Time time) {
  /** The database's clock, or the instant that tests put in its place: one parameter. */
  static final String NOW = "coalesce(?::timestamptz, clock_timestamp())";

  /** Fills in the parameters of a statement. */
  @FunctionalInterface
  interface Bound {
    void to(Binds binds) throws SQLException;
  }

  /** Reads one row. */
  @FunctionalInterface
  interface Row<T extends @Nullable Object> {
    T of(ResultSet row) throws SQLException;
  }

  /** A statement with the names of the tables; the caller closes it. */
  PreparedStatement prepare(String sql) throws SQLException {
    return watch.prepare(names.sql(sql));
  }

  /** Every row. */
  <T extends @Nullable Object> List<T> all(String sql, Bound bound, Row<T> row)
      throws SQLException {
    try (PreparedStatement statement = prepare(sql)) {
      bound.to(Binds.of(statement));
      List<T> found = new ArrayList<>();
      try (ResultSet rows = statement.executeQuery()) {
        while (rows.next()) {
          found.add(row.of(rows));
        }
      }
      return found;
    }
  }

  /** The first row; null without one. */
  <T> @Nullable T first(String sql, Bound bound, Row<T> row) throws SQLException {
    List<T> found = all(sql, bound, row);
    return found.isEmpty() ? null : found.get(0);
  }

  /** How many rows it changed. */
  int update(String sql, Bound bound) throws SQLException {
    try (PreparedStatement statement = prepare(sql)) {
      bound.to(Binds.of(statement));
      return statement.executeUpdate();
    }
  }
}
