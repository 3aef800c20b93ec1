package io.holdfast.postgres;

import io.holdfast.job.JobRules;

/**
 * {@code ready or expired → inflight}, in one statement. Each queue is looked at by three probes,
 * one per index, that lock what they find and skip what others have locked; the candidates are
 * merged by how long they have been eligible.
 *
 * <p>Plans are made for unknown limits and unknown tables. Three things keep them from reading more
 * than they have to: a probe is a {@code LATERAL} with order and limit, so it walks its index; the
 * clock is read once, in {@code wish}, so it bounds an index; and what was locked is changed where
 * it was found, by {@code ctid}, instead of being looked for again. A row that moved in between is
 * not found there and stays for the next reserve.
 */
final class JobReserveSql {
  /**
   * A condition that always holds. It makes the planner expect a row or two, so that it probes for
   * each row instead of reading a table for all of them.
   */
  static final String FEW = "n BETWEEN 1 AND 1000000000";

  /** Parameters: now, at most how many, for how long (µs), start of the tokens, owner. */
  static final String WISH =
      """
      WITH wish AS MATERIALIZED (
        SELECT coalesce(?::timestamptz, clock_timestamp()) AS at, ?::int AS max,
               ?::bigint * interval '1 microsecond' AS lease, ?::text AS prefix, ?::text AS owner),
      """;

  /** Parameters: queues, how many of each, how many per probe, floors. */
  private static final String FOUND =
      """
      asked AS MATERIALIZED (
        SELECT a.queue, a.max, a.probe, coalesce(a.floor, '-infinity') AS floor,
               CASE WHEN a.floor IS NULL THEN 'infinity' ELSE
                 (SELECT at FROM wish) + interval '1 second' END AS horizon,
               coalesce(q.delivery_limit, 20) AS delivery_limit, q.paused_at IS NOT NULL AS is_paused
          FROM unnest(?::text[], ?::int[], ?::int[], ?::timestamptz[])
               WITH ORDINALITY AS a (queue, max, probe, floor, n)
          LEFT JOIN {queues} AS q ON q.queue = a.queue
         WHERE a.{few}),
      found AS MATERIALIZED (
        SELECT c.spot, c.id, a.queue, c.since, c.size, c.is_expired, c.is_cancelled,
               c.is_expired AND c.unresolved >= a.delivery_limit AS is_spent
          FROM asked AS a
         CROSS JOIN LATERAL (
           SELECT b.spot, b.id, b.since, b.size, b.is_expired, b.is_cancelled, b.unresolved
             FROM (
               SELECT p.spot, p.id, p.since, p.size, false AS is_expired, p.is_cancelled,
                      0 AS unresolved
                 FROM (
                   SELECT j.ctid AS spot, j.id, coalesce(j.rank_at, j.created_at) AS since,
                          {size} AS size, j.cancel_requested AS is_cancelled
                     FROM {jobs} AS j
                    WHERE j.queue = a.queue AND j.status = 'ready' AND j.run_at IS NULL
                    ORDER BY coalesce(j.rank_at, j.created_at), j.id
                    LIMIT a.probe
                      FOR NO KEY UPDATE SKIP LOCKED) AS p
               UNION ALL
               SELECT p.spot, p.id, p.since, p.size, false, p.is_cancelled, 0
                 FROM (
                   SELECT j.ctid AS spot, j.id, {size} AS size, j.cancel_requested AS is_cancelled,
                          greatest(j.run_at, j.created_at) - j.priority * interval '1 minute' AS since
                     FROM {jobs} AS j
                    WHERE j.queue = a.queue AND j.status = 'ready' AND j.run_at IS NOT NULL
                      AND j.run_at >= a.floor AND j.run_at <= (SELECT at FROM wish)
                    ORDER BY j.run_at, j.id
                    LIMIT a.probe
                      FOR NO KEY UPDATE SKIP LOCKED) AS p
               UNION ALL
               SELECT p.spot, p.id, p.since, p.size, true, p.is_cancelled, p.unresolved
                 FROM (
                   SELECT j.ctid AS spot, j.id, {size} AS size, j.cancel_requested AS is_cancelled,
                          j.lease_expires_at - j.priority * interval '1 minute' AS since,
                          j.deliveries::bigint - j.attempts - j.excused AS unresolved
                     FROM {jobs} AS j
                    WHERE j.queue = a.queue AND j.status = 'inflight'
                      AND j.lease_expires_at >= a.floor AND j.lease_expires_at <= (SELECT at FROM wish)
                    ORDER BY j.lease_expires_at, j.id
                    LIMIT a.probe
                      FOR NO KEY UPDATE SKIP LOCKED) AS p) AS b
            ORDER BY b.since, b.id
            LIMIT a.max) AS c
         WHERE NOT a.is_paused),
      """
          .replace("{few}", FEW)
          .replace("{size}", "octet_length(j.payload) + coalesce(octet_length(j.checkpoint), 0)");

