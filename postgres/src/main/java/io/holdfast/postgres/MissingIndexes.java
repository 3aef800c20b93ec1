package io.holdfast.postgres;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/** Indexes that the scripts of this library make and that are gone, so that everything is slow. */
final class MissingIndexes {
  private static final Pattern CREATE =
      Pattern.compile("(?m)^(CREATE (?:UNIQUE )?INDEX) (\\w+)(\\s+ON [^;]+)");

  private static final String HAS_HISTORY =
      """
      SELECT FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
       WHERE n.nspname = 'holdfast' AND c.relname = 'schema_history'
      """;

  private static final String APPLIED = "SELECT version::text FROM holdfast.schema_history";

  /** Tables of jobs that we work on: one of TaskHarbor alone has none of our columns. */
  private static final String JOBS =
      """
      SELECT n.nspname
        FROM pg_class AS t
        JOIN pg_namespace AS n ON n.oid = t.relnamespace
       WHERE t.relname = 'th_jobs' AND t.relkind IN ('r', 'p')
         AND EXISTS (SELECT FROM pg_attribute
                      WHERE attrelid = t.oid AND attname = 'rank_at' AND NOT attisdropped)
       ORDER BY n.nspname
      """;

  private static final String INDEXES =
      """
      SELECT c.relname
        FROM pg_index AS i
        JOIN pg_class AS c ON c.oid = i.indexrelid
        JOIN pg_namespace AS n ON n.oid = c.relnamespace
       WHERE n.nspname = ?
      """;

  private final Connection connection;

  MissingIndexes(Connection connection) {
    this.connection = connection;
  }

  /** An index and the statement that makes it without stopping those who write. */
  record Missing(String name, String statement) {}

  List<Missing> find() throws SQLException {
    List<Missing> missing = new ArrayList<>(missing(appliedSteps(), "holdfast"));
    for (String schema : names(JOBS)) {
      JobNames jobs = new JobNames(schema, "holdfast");
      missing.addAll(missing(jobs.script("indexes"), schema));
    }
    return missing;
  }

  /** Steps that are yet to come make theirs themselves. */
  private String appliedSteps() throws SQLException {
    StringBuilder sql = new StringBuilder();
    Set<String> applied = hasHistory() ? names(APPLIED) : Set.of();
    for (Migration step : Migrations.all()) {
      if (applied.contains(Integer.toString(step.version()))) {
        sql.append(step.sql()).append('\n');
      }
    }
    return sql.toString();
  }

  private boolean hasHistory() throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(HAS_HISTORY);
        ResultSet row = statement.executeQuery()) {
      return row.next();
    }
  }

  private List<Missing> missing(String script, String schema) throws SQLException {
    Set<String> present = names(INDEXES, schema);
    return CREATE
        .matcher(script)
        .results()
        .filter(index -> !present.contains(index.group(2)))
        .map(index -> new Missing(schema + "." + index.group(2), concurrently(index)))
        .toList();
  }

  private static String concurrently(MatchResult index) {
    String statement = index.group(1) + " CONCURRENTLY " + index.group(2) + index.group(3);
    return statement.replaceAll("\\s+", " ").strip() + ";";
  }

  private Set<String> names(String query, String... values) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(query)) {
      for (int i = 0; i < values.length; i++) {
        statement.setString(i + 1, values[i]);
      }
      Set<String> names = new LinkedHashSet<>();
      try (ResultSet row = statement.executeQuery()) {
        while (row.next()) {
          names.add(row.getString(1));
        }
      }
      return names;
    }
  }
}
