package io.holdfast.postgres;

import io.holdfast.job.JobException;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;

/**
 * What there is of the tables of jobs.
 *
 * @param hasJobs whether there is a {@code th_jobs}, whoever made it
 * @param isAdopted whether that has all columns, constraints and indexes, all valid, and none of
 *     the indexes that ours replace
 * @param hasOwn whether the other tables are there
 */
record JobCatalog(JobNames names, boolean hasJobs, boolean isAdopted, boolean hasOwn) {
  /**
   * What our statements need; the shared columns have been there since TaskHarbor's second step.
   */
  static final List<String> COLUMNS =
      List.of(
          "idempotency_key",
          "priority",
          "rank_at",
          "deliveries",
          "excused",
          "last_token",
          "outcome",
          "finished_at",
          "lease_owner",
          "cancel_requested",
          "limit_key",
          "gate_at",
          "progress",
          "progress_note",
          "checkpoint",
          "output",
          "dlq_attempts",
          "dlq_count",
          "trace_id");

  private static final List<String> INDEXES =
      List.of(
          "th_jobs_hf_ready_idx",
          "th_jobs_hf_due_idx",
          "th_jobs_hf_lease_idx",
          "th_jobs_hf_done_idx",
          "th_jobs_hf_dlq_idx",
          "th_jobs_hf_gate_idx",
          "th_jobs_hf_trace_idx",
          "th_jobs_hf_held_idx");

  private static final List<String> CONSTRAINTS =
      List.of(
          "th_jobs_inflight_requires_lease_chk",
          "th_jobs_non_inflight_has_no_lease_chk",
          "th_jobs_lease_pair_chk",
          "th_jobs_dlq_requires_metadata_chk",
          "th_jobs_queue_idempotency_key_uniq");

  /** Indexes of TaskHarbor that nobody needs beside ours. */
  static final List<String> REPLACED =
      List.of(
          "th_jobs_ready_immediate_idx",
          "th_jobs_ready_scheduled_idx",
          "th_jobs_inflight_expired_idx");

  /** Reads the catalogue's tables: functions that look names up may answer from a cache. */
  private static final String READ =
      """
      WITH place AS MATERIALIZED (
        SELECT coalesce(
                 ?::text,
                 (SELECT path.name
                    FROM unnest(current_schemas(false)) WITH ORDINALITY AS path (name, position)
                    JOIN pg_namespace AS n ON n.nspname = path.name
                    JOIN pg_class AS c ON c.relnamespace = n.oid AND c.relname = 'th_jobs'
                   ORDER BY path.position
                   LIMIT 1),
                 current_schema()) AS name),
      jobs AS MATERIALIZED (
        SELECT c.oid
          FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
         WHERE c.relname = 'th_jobs' AND n.nspname = (SELECT name FROM place)),
      indexes AS MATERIALIZED (
        SELECT c.relname, i.indisvalid
          FROM jobs JOIN pg_index AS i ON i.indrelid = jobs.oid
          JOIN pg_class AS c ON c.oid = i.indexrelid)
      SELECT (SELECT name FROM place) AS schema,
             EXISTS (SELECT FROM jobs) AS has_jobs,
             ARRAY(SELECT a.attname::text FROM pg_attribute AS a JOIN jobs ON jobs.oid = a.attrelid
                    WHERE NOT a.attisdropped) @> ?::text[]
         AND ARRAY(SELECT relname::text FROM indexes WHERE indisvalid) @> ?::text[]
         AND ARRAY(SELECT c.conname::text FROM pg_constraint AS c JOIN jobs ON jobs.oid = c.conrelid
                    WHERE c.convalidated) @> ?::text[]
         AND NOT ARRAY(SELECT relname::text FROM indexes) && ?::text[] AS is_adopted,
             EXISTS (SELECT FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
                      WHERE n.nspname = ? AND c.relname = 'job_schedules_next_idx') AS has_own
      """;

  private static final String HAS_HISTORY =
      """
      SELECT EXISTS (SELECT FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
                      WHERE n.nspname = ? AND c.relname = 'th_schema_migrations')
      """;

  private static final String HISTORY =
      """
      SELECT count(*) FROM {history}
       WHERE version IN ('001_init.sql', '002_idempotency.sql', '003_indexes.sql')
      """;

  private static final int STEPS = 3;

  static JobCatalog read(Watch watch, JobTables tables) throws SQLException {
    try (PreparedStatement statement = watch.prepare(READ)) {
      Binds.of(statement)
          .text(tables.schema())
          .texts(COLUMNS)
          .texts(INDEXES)
          .texts(CONSTRAINTS)
          .texts(REPLACED)
          .text(tables.ownSchema());
      try (ResultSet row = statement.executeQuery()) {
        row.next();
        JobCatalog found = of(row, tables);
        return found.isAdopted && !hasHistory(watch, found.names) ? found.notAdopted() : found;
      }
    }
  }

  private JobCatalog notAdopted() {
    return new JobCatalog(names, hasJobs, false, hasOwn);
  }

  /** Whether TaskHarbor's own migration finds nothing to do. */
  static boolean hasHistory(Watch watch, JobNames names) throws SQLException {
    try (PreparedStatement table = watch.prepare(HAS_HISTORY)) {
      Binds.of(table).text(names.schema);
      try (ResultSet row = table.executeQuery()) {
        row.next();
        if (!row.getBoolean(1)) {
          return false;
        }
      }
    }
    try (PreparedStatement steps = watch.prepare(names.sql(HISTORY));
        ResultSet row = steps.executeQuery()) {
      row.next();
      return row.getInt(1) == STEPS;
    }
  }

  private static JobCatalog of(ResultSet row, JobTables tables) throws SQLException {
    String schema = row.getString("schema");
    if (schema == null) {
      throw JobException.invalid("schema is required: the search path names none that exists");
    }
    return new JobCatalog(
        new JobNames(schema, tables.ownSchema()),
        row.getBoolean("has_jobs"),
        row.getBoolean("is_adopted"),
        row.getBoolean("has_own"));
  }

  /** Whether nothing is to be done. */
  boolean isComplete() {
    return isAdopted && hasOwn;
  }
}
