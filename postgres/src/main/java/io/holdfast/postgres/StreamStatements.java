package io.holdfast.postgres;

import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Binds and reads the statements of stream roles, in a kernel's schema. Safe for use by many
 * threads.
 */
record StreamStatements(StreamKernel kernel) {
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

  /** Every row. */
  <T> List<T> all(Watch watch, String sql, Bound bound, Row<T> row) throws SQLException {
    try (PreparedStatement statement = watch.prepare(kernel.sql(sql))) {
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
  <T> @Nullable T first(Watch watch, String sql, Bound bound, Row<T> row) throws SQLException {
    List<T> found = all(watch, sql, bound, row);
    return found.isEmpty() ? null : found.get(0);
  }

  /** A whole number that the statement answers. */
  int number(Watch watch, String sql, Bound bound) throws SQLException {
    Integer found = first(watch, sql, bound, row -> row.getInt(1));
    return found == null ? 0 : found;
  }

  /** How many rows it changed. */
  int update(Watch watch, String sql, Bound bound) throws SQLException {
    try (PreparedStatement statement = watch.prepare(kernel.sql(sql))) {
      bound.to(Binds.of(statement));
      return statement.executeUpdate();
    }
  }
}
