package io.holdfast.benchmarks;

import java.lang.management.ManagementFactory;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What has to be known to read a figure: the machine, and what the server says of itself. */
final class Facts {
  private static final List<String> SETTINGS =
      List.of(
          "fsync",
          "synchronous_commit",
          "full_page_writes",
          "wal_sync_method",
          "wal_level",
          "commit_delay",
          "shared_buffers",
          "max_wal_size",
          "checkpoint_timeout",
          "max_connections",
          "autovacuum",
          "autovacuum_naptime",
          "jit");

  private Facts() {}

  static Map<String, String> machine() {
    Map<String, String> facts = new LinkedHashMap<>();
    facts.put("cores", Integer.toString(Runtime.getRuntime().availableProcessors()));
    facts.put("os", System.getProperty("os.name") + " " + System.getProperty("os.arch"));
    facts.put("java", System.getProperty("java.vm.name") + " " + Runtime.version());
    facts.put("heap", Runtime.getRuntime().maxMemory() / (1024 * 1024) + " MB");
    facts.put("load average at start", "%.2f".formatted(loadAverage()));
    return facts;
  }

  /** Over the last minute. */
  static double loadAverage() {
    return ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage();
  }

  static Map<String, String> server(Place place) throws SQLException {
    Map<String, String> facts = new LinkedHashMap<>();
    try (Connection connection = place.connect();
        Statement statement = connection.createStatement()) {
      facts.put("version", text(statement, "SELECT version()"));
      for (String setting : SETTINGS) {
        facts.put(setting, text(statement, "SHOW " + setting));
      }
    }
    return facts;
  }

  private static String text(Statement statement, String sql) throws SQLException {
    try (ResultSet row = statement.executeQuery(sql)) {
      row.next();
      return row.getString(1);
    }
  }
}
