package io.holdfast.postgres;

import io.holdfast.job.JobRow;
import io.holdfast.job.NewJob;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The statements that store jobs. A batch travels as one array per column. */
final class JobInsertSql {
  /**
   * Parameters: now, then one array per column. Arrays of what no row has are empty, which stands
   * for nulls. A queue's default limit key is looked for only while some queue has one.
   */
  private static final String GIVEN =
      """
      WITH clock AS MATERIALIZED (SELECT coalesce(?::timestamptz, clock_timestamp()) AS at),
      defaults AS MATERIALIZED (
        SELECT EXISTS (SELECT FROM {queues} WHERE default_limit_key IS NOT NULL) AS is_any),
      given AS {materialized} (
        SELECT u.n, u.id, u.type, u.queue, u.payload, u.key, coalesce(u.timeout, 0) AS timeout,
               coalesce(u.max_attempts, 0) AS max_attempts, coalesce(u.priority, 0) AS priority,
               u.trace, coalesce(u.attempts, 0) AS attempts, coalesce(u.error, '') AS error, u.failed_at,
               coalesce(u.limit_key, CASE WHEN (SELECT is_any FROM defaults) THEN
                 (SELECT q.default_limit_key FROM {queues} AS q WHERE q.queue = u.queue) END)
                 AS limit_key,
               coalesce(u.created_at, c.at + (u.n - 1) * interval '1 microsecond') AS created_at,
               coalesce(u.run_at, c.at + u.delay * interval '1 microsecond') AS due_at
          FROM clock AS c
         CROSS JOIN unnest(?::text[], ?::text[], ?::text[], ?::bytea[], ?::bigint[], ?::bigint[],
                           ?::bigint[], ?::text[], ?::text[], ?::text[], ?::timestamptz[], ?::bigint[],
                           ?::int[], ?::text[], ?::timestamptz[], ?::timestamptz[])
               WITH ORDINALITY AS u (id, type, queue, payload, timeout, max_attempts,
                                     priority, key, limit_key, trace, run_at, delay,
                                     attempts, error, failed_at, created_at, n)
        OFFSET 0), -- so that what is computed here is not computed for each use
      inserted AS (
        INSERT INTO {jobs} (id, type, queue, payload, timeout_nanos, max_attempts, idempotency_key,
                            priority, trace_id, attempts, last_error, failed_at, limit_key, created_at,
                            rank_at, run_at, gate_at)
        SELECT g.id, g.type, g.queue, g.payload, g.timeout, g.max_attempts, g.key,
               g.priority, g.trace, g.attempts, g.error, g.failed_at, g.limit_key, g.created_at,
               CASE WHEN g.priority <> 0 THEN g.created_at - g.priority * interval '1 minute' END,
               CASE WHEN g.limit_key IS NULL THEN g.due_at ELSE {sentinel} END,
               CASE WHEN g.limit_key IS NOT NULL THEN
                 coalesce(g.due_at, g.created_at - interval '10 milliseconds') END
          FROM given AS g
      """
          .replace("{sentinel}", JobRows.SENTINEL_SQL);

  private static final String SOON =
      "(i.run_at IS NULL OR i.run_at <= (SELECT at FROM clock) + interval '1 second') AS is_soon";

  /** Without idempotency keys: answers the queues and limit keys of the batch. */
  static final String PLAIN =
      GIVEN.replace("{materialized}", "NOT MATERIALIZED")
          + """
          RETURNING queue, limit_key, run_at)
          SELECT DISTINCT i.queue, i.limit_key,
          """
          + SOON
          + " FROM inserted AS i";

