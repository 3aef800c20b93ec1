package io.holdfast.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLWarning;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * A session in which the server shows the plans of what is run; nothing it does stays. Statements
 * are warmed up so that the server settles on a plan before tables grow.
 */
final class PlanSession implements AutoCloseable {
  private static final ObjectMapper JSON = new ObjectMapper();

  /** Enough for the driver to prepare, and for the server to choose between kinds of plans. */
  private static final int WARM = 12;

  private final Connection connection;

  /** A connection of ours, or one of a user's. */
  enum Source {
    OURS {
      @Override
      Connection connect(String url) throws SQLException {
        return new PgSource(ConnectionString.parse(url), Duration.ofSeconds(10)).getConnection();
      }
    },
    A_USERS {
      @Override
      Connection connect(String url) throws SQLException {
        return DriverManager.getConnection(url);
      }
    };

    abstract Connection connect(String url) throws SQLException;
  }

  /** What to bind. */
  interface Binder {
    void bind(Binds binds) throws SQLException;
  }

  PlanSession(Source source) throws SQLException {
    connection = source.connect(TestDatabase.url("prepareThreshold=1"));
    for (String setting :
        List.of(
            "LOAD 'auto_explain'",
            "SET auto_explain.log_min_duration = 0",
            "SET auto_explain.log_analyze = on",
            "SET auto_explain.log_timing = off",
            "SET auto_explain.log_format = json",
            "SET client_min_messages = log")) {
      TransactionsTest.run(connection, setting);
    }
  }

  void warm(String text, Binder binder) throws Exception {
    for (int i = 0; i < WARM; i++) {
      run(text, binder);
    }
  }

  /**
   * Runs a statement, shows its plan, and undoes it. A read shows its plan only when its
   * transaction ends well, so it commits by itself.
   */
  Plan run(String text, Binder binder) throws Exception {
    connection.setAutoCommit(text.startsWith("SELECT"));
    try (PreparedStatement statement = connection.prepareStatement(text)) {
      binder.bind(Binds.of(statement));
      int rows = 0;
      if (statement.execute()) {
        try (ResultSet all = statement.getResultSet()) {
          while (all.next()) {
            rows++;
          }
        }
      }
      return plan(statement.getWarnings(), rows);
    } finally {
      if (!connection.getAutoCommit()) {
        connection.rollback();
      }
    }
  }

  private static Plan plan(SQLWarning first, int rows) throws Exception {
    for (SQLWarning line = first; line != null; line = line.getNextWarning()) {
      String message = String.valueOf(line.getMessage());
      if (message.contains("plan:")) {
        return new Plan(JSON.readTree(message.substring(message.indexOf('{'))), rows);
      }
    }
    throw new AssertionError("no plan");
  }

  @Override
  public void close() throws SQLException {
    connection.close();
  }

  /** What a plan touched. */
  static final class Plan {
    /** Rows that each index gave. */
    final Map<String, Long> read = new TreeMap<>();

    /** How many rows came back. */
    final int rows;

    private final List<String> walked = new ArrayList<>();
    private long sorted;
    private final String text;

    Plan(JsonNode root, int rows) {
      this.rows = rows;
      this.text = root.toPrettyString();
      visit(root.get("Plan"));
    }

    private void visit(JsonNode node) {
      String type = node.path("Node Type").asText();
      long count =
          (node.path("Actual Rows").asLong() + node.path("Rows Removed by Filter").asLong())
              * node.path("Actual Loops").asLong();
      if (node.has("Index Name")) {
        read.merge(node.get("Index Name").asText(), count, Long::sum);
      }
      boolean isJobs = node.path("Relation Name").asText().equals("th_jobs");
      if (isJobs && (type.equals("Seq Scan") || type.equals("Bitmap Heap Scan"))) {
        walked.add(type);
      }
      if (type.contains("Sort")) {
        sorted = Math.max(sorted, count);
      }
      node.path("Plans").forEach(this::visit);
    }

    /** Nothing was read but by these indexes, and no more rows than these. */
    void requireReadBy(int limit, String... indexes) {
      assertThat(walked).as(() -> text).isEmpty();
      assertThat(read.keySet()).as(() -> text).containsAll(List.of(indexes));
      long jobs =
          read.entrySet().stream()
              .filter(entry -> entry.getKey().startsWith("th_jobs"))
              .mapToLong(Map.Entry::getValue)
              .sum();
      assertThat(jobs).as(() -> text).isLessThanOrEqualTo(limit);
      assertThat(sorted).as(() -> text).isLessThanOrEqualTo(limit);
    }
  }
}