  private static final String TAKEN =
      """
      picked AS MATERIALIZED (
        SELECT f.n, f.spot, f.id, f.is_expired, f.is_cancelled, f.is_spent
          FROM (SELECT f.*, row_number() OVER oldest AS n, sum(f.size) OVER oldest AS bytes
                  FROM found AS f WINDOW oldest AS (ORDER BY f.since, f.id)) AS f
         WHERE f.n <= (SELECT max FROM wish) AND (f.n = 1 OR f.bytes <= {bytes})),
      disposed AS (
        UPDATE {jobs} AS j
           SET status = CASE WHEN p.is_cancelled THEN 'done' ELSE 'dlq' END,
               outcome = CASE WHEN p.is_cancelled THEN 'cancelled' ELSE 'failed' END,
               finished_at = (SELECT at FROM wish), cancel_requested = false,
               lease_token = NULL, lease_expires_at = NULL, lease_owner = NULL, last_token = NULL,
               last_error = CASE WHEN p.is_cancelled THEN j.last_error ELSE
                 'delivery limit: ' || j.deliveries::bigint - j.excused
                   || ' deliveries without an outcome' END,
               failed_at = CASE WHEN p.is_cancelled THEN j.failed_at ELSE (SELECT at FROM wish) END,
               dlq_reason = CASE WHEN p.is_cancelled THEN j.dlq_reason ELSE 'delivery limit' END,
               dlq_failed_at =
                 CASE WHEN p.is_cancelled THEN j.dlq_failed_at ELSE (SELECT at FROM wish) END,
               dlq_attempts = CASE WHEN p.is_cancelled THEN j.dlq_attempts ELSE j.attempts END,
               dlq_count = j.dlq_count + CASE WHEN p.is_cancelled THEN 0 ELSE 1 END
          FROM picked AS p
         WHERE j.ctid = p.spot AND p.{few} AND (p.is_cancelled OR p.is_spent)
        RETURNING p.n),
      taken AS (
        UPDATE {jobs} AS j
           SET status = 'inflight', deliveries = j.deliveries + 1,
               lease_token = (SELECT prefix FROM wish) || lpad(to_hex(p.n), 8, '0'),
               lease_expires_at = (SELECT at + lease FROM wish),
               lease_owner = (SELECT owner FROM wish),
               run_at = CASE WHEN p.is_expired THEN NULL ELSE j.run_at END
          FROM picked AS p
         WHERE j.ctid = p.spot AND p.{few} AND NOT (p.is_cancelled OR p.is_spent)
        RETURNING {columns}, p.n),
      """
          .replace("{few}", FEW)
          .replace("{bytes}", Long.toString(JobRules.MAX_ANSWER))
          .replace("{columns}", JobRows.COLUMNS);

