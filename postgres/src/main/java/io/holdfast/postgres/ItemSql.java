package io.holdfast.postgres;

import io.holdfast.queue.PartitionInfo;

/**
 * Every way an item changes, for the table of one partition. The settings of the queue are read in
 * the statement that needs them, so a change of them binds every process from its commit on, and no
 * statement locks their row. Instants are computed beside that row and never in SET.
 *
 * <p>Rows are found by {@code id = ANY (ARRAY(SELECT ..))}, which keeps a plan to probes of the
 * primary key. Only where each row gets values of its own there is a join, with rows that come from
 * arrays: the planner takes those for few, and probes too. Both conditions together would be wrong:
 * they may become a loop over the requests with all the probes in each turn.
 */
final class ItemSql {
  /**
   * {@code nothing → ready or scheduled}: all items of all requests under one prefix. An array in
   * which nothing is said comes empty: the shorter ones of an unnest are filled up with null.
   */
  private static final String PRODUCE =
      """
      WITH q AS MATERIALIZED (
        SELECT clock.at, (expire_timeout_ns / 1000) * interval '1 microsecond' AS expire
          FROM {queues}, {now} WHERE name = ? AND state = 'active'),
      {tail},
      given AS (
        SELECT u.suffix, coalesce(u.reference, '') AS reference, coalesce(u.encoding, '') AS encoding,
               coalesce(u.kind, '') AS kind, u.payload,
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

  /**
   * {@code ready → leased}. SKIP LOCKED: rivals take the next items instead of waiting for ours.
   * The expiry is compared in a form that no index serves, so the rows come in the order of ids.
   * What does not fit into the answer is locked for a moment and stays as it is. So does an item
   * that got a new id since the statement began: it is found and locked, but by its new id not
   * seen.
   */
  private static final String CLAIM =
      """
      WITH q AS MATERIALIZED (
        SELECT clock.at, clock.at + (lease_timeout_ns / 1000) * interval '1 microsecond' AS deadline,
               paused = '' AS is_open
          FROM {queues}, {now} WHERE name = ? AND state = 'active'),
      picked AS MATERIALIZED (
        SELECT id, coalesce(octet_length(payload), 0) AS bytes FROM {items}
         WHERE NOT is_leased AND enqueue_at IS NULL AND id >= ?
           AND EXISTS (SELECT FROM q WHERE is_open)
           AND expire_deadline + interval '0' > (SELECT at FROM q)
         ORDER BY id
         LIMIT ? FOR UPDATE SKIP LOCKED),
      fitting AS MATERIALIZED (
        SELECT id FROM (
          SELECT id, bytes, sum(bytes) OVER (ROWS UNBOUNDED PRECEDING) AS total
            FROM picked) AS filled
         WHERE total <= ? OR total = bytes),
      leased AS (
        UPDATE {items} AS item
           SET is_leased = true, attempts = item.attempts + 1, lease_deadline = q.deadline
          FROM q
         WHERE item.id = ANY (ARRAY(SELECT id FROM fitting))
        RETURNING item.id, item.attempts, item.lease_deadline, item.reference, item.encoding,
                  item.kind, item.payload)
      SELECT q.at, (SELECT count(*) FROM fitting) AS found, leased.id, leased.attempts,
             leased.lease_deadline, leased.reference, leased.encoding, leased.kind, leased.payload
        FROM q LEFT JOIN leased ON true
      """;

  /** {@code leased → gone}. */
  private static final String COMPLETE =
      """
      WITH q AS MATERIALIZED (SELECT FROM {queues} WHERE name = ? AND state = 'active'),
      given AS MATERIALIZED (SELECT u.r, u.id FROM unnest(?::integer[], ?::text[]) AS u (r, id)),
      {held},
      gone AS (
        DELETE FROM {items}
         WHERE id = ANY (ARRAY(SELECT given.id FROM given JOIN ok USING (r))) RETURNING 1)
      SELECT EXISTS (SELECT FROM q) AS active, ARRAY(SELECT r FROM ok) AS done,
             (SELECT count(*) FROM gone) AS removed
      """;

  /** {@code leased → leased}, while the lease lasts. */
  private static final String EXTEND =
      """
      WITH q AS MATERIALIZED (
        SELECT clock.at, (lease_timeout_ns / 1000) AS lease
          FROM {queues}, {now} WHERE name = ? AND state = 'active'),
      given AS MATERIALIZED (
        SELECT u.r, u.id, q.at + coalesce(u.micros, q.lease) * interval '1 microsecond' AS deadline
          FROM unnest(?::integer[], ?::text[], ?::bigint[]) AS u (r, id, micros), q),
      {held in time},
      granted AS MATERIALIZED (SELECT given.r, given.id, given.deadline FROM given JOIN ok USING (r)),
      extended AS (
        UPDATE {items} AS item SET lease_deadline = granted.deadline
          FROM granted
         WHERE item.id = granted.id)
      SELECT r, max(deadline) AS deadline FROM granted GROUP BY r
      UNION ALL
      SELECT NULL, NULL FROM q
      """;

  /**
   * {@code leased → ready, scheduled, gone or dead}, decided on the locked row. A request with an
   * item for an existing dead queue is done only when that queue is the one the caller expects: he
   * then moves those items in the same transaction.
   */
  private static final String RETRY =
      """
      WITH q AS MATERIALIZED ({settings}),
      {tail},
      given AS MATERIALIZED (
        SELECT u.r, u.id, u.retry_at, u.dead, u.suffix
          FROM unnest(?::integer[], ?::text[], ?::timestamptz[], ?::boolean[], ?::text[])
               AS u (r, id, retry_at, dead, suffix)),
      {held},
      steps AS MATERIALIZED (
        SELECT given.r, given.id, given.retry_at, given.suffix, held.expire_deadline,
               CASE WHEN given.dead THEN 'dead'
                    WHEN q.max_attempts <> 0 AND held.attempts >= q.max_attempts THEN 'exhausted'
                    WHEN given.retry_at >= q.at + interval '100 milliseconds' THEN 'later'
                    WHEN held.expire_deadline <= q.at THEN 'expired'
                    ELSE 'again' END AS step
          FROM given JOIN ok USING (r) JOIN held USING (id) CROSS JOIN q),
      done AS MATERIALIZED (
        SELECT steps.r FROM steps CROSS JOIN q GROUP BY steps.r
        HAVING bool_and(q.dead IS NULL OR steps.step IN ('again', 'later')
                        OR q.dead IS NOT DISTINCT FROM ?::text)),
      moving AS MATERIALIZED (
        SELECT steps.id, CASE steps.step WHEN 'again' THEN tail.prefix || steps.suffix
                                         ELSE steps.id END AS new_id,
               CASE steps.step WHEN 'later' THEN steps.retry_at END AS enqueue_at,
               CASE steps.step WHEN 'later'
                    THEN greatest(steps.expire_deadline, steps.retry_at + q.expire)
                    ELSE steps.expire_deadline END AS expire_deadline
          FROM steps JOIN done USING (r) CROSS JOIN q CROSS JOIN tail
         WHERE steps.step IN ('again', 'later')),
      {moved},
      lost AS MATERIALIZED (
        SELECT steps.id, steps.step, steps.suffix FROM steps JOIN done USING (r)
         WHERE steps.step NOT IN ('again', 'later')),
      {gone}
      SELECT true AS active, (SELECT prefix FROM tail) AS prefix, ARRAY(SELECT r FROM done) AS done,
             ARRAY(SELECT r FROM ok EXCEPT SELECT r FROM done ORDER BY r) AS deferred, {outcome}
        FROM q
      """;

  /** {@code leased → ready} under the same id: nobody ever saw it. */
  private static final String HAND_BACK =
      """
      WITH held AS MATERIALIZED (
        SELECT id FROM {items} WHERE id = ANY (?::text[]) AND is_leased AND enqueue_at IS NULL
         ORDER BY id FOR UPDATE)
      UPDATE {items} AS item
         SET is_leased = false, lease_deadline = NULL, attempts = greatest(item.attempts - 1, 0)
       WHERE item.id = ANY (ARRAY(SELECT id FROM held))
      """;

  /** {@code leased → ready} under a new id: somebody may have seen the old one. */
  private static final String TAKE_BACK =
      """
      WITH q AS MATERIALIZED (
        SELECT clock.at FROM {queues}, {now} WHERE name = ? AND state = 'active'),
      {tail},
      given AS MATERIALIZED (
        SELECT u.id, u.suffix FROM unnest(?::text[], ?::text[]) AS u (id, suffix)),
      held AS MATERIALIZED (
        SELECT id FROM {items}
         WHERE id = ANY (ARRAY(SELECT id FROM given)) AND is_leased AND enqueue_at IS NULL
         ORDER BY id FOR UPDATE),
      moving AS MATERIALIZED (
        SELECT given.id, tail.prefix || given.suffix AS new_id
          FROM held JOIN given USING (id) CROSS JOIN tail),
      moved AS (
        UPDATE {items} AS item
           SET id = moving.new_id, is_leased = false, lease_deadline = NULL,
               attempts = greatest(item.attempts - 1, 0)
          FROM moving
         WHERE item.id = moving.id
        RETURNING item.id)
      SELECT count(*) AS ready, min(id) AS first_ready, max(id) AS last_ready FROM moved
      """;

  /** Why a request was refused; only read when one was. */
  private static final String CLASSIFY =
      """
      SELECT item.id, item.is_leased, item.enqueue_at IS NOT NULL AS is_scheduled,
             coalesce(item.lease_deadline <= clock.at, false) AS is_lapsed
        FROM {items} AS item, {now} WHERE item.id = ANY (?::text[])
      """;

  /** Where the payloads are too large together, none of them is read. */
  private static final String LIST =
      """
      SELECT {listed}, bytes FROM (
        SELECT page.*, coalesce(sum(octet_length(payload)) OVER (), 0) AS bytes FROM (
          SELECT {columns} FROM {items} WHERE enqueue_at IS NULL AND id >= ? ORDER BY id LIMIT ?
        ) AS page) AS page ORDER BY id
      """;

  private static final String LIST_SCHEDULED =
      """
      SELECT {listed}, bytes FROM (
        SELECT page.*, coalesce(sum(octet_length(payload)) OVER (), 0) AS bytes FROM (
          SELECT {columns} FROM {items} WHERE enqueue_at IS NOT NULL AND id >= ? ORDER BY id LIMIT ?
        ) AS page) AS page ORDER BY id
      """;

  private static final String STATS =
      """
      SELECT count(*) FILTER (WHERE enqueue_at IS NULL) AS total,
             count(*) FILTER (WHERE is_leased AND enqueue_at IS NULL) AS leased,
             count(*) FILTER (WHERE enqueue_at IS NOT NULL) AS scheduled,
             coalesce(round(avg(extract(epoch FROM clock.at - created_at) * 1000000)
               FILTER (WHERE enqueue_at IS NULL)), 0)::bigint AS age,
             coalesce(round(avg(greatest(0, extract(epoch FROM
               least(lease_deadline, clock.at + interval '100 years') - clock.at) * 1000000))
               FILTER (WHERE is_leased AND enqueue_at IS NULL)), 0)::bigint AS lease_left
        FROM {items}, {now}
      """;

  private static final String COUNT_READY =
      """
      SELECT count(*) FROM (
        SELECT FROM {items} WHERE NOT is_leased AND enqueue_at IS NULL LIMIT ?) AS ready
      """;

  final String table;
  final ItemTemplate template;
  final String produce;
  final String claim;
  final String complete;
  final String extend;
  final String retry;
  final String handBack;
  final String takeBack;
  final String classify;
  final String list;
  final String listScheduled;
  final String stats;
  final String countReady;

  ItemSql(QueueSql catalog, String queue, PartitionInfo partition) {
    this.table = ItemTables.quoted(catalog.schema, queue, partition.number());
    this.template = new ItemTemplate(catalog, table);
    this.produce = template.fill(PRODUCE);
    this.claim = template.fill(CLAIM);
    this.complete = template.fill(COMPLETE);
    this.extend = template.fill(EXTEND);
    this.retry = template.fill(RETRY);
    this.handBack = template.fill(HAND_BACK);
    this.takeBack = template.fill(TAKE_BACK);
    this.classify = template.fill(CLASSIFY);
    this.list = template.fill(LIST);
    this.listScheduled = template.fill(LIST_SCHEDULED);
    this.stats = template.fill(STATS);
    this.countReady = template.fill(COUNT_READY);
  }
}
