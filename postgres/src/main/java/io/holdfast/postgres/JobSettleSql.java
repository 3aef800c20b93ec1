package io.holdfast.postgres;

/**
 * Every way a run ends, and what is said while it lasts: a conditional update by primary key. Items
 * come sorted by id, so two statements lock rows in the same order. A token alone says that the job
 * is inflight, because no other row has one; naming the status too would invite other indexes.
 */
final class JobSettleSql {
  /** The clock is read anew for each row, also after waiting for it. */
  private static final String NOW = JobSession.NOW;

  private static final String GUARD =
      "j.id = a.id AND a.{few} AND j.lease_token = a.token AND j.lease_expires_at > {now}"
          .replace("{few}", JobReserveSql.FEW);

  /**
   * {@code inflight → done}, or gone where a queue keeps nothing. Only while there is such a queue
   * are rows deleted, and only while rows are left are they looked for again. Parameters: ids,
   * tokens, outputs.
   */
  static final String ACKED =
      """
      acks AS MATERIALIZED (
        SELECT a.n, a.id, a.token, a.output
          FROM unnest(?::text[], ?::text[], ?::bytea[]) WITH ORDINALITY AS a (id, token, output, n)),
      forgetful AS MATERIALIZED (
        SELECT array_agg(q.queue COLLATE "C") AS queues FROM {queues} AS q WHERE q.done_keep_ms = 0),
      deleted AS (
        DELETE FROM {jobs} AS j
         USING acks AS a
         WHERE (SELECT queues IS NOT NULL FROM forgetful) AND {guard}
           AND (j.queue COLLATE "C") = ANY ((SELECT queues FROM forgetful)::text[])
        RETURNING a.n, j.id, j.queue, j.limit_key),
      kept AS (
        UPDATE {jobs} AS j
           SET status = 'done', outcome = 'succeeded', finished_at = (SELECT at FROM wish),
               last_token = j.lease_token, output = a.output, cancel_requested = false,
               lease_token = NULL, lease_expires_at = NULL, lease_owner = NULL
          FROM acks AS a
         WHERE (SELECT count(*) FROM deleted) < (SELECT count(*) FROM acks) AND {guard}
           AND NOT coalesce((j.queue COLLATE "C") = ANY ((SELECT queues FROM forgetful)::text[]), false)
        RETURNING a.n, j.id, j.queue, j.limit_key),
      acked AS MATERIALIZED (
        SELECT n, id, queue, limit_key FROM deleted
         UNION ALL
        SELECT n, id, queue, limit_key FROM kept),
      verdict AS MATERIALIZED (
        SELECT CASE WHEN count(*) < (SELECT count(*) FROM acks) THEN
                 ARRAY(SELECT a.n FROM acks AS a WHERE a.n NOT IN (SELECT n FROM acked)) END AS refused,
               array_agg(k.queue) FILTER (WHERE k.limit_key IS NOT NULL) AS queues,
               array_agg(k.limit_key) FILTER (WHERE k.limit_key IS NOT NULL) AS keys
          FROM acked AS k)
      """
          .replace("{guard}", GUARD);

  /** What was refused, and the limit keys of the others: queues and keys side by side. */
  static final String ACK_RESULT = ", v.refused, v.queues, v.keys ";

  static final String ACK_FROM = " CROSS JOIN verdict AS v";

  /** Parameters: now; ids, tokens, outputs; now twice more. */
  static final String ACK =
      """
      WITH wish AS MATERIALIZED (SELECT {now} AS at),
      {acked}
      SELECT v.refused, v.queues, v.keys FROM verdict AS v
      """
          .replace("{acked}", ACKED)
          .replace("{now}", NOW);

  private static final String CLOCK = "WITH clock AS MATERIALIZED (SELECT {now} AS at) ";

  /**
   * What each of the following answers: the item, its queue and limit key if a slot became free,
   * whether the queue has something to run within a second, and both flags of a cancelled job.
   */
  private static final String ANSWER = " RETURNING a.n, j.queue, ";

  private static final String SOON =
      "(j.run_at IS NULL OR j.run_at <= (SELECT at FROM clock) + interval '1 second')";

  /**
   * {@code inflight → ready}, back to the gate with a limit key, or cancelled if that was asked
   * for. Parameters: now; ids, tokens, due times, delays, errors, attempts, failure times; now.
   */
  static final String RETRY =
      complete(
          """
          UPDATE {jobs} AS j
             SET status = CASE WHEN j.cancel_requested THEN 'done' ELSE 'ready' END,
                 attempts = least(coalesce(a.attempts, j.attempts::bigint + 1), 2147483647),
                 last_error = a.error, failed_at = coalesce(a.failed_at, (SELECT at FROM clock)),
                 rank_at = CASE WHEN j.cancel_requested THEN j.rank_at ELSE
                   (SELECT at FROM clock) - j.priority * interval '1 minute' END,
                 run_at = CASE WHEN j.cancel_requested THEN j.run_at
                               WHEN j.limit_key IS NULL THEN a.due_at ELSE {sentinel} END,
                 gate_at = CASE WHEN NOT j.cancel_requested AND j.limit_key IS NOT NULL
                                THEN coalesce(a.due_at, (SELECT at FROM clock)) END,
                 outcome = CASE WHEN j.cancel_requested THEN 'cancelled' END,
                 finished_at = CASE WHEN j.cancel_requested THEN (SELECT at FROM clock) END,
                 cancel_requested = false, last_token = NULL,
                 lease_token = NULL, lease_expires_at = NULL, lease_owner = NULL
            FROM (SELECT u.n, u.id, u.token, u.error, u.attempts, u.failed_at,
                         coalesce(u.run_at, (SELECT at FROM clock) + u.delay * interval '1 microsecond')
                           AS due_at
                    FROM unnest(?::text[], ?::text[], ?::timestamptz[], ?::bigint[], ?::text[],
                                ?::bigint[], ?::timestamptz[])
                         WITH ORDINALITY AS u (id, token, run_at, delay, error, attempts, failed_at, n))
                 AS a
           WHERE {guard}
          """
              + ANSWER
              + """
              j.limit_key, j.status = 'done' AS is_cancelled, false AS is_cancel_requested,
              j.status = 'ready' AND j.limit_key IS NULL AND {soon} AS is_soon
              """);

