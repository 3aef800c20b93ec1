package io.holdfast.postgres;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Looks for what makes queues on PostgreSQL slow or unsafe: settings, transactions that keep dead
 * rows alive, indexes that are missing or not used, a schema that is behind. It changes nothing.
 */
final class Doctor {
  private static final int OLDEST_VERSION = 150_000;
  private static final Duration CLOCK_TOLERANCE = Duration.ofSeconds(2);

  /** What each setting must be, and why. */
  private static final Map<String, String> SETTINGS =
      Map.of(
          "autovacuum", "dead rows are never removed, and every operation gets slower",
          "fsync", "a crash of the machine can corrupt the database",
          "full_page_writes", "a crash of the machine can corrupt the database",
          "synchronous_commit", "a crash of the server can lose what was acknowledged",
          "track_counts", "autovacuum does not know where to work");

  private static final String FACTS =
      """
      SELECT current_setting('server_version_num')::int AS number,
             current_setting('server_version') AS version, clock_timestamp() AS at,
             pg_size_bytes(current_setting('max_wal_size')) AS wal,
             (SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend') AS used,
             current_setting('max_connections')::int AS most
      """;

  private static final String HOLDING_BACK =
      """
      SELECT format('process %s of %s (%s, %s)', pid, coalesce(usename, '?'),
                    coalesce(nullif(application_name, ''), 'no name'), state) AS who,
             date_trunc('second', now() - xact_start)::text AS since
        FROM pg_stat_activity
       WHERE xact_start < now() - interval '5 minutes' AND backend_xmin IS NOT NULL
         AND backend_type = 'client backend'
       UNION ALL
      SELECT format('prepared transaction %s of %s', gid, owner),
             date_trunc('second', now() - prepared)::text
        FROM pg_prepared_xacts WHERE prepared < now() - interval '5 minutes'
       UNION ALL
      SELECT format('replication slot %s', slot_name), age(coalesce(xmin, catalog_xmin)) || ' transactions'
        FROM pg_replication_slots
       WHERE NOT active AND age(coalesce(xmin, catalog_xmin)) > 100000
       ORDER BY 1
       LIMIT 10
      """;

  private static final String BROKEN_INDEXES =
      """
      SELECT i.indexrelid::regclass::text AS name
        FROM pg_index AS i
        JOIN pg_class AS t ON t.oid = i.indrelid
        JOIN pg_namespace AS n ON n.oid = t.relnamespace
       WHERE NOT i.indisvalid
         AND (n.nspname LIKE 'holdfast%' OR t.relname ~ '^(th_jobs|syncguard_|items_|queues$)')
       LIMIT 10
      """;

  private static final String BLOATED =
      """
      SELECT relid::regclass::text AS name, n_dead_tup AS dead, n_live_tup AS live
        FROM pg_stat_user_tables
       WHERE n_dead_tup > 100000 AND n_dead_tup > 5 * n_live_tup
         AND (schemaname LIKE 'holdfast%' OR relname ~ '^(th_jobs|syncguard_|items_)')
       ORDER BY n_dead_tup DESC
       LIMIT 5
      """;

  private final Connection connection;
  private final Clock here;
  private final List<Finding> findings = new ArrayList<>();

  private Doctor(Connection connection, Clock here) {
    this.connection = connection;
    this.here = here;
  }

  /** Everything there is to say; {@code here} is this machine's clock. */
  static List<Finding> examine(Connection connection, Clock here) throws SQLException {
    Doctor doctor = new Doctor(connection, here);
    doctor.facts();
    doctor.settings();
    doctor.holdingBack();
    doctor.indexes();
    doctor.bloat();
    return doctor.findings;
  }

  private void facts() throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(FACTS);
        ResultSet row = statement.executeQuery()) {
      row.next();
      String version = row.getString("version");
      findings.add(
          row.getInt("number") >= OLDEST_VERSION
              ? Finding.ok("version", "PostgreSQL " + version)
              : Finding.warning(
                  "version",
                  "PostgreSQL " + version,
                  "Holdfast is tested on 15 and later: upgrade"));
      clock(row.getTimestamp("at").toInstant());
      connections(row.getInt("used"), row.getInt("most"));
      long megabytes = row.getLong("wal") >> 20;
      findings.add(
          megabytes >= 1_024
              ? Finding.ok("max_wal_size", megabytes + " MB")
              : Finding.warning(
                  "max_wal_size",
                  megabytes + " MB",
                  "writing much makes checkpoints come too often: set 1 GB or more"));
    }
  }

  private void clock(Instant database) {
    Duration apart = Duration.between(database, here.instant()).abs();
    findings.add(
        apart.compareTo(CLOCK_TOLERANCE) < 0
            ? Finding.ok("clock", "within " + CLOCK_TOLERANCE.toSeconds() + " s of this machine")
            : Finding.warning(
                "clock",
                apart.toSeconds() + " s away from this machine's",
                "the database's clock decides; let both machines keep time (NTP)"));
  }

  private void connections(int used, int most) {
    String found = used + " of " + most + " in use";
    findings.add(
        used * 10L < most * 8L
            ? Finding.ok("connections", found)
            : Finding.warning(
                "connections", found, "raise max_connections, or use smaller pools or a pooler"));
  }

  private void settings() throws SQLException {
    for (Map.Entry<String, String> setting : SETTINGS.entrySet()) {
      String name = setting.getKey();
      String value = setting(name);
      findings.add(
          value.equals("off")
              ? Finding.problem(name, "off", "turn it on: " + setting.getValue())
              : Finding.ok(name, value));
    }
  }

  private String setting(String name) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement("SELECT current_setting(?)")) {
      statement.setString(1, name);
      try (ResultSet row = statement.executeQuery()) {
        row.next();
        return row.getString(1);
      }
    }
  }

  private void holdingBack() throws SQLException {
    boolean isFree = true;
    try (PreparedStatement statement = connection.prepareStatement(HOLDING_BACK);
        ResultSet row = statement.executeQuery()) {
      while (row.next()) {
        isFree = false;
        findings.add(
            Finding.problem(
                "long transaction",
                row.getString("who") + ", for " + row.getString("since"),
                "it keeps dead rows alive, so everything slows down: end it"));
      }
    }
    if (isFree) {
      findings.add(Finding.ok("long transactions", "none"));
    }
  }

  private void indexes() throws SQLException {
    boolean isSound = true;
    try (PreparedStatement statement = connection.prepareStatement(BROKEN_INDEXES);
        ResultSet row = statement.executeQuery()) {
      while (row.next()) {
        isSound = false;
        String name = row.getString("name");
        findings.add(
            Finding.problem("index " + name, "not valid", "drop it, and ask again how to make it"));
      }
    }
    for (MissingIndexes.Missing index : new MissingIndexes(connection).find()) {
      isSound = false;
      findings.add(
          Finding.problem("index " + index.name(), "missing", "make it: " + index.statement()));
    }
    if (isSound) {
      findings.add(Finding.ok("indexes", "all there, and valid"));
    }
  }

  private void bloat() throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(BLOATED);
        ResultSet row = statement.executeQuery()) {
      while (row.next()) {
        findings.add(
            Finding.warning(
                "table " + row.getString("name"),
                row.getLong("dead") + " dead rows beside " + row.getLong("live"),
                "vacuum does not keep up: look for long transactions, then VACUUM it"));
      }
    }
  }
}
