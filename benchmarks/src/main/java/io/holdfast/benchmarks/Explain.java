package io.holdfast.benchmarks;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/** Runs a statement under EXPLAIN and undoes it; counts the pages it looked at. */
final class Explain {
  private static final int TIMES = 5;
  private static final ObjectMapper JSON = new ObjectMapper();

  private final Place place;

  Explain(Place place) {
    this.place = place;
  }

  @FunctionalInterface
  interface Binding {
    void bind(PreparedStatement statement) throws SQLException;
  }

  /** Shared buffers, hit or read, over a few runs; a first one does not count. */
  Spread buffers(String sql, Binding binding) throws SQLException, IOException {
    List<Double> found = new ArrayList<>();
    try (Connection connection = BareStatements.connect(place)) {
      connection.setAutoCommit(false);
      for (int i = 0; i <= TIMES; i++) {
        double buffers = once(connection, sql, binding);
        if (i > 0) {
          found.add(buffers);
        }
      }
    }
    return Spread.of(found);
  }

  private static double once(Connection connection, String sql, Binding binding)
      throws SQLException, IOException {
    String explain = "EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) " + sql;
    try (PreparedStatement statement = connection.prepareStatement(explain)) {
      binding.bind(statement);
      try (ResultSet row = statement.executeQuery()) {
        row.next();
        JsonNode plan = JSON.readTree(row.getString(1)).get(0).get("Plan");
        return plan.get("Shared Hit Blocks").asDouble() + plan.get("Shared Read Blocks").asDouble();
      }
    } finally {
      connection.rollback();
    }
  }
}
