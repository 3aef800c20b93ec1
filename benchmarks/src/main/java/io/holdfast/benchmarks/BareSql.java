package io.holdfast.benchmarks;

/**
 * What the store sends for one queue, written down once more: the same steps, joins and parameters.
 * It is the floor of a single call, and what EXPLAIN can look at.
 */
final class BareSql {
  private static final String NOW =
      "(SELECT coalesce(?::timestamptz, clock_timestamp()) AS at) AS clock";

  private static final String PRODUCE =
      """
      WITH q AS MATERIALIZED (
        SELECT clock.at, (expire_timeout_ns / 1000) * interval '1 microsecond' AS expire
          FROM holdfast.queues, {now} WHERE name = ? AND state = 'active'),
      tail AS MATERIALIZED (
        SELECT holdfast.queue_digits_v1(greatest(
                 holdfast.queue_prefix_v1(q.at), ?::bigint,
                 1 + holdfast.queue_number_v1((
                   SELECT max(id) FROM {items} WHERE id > (
                     SELECT holdfast.queue_digits_v1(holdfast.queue_prefix_v1(at)) FROM q)))))
               AS prefix
          FROM q),
      given AS (
        SELECT u.suffix, u.reference, u.encoding, u.kind, u.payload,
               CASE WHEN u.enqueue_at >= q.at + interval '100 milliseconds' THEN u.enqueue_at END
                 AS enqueue_at
          FROM unnest(?::text[], ?::timestamptz[], ?::text[], ?::text[], ?::text[], ?::bytea[])
               AS u (suffix, enqueue_at, reference, encoding, kind, payload), q),
      inserted AS (
        INSERT INTO {items} (id, expire_deadline, enqueue_at, created_at, reference, encoding, kind,
                             payload)
        SELECT tail.prefix || given.suffix, coalesce(given.enqueue_at, q.at) + q.expire,
               given.enqueue_at, q.at, given.reference, given.encoding, given.kind, given.payload
          FROM given, q, tail
        RETURNING enqueue_at)
      SELECT (SELECT prefix FROM tail) AS prefix,
             (SELECT count(*) FROM inserted WHERE enqueue_at IS NULL) AS ready
        FROM q
      """;

  private static final String CLAIM =
      """
      WITH q AS MATERIALIZED (
        SELECT clock.at, clock.at + (lease_timeout_ns / 1000) * interval '1 microsecond' AS deadline,
               paused = '' AS is_open
          FROM holdfast.queues, {now} WHERE name = ? AND state = 'active'),
      picked AS MATERIALIZED (
        SELECT id, coalesce(octet_length(payload), 0) AS bytes FROM {items}
         WHERE NOT is_leased AND enqueue_at IS NULL AND id >= ?
           AND EXISTS (SELECT FROM q WHERE is_open)
           AND expire_deadline + interval '0' > (SELECT at FROM q)
         ORDER BY id
         LIMIT ? FOR UPDATE SKIP LOCKED),
      fitting AS MATERIALIZED (
        SELECT id FROM (
          SELECT id, sum(bytes) OVER (ROWS UNBOUNDED PRECEDING) AS total,
                 row_number() OVER (ROWS UNBOUNDED PRECEDING) AS place FROM picked) AS filled
         WHERE total <= 16777216 OR place = 1),
      leased AS (
        UPDATE {items} AS item
           SET is_leased = true, attempts = item.attempts + 1, lease_deadline = q.deadline
          FROM q
         WHERE item.id = ANY (ARRAY(SELECT id FROM fitting))
        RETURNING item.id, item.attempts, item.lease_deadline, item.reference, item.encoding,
                  item.kind, item.payload)
      SELECT q.at, leased.id, leased.attempts, leased.lease_deadline, leased.reference,
             leased.encoding, leased.kind, leased.payload
        FROM q LEFT JOIN leased ON true
      """;

  private static final String COMPLETE =
      """
      WITH q AS MATERIALIZED (SELECT FROM holdfast.queues WHERE name = ? AND state = 'active'),
      given AS MATERIALIZED (SELECT u.r, u.id FROM unnest(?::integer[], ?::text[]) AS u (r, id)),
      held AS MATERIALIZED (
        SELECT id FROM {items}
         WHERE id = ANY (ARRAY(SELECT id FROM given)) AND is_leased AND enqueue_at IS NULL
           AND EXISTS (SELECT FROM q)
         ORDER BY id FOR UPDATE),
      ok AS MATERIALIZED (
        SELECT given.r FROM given LEFT JOIN held USING (id)
         GROUP BY given.r HAVING count(held.id) = count(*)),
      gone AS (
        DELETE FROM {items}
         WHERE id = ANY (ARRAY(SELECT given.id FROM given JOIN ok USING (r))) RETURNING 1)
      SELECT EXISTS (SELECT FROM q) AS active, ARRAY(SELECT r FROM ok) AS done,
             (SELECT count(*) FROM gone) AS removed
      """;

  private static final String SCAN_SCHEDULED =
      """
      WITH q AS MATERIALIZED (SELECT at FROM {now})
      SELECT q.at, due.id, due.attempts, due.deadline
        FROM q LEFT JOIN LATERAL (
          SELECT id, attempts, enqueue_at AS deadline FROM {items}
           WHERE enqueue_at IS NOT NULL AND enqueue_at > '-infinity'
             AND enqueue_at <= (SELECT at FROM q)
           ORDER BY enqueue_at, id LIMIT 1000) AS due ON true
      """;

  private static final String SCAN_LEASES =
      """
      WITH q AS MATERIALIZED (SELECT at FROM {now})
      SELECT q.at, due.id, due.attempts, due.deadline
        FROM q LEFT JOIN LATERAL (
          SELECT id, attempts, lease_deadline AS deadline FROM {items}
           WHERE is_leased AND enqueue_at IS NULL AND lease_deadline > '-infinity'
             AND lease_deadline <= (SELECT at FROM q)
           ORDER BY lease_deadline LIMIT 1000) AS due ON true
      """;

  private static final String SCAN_EXPIRED =
      """
      WITH q AS MATERIALIZED (SELECT at FROM {now})
      SELECT q.at, due.id, due.attempts, due.deadline
        FROM q LEFT JOIN LATERAL (
          SELECT id, attempts, expire_deadline AS deadline FROM {items}
           WHERE is_leased::integer = 0 AND enqueue_at IS NULL AND expire_deadline > '-infinity'
             AND expire_deadline <= (SELECT at FROM q)
           ORDER BY expire_deadline LIMIT 1000) AS due ON true
      """;

  final String produce;
  final String claim;
  final String complete;
  final String scanScheduled;
  final String scanLeases;
  final String scanExpired;

  BareSql(String table) {
    produce = filled(PRODUCE, table);
    claim = filled(CLAIM, table);
    complete = filled(COMPLETE, table);
    scanScheduled = filled(SCAN_SCHEDULED, table);
    scanLeases = filled(SCAN_LEASES, table);
    scanExpired = filled(SCAN_EXPIRED, table);
  }

  private static String filled(String sql, String table) {
    return sql.replace("{now}", NOW).replace("{items}", table);
  }
}