  /**
   * When to come again: after the earliest due time or expiry to come, or soon if there is a job
   * that could be run but was not found, because somebody works on it or too many came before it.
   * With a floor, what expires is looked for no further than a second ahead, when the next look is
   * due anyhow: beyond may lie the leases of all jobs that ended lately.
   */
  private static final String NEXT =
      """
      next AS MATERIALIZED (
        SELECT least(min(h.due_at), min(h.expires_at),
                     CASE WHEN bool_or(h.is_used_up OR h.is_left) THEN
                       (SELECT at FROM wish) + interval '10 milliseconds' END) AS at
          FROM asked AS a
         CROSS JOIN LATERAL (
           SELECT (SELECT count(*) FROM found AS f WHERE f.queue = a.queue) >= a.max AS is_used_up,
                  coalesce(
                    (SELECT true FROM {jobs} AS j
                      WHERE j.queue = a.queue AND j.status = 'ready' AND j.run_at IS NULL
                        AND j.id NOT IN (SELECT id FROM found)
                      ORDER BY coalesce(j.rank_at, j.created_at), j.id LIMIT 1),
                    (SELECT true FROM {jobs} AS j
                      WHERE j.queue = a.queue AND j.status = 'ready' AND j.run_at IS NOT NULL
                        AND j.run_at >= a.floor AND j.run_at <= (SELECT at FROM wish)
                        AND j.id NOT IN (SELECT id FROM found)
                      ORDER BY j.run_at, j.id LIMIT 1),
                    (SELECT true FROM {jobs} AS j
                      WHERE j.queue = a.queue AND j.status = 'inflight'
                        AND j.lease_expires_at >= a.floor
                        AND j.lease_expires_at <= (SELECT at FROM wish)
                        AND j.id NOT IN (SELECT id FROM found)
                      ORDER BY j.lease_expires_at, j.id LIMIT 1)) AS is_left,
                  (SELECT j.run_at FROM {jobs} AS j
                    WHERE j.queue = a.queue AND j.status = 'ready' AND j.run_at IS NOT NULL
                      AND j.run_at > (SELECT at FROM wish) AND j.run_at < {sentinel}
                    ORDER BY j.run_at, j.id LIMIT 1) AS due_at,
                  coalesce(
                    (SELECT j.lease_expires_at FROM {jobs} AS j
                      WHERE j.queue = a.queue AND j.status = 'inflight'
                        AND j.lease_expires_at > (SELECT at FROM wish)
                        AND j.lease_expires_at <= a.horizon {unless}
                      ORDER BY j.lease_expires_at, j.id LIMIT 1),
                    nullif(a.horizon, 'infinity')) AS expires_at) AS h
         WHERE NOT a.is_paused AND (SELECT count(*) FROM taken) < (SELECT max FROM wish))
      """
          .replace("{sentinel}", JobRows.SENTINEL_SQL);

  /**
   * Beside each job, or beside nothing: clock, paused queues, whether fewer came than were found
   * and wanted, when next.
   */
  private static final String RESULT =
      """
      SELECT t.*, w.at, ARRAY(SELECT queue FROM asked WHERE is_paused),
             (SELECT count(*) FROM taken) < least(w.max, (SELECT count(*) FROM found)),
             (SELECT at FROM next)
      """;

  private static final String FROM = "FROM wish AS w LEFT JOIN taken AS t ON true";

  static final String RESERVE = WISH + FOUND + TAKEN + NEXT.replace("{unless}", "") + RESULT + FROM;

  /**
   * Of refused acknowledgements, those of jobs that could be reserved: after that, nobody could
   * tell any more what they were refused for. Positive numbers had a lease that expired.
   */
  private static final String REFUSED =
      """
      , CASE WHEN v.refused IS NOT NULL THEN
          ARRAY(SELECT CASE WHEN f.is_expired THEN a.n ELSE -a.n END
                  FROM acks AS a JOIN found AS f ON f.id = a.id) END
      """;

  /** Acknowledges, then reserves. The verdict about the acknowledgements comes beside each job. */
  static final String EXCHANGE =
      WISH
          + JobSettleSql.ACKED.replace("{now}", "(SELECT at FROM wish)")
          + ",\n"
          + FOUND
          + TAKEN
          + NEXT.replace("{unless}", "AND j.id NOT IN (SELECT id FROM acked)")
          + RESULT
          + JobSettleSql.ACK_RESULT
          + REFUSED
          + FROM
          + JobSettleSql.ACK_FROM;

  private JobReserveSql() {}
}
