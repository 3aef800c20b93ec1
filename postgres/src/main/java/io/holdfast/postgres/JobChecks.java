package io.holdfast.postgres;

import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The checks that a {@code th_jobs} of an older TaskHarbor may lack, and the rows that they would
 * refuse: those that kept a lease when they had nothing to do with one any more.
 */
final class JobChecks {
  private static final int CHUNK = 10_000;

  /** By name; the same as in the script of the table. */
  private static final Map<String, String> ALL = all();

  /** By the primary key, so that every row is looked at once, and few are locked at a time. */
  private static final String CLEAR_LEASES =
      """
      WITH chunk AS MATERIALIZED (
        SELECT j.id, j.status <> 'inflight' AND (j.lease_token IS NOT NULL OR j.lease_expires_at IS NOT NULL)
                 AS is_wrong
          FROM {jobs} AS j WHERE j.id > ? ORDER BY j.id LIMIT ?),
      cleared AS (
        UPDATE {jobs} AS j SET lease_token = NULL, lease_expires_at = NULL
         WHERE j.id = ANY (ARRAY(SELECT c.id FROM chunk AS c WHERE c.is_wrong)) AND j.status <> 'inflight')
      SELECT c.id FROM chunk AS c ORDER BY c.id DESC LIMIT 1
      """;

  private JobChecks() {}

  private static Map<String, String> all() {
    Map<String, String> checks = new LinkedHashMap<>();
    checks.put(
        "th_jobs_inflight_requires_lease_chk",
        "status <> 'inflight' OR (lease_token IS NOT NULL AND lease_expires_at IS NOT NULL)");
    checks.put(
        "th_jobs_non_inflight_has_no_lease_chk",
        "status = 'inflight' OR (lease_token IS NULL AND lease_expires_at IS NULL)");
    checks.put("th_jobs_lease_pair_chk", "(lease_token IS NULL) = (lease_expires_at IS NULL)");
    checks.put("th_jobs_dlq_requires_metadata_chk", "status <> 'dlq' OR dlq_failed_at IS NOT NULL");
    return checks;
  }

  static Set<String> names() {
    return ALL.keySet();
  }

  /** Statements that make new rows obey. */
  static List<String> added(List<String> missing) {
    return missing.stream()
        .map(
            name ->
                "ALTER TABLE {jobs} ADD CONSTRAINT %s CHECK (%s) NOT VALID"
                    .formatted(name, ALL.get(name)))
        .toList();
  }

  /** A statement that compares a check with the rows that were there before it. */
  static String validated(String name) {
    return "ALTER TABLE {jobs} VALIDATE CONSTRAINT " + name;
  }

  /** Takes leases away from rows that are not inflight. */
  static void clearLeases(JobNames names, Transactions transactions, Statements.Limits limits)
      throws SQLException {
    String last = "";
    while (last != null) {
      String from = last;
      last = transactions.single("adopt", limits, watch -> clearLeases(names, watch, from));
    }
  }

  /** Answers where the chunk behind {@code from} ended; null: there was none. */
  private static @Nullable String clearLeases(JobNames names, Watch watch, String from)
      throws SQLException {
    try (PreparedStatement statement = watch.prepare(names.sql(CLEAR_LEASES))) {
      Binds.of(statement).text(from).integer(CHUNK);
      try (ResultSet row = statement.executeQuery()) {
        return row.next() ? row.getString(1) : null;
      }
    }
  }
}