  /** {@code inflight → dlq}. Parameters: now; ids, tokens, reasons, errors, attempts; now. */
  static final String FAIL =
      complete(
          """
          UPDATE {jobs} AS j
             SET status = 'dlq',
                 attempts = least(coalesce(a.attempts, j.attempts::bigint + 1), 2147483647),
                 dlq_attempts = least(coalesce(a.attempts, j.attempts::bigint + 1), 2147483647),
                 last_error = coalesce(a.error, a.reason, 'failed'), failed_at = (SELECT at FROM clock),
                 dlq_reason = coalesce(a.reason, 'failed'), dlq_failed_at = (SELECT at FROM clock),
                 dlq_count = j.dlq_count + 1, outcome = 'failed',
                 finished_at = (SELECT at FROM clock), last_token = j.lease_token,
                 cancel_requested = false,
                 lease_token = NULL, lease_expires_at = NULL, lease_owner = NULL
            FROM unnest(?::text[], ?::text[], ?::text[], ?::text[], ?::bigint[])
                 WITH ORDINALITY AS a (id, token, reason, error, attempts, n)
           WHERE {guard}
          """
              + ANSWER
              + """
              j.limit_key, false AS is_cancelled, false AS is_cancel_requested, false AS is_soon
              """);

  /**
   * {@code inflight → ready} to its old place, or after a delay, which a job with a limit key
   * spends at the gate. Parameters: now; ids, tokens, delays; now.
   */
  static final String RELEASE =
      complete(
          """
          UPDATE {jobs} AS j
             SET status = 'ready', excused = j.excused + 1,
                 run_at = CASE WHEN a.due_at IS NULL THEN j.run_at
                               WHEN j.limit_key IS NULL THEN a.due_at ELSE {sentinel} END,
                 gate_at = CASE WHEN j.limit_key IS NOT NULL THEN a.due_at END,
                 lease_token = NULL, lease_expires_at = NULL, lease_owner = NULL
            FROM (SELECT u.n, u.id, u.token,
                         (SELECT at FROM clock) + u.delay * interval '1 microsecond' AS due_at
                    FROM unnest(?::text[], ?::text[], ?::bigint[])
                         WITH ORDINALITY AS u (id, token, delay, n)) AS a
           WHERE {guard}
          """
              + ANSWER
              + """
              CASE WHEN j.gate_at IS NOT NULL THEN j.limit_key END AS limit_key,
              false AS is_cancelled, false AS is_cancel_requested,
              j.gate_at IS NULL AND {soon} AS is_soon
              """);

  /** Stores what is given. Parameters: now; ids, tokens, percentages, notes, checkpoints; now. */
  static final String REPORT =
      complete(
          """
          UPDATE {jobs} AS j
             SET progress = coalesce(a.percent, j.progress), progress_note = coalesce(a.note, j.progress_note),
                 checkpoint = coalesce(a.checkpoint, j.checkpoint)
            FROM unnest(?::text[], ?::text[], ?::bigint[], ?::text[], ?::bytea[])
                 WITH ORDINALITY AS a (id, token, percent, note, checkpoint, n)
           WHERE {guard}
          """
              + ANSWER
              + """
              NULL::text AS limit_key, false AS is_cancelled, j.cancel_requested AS is_cancel_requested,
              false AS is_soon
              """);

  /** More, or less, time. Parameters: now, for how long (µs); ids, tokens; now. */
  static final String EXTEND =
      """
      WITH clock AS MATERIALIZED (SELECT {now} + ?::bigint * interval '1 microsecond' AS until)
      UPDATE {jobs} AS j
         SET lease_expires_at = (SELECT until FROM clock)
        FROM unnest(?::text[], ?::text[]) WITH ORDINALITY AS a (id, token, n)
       WHERE {guard}
      RETURNING a.n, j.lease_expires_at, j.cancel_requested
      """
          .replace("{guard}", GUARD)
          .replace("{now}", NOW);

  /** What refused items stand at. Parameters: now, ids. */
  static final String STANDING =
      """
      SELECT a.n, j.status, j.lease_expires_at > {now} AS is_valid, j.lease_token, j.last_token,
             j.outcome, j.finished_at = j.dlq_failed_at AS is_dead_by_us, j.cancel_requested
        FROM unnest(?::text[]) WITH ORDINALITY AS a (id, n)
        JOIN {jobs} AS j ON j.id = a.id
       WHERE a.{few}
      """
          .replace("{few}", JobReserveSql.FEW)
          .replace("{now}", NOW);

  private static String complete(String statement) {
    return (CLOCK + statement)
        .replace("{guard}", GUARD)
        .replace("{soon}", SOON)
        .replace("{sentinel}", JobRows.SENTINEL_SQL)
        .replace("{now}", NOW);
  }

  private JobSettleSql() {}
}