  /** With keys, in their order, so that two batches do not wait for each other. */
  static final String KEYED =
      GIVEN.replace("{materialized}", "MATERIALIZED")
          + """
           ORDER BY g.queue, g.key, g.n
              ON CONFLICT (queue, idempotency_key) DO NOTHING
          RETURNING id, queue, idempotency_key, limit_key, run_at)
          SELECT g.n, coalesce(i.id, s.id) AS id, i.id IS NOT NULL AS is_new, i.queue, i.limit_key,
          """
          + SOON
          + """
            FROM given AS g
            LEFT JOIN inserted AS i
              ON i.id = g.id AND i.queue = g.queue AND i.idempotency_key IS NOT DISTINCT FROM g.key
            LEFT JOIN LATERAL (
              SELECT j.id FROM {jobs} AS j
               WHERE i.id IS NULL AND j.queue = g.queue AND j.idempotency_key = g.key LIMIT 1) AS s ON true
          """;

  /** Who holds these keys. Parameters: queues, keys. */
  static final String FIND =
      """
      SELECT g.n, s.id
        FROM unnest(?::text[], ?::text[]) WITH ORDINALITY AS g (queue, key, n)
       CROSS JOIN LATERAL (
         SELECT j.id FROM {jobs} AS j
          WHERE j.queue = g.queue AND j.idempotency_key = g.key LIMIT 1) AS s
      """;

  private JobInsertSql() {}

  static void bind(Binds binds, List<JobRow> rows) throws SQLException {
    binds
        .texts(each(rows, JobRow::id))
        .texts(draft(rows, NewJob::type))
        .texts(each(rows, JobRow::queue))
        .bytes(draft(rows, NewJob::payload))
        .numbers(orNone(draft(rows, draft -> orNull(draft.timeout().toNanos()))))
        .numbers(orNone(draft(rows, draft -> orNull(draft.maxAttempts()))))
        .numbers(orNone(draft(rows, draft -> orNull(draft.priority()))))
        .texts(orNone(each(rows, row -> row.keys().idempotency())))
        .texts(orNone(each(rows, row -> row.keys().limit())))
        .texts(orNone(each(rows, row -> row.keys().trace())))
        .instants(orNone(draft(rows, NewJob::runAt)))
        .numbers(orNone(draft(rows, draft -> micros(draft.delay()))));
    bindPast(binds, rows);
  }

  private static void bindPast(Binds binds, List<JobRow> rows) throws SQLException {
    boolean hasPast = rows.stream().anyMatch(row -> row.draft().imported() != null);
    List<JobRow> past = hasPast ? rows : List.of();
    binds
        .integers(imported(past, 0, NewJob.Import::attempts))
        .texts(imported(past, "", NewJob.Import::lastError))
        .instants(imported(past, (Instant) null, NewJob.Import::failedAt))
        .instants(imported(past, (Instant) null, NewJob.Import::createdAt));
  }

  private static <T extends @Nullable Object> List<T> each(
      List<JobRow> rows, Function<JobRow, T> field) {
    List<T> values = new ArrayList<>(rows.size());
    rows.forEach(row -> values.add(field.apply(row)));
    return values;
  }

  private static <T extends @Nullable Object> List<T> draft(
      List<JobRow> rows, Function<NewJob, T> field) {
    return each(rows, row -> field.apply(row.draft()));
  }

  private static <T extends @Nullable Object> List<T> imported(
      List<JobRow> rows, T none, Function<NewJob.Import, T> field) {
    return draft(rows, draft -> draft.imported() == null ? none : field.apply(draft.imported()));
  }

  /** The values, or an empty list if all are null. */
  private static <T> List<@Nullable T> orNone(List<@Nullable T> values) {
    for (T value : values) {
      if (value != null) {
        return values;
      }
    }
    return List.of();
  }

  private static @Nullable Long orNull(long value) {
    return value == 0 ? null : (Long) value;
  }

  /** Truncated to what the database can store, which would round them. */
  static @Nullable Long micros(@Nullable Duration value) {
    return value == null
        ? null
        : Math.addExact(
            Math.multiplyExact(value.getSeconds(), 1_000_000L), value.getNano() / 1_000L);
  }
}
