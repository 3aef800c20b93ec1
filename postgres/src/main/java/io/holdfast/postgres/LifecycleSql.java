package io.holdfast.postgres;

/** What time does to the items of one partition: finding what is due, and doing it. */
final class LifecycleSql {
  /**
   * What time does to items, decided again on the locked row; a locked row is somebody's who is
   * settling it, and is left to him. {@code was_ready} counts waiting items that go.
   */
  private static final String SWEEP =
      """
      WITH q AS MATERIALIZED ({settings}),
      {tail},
      given AS MATERIALIZED (
        SELECT u.kind, u.id, u.deadline, u.suffix
          FROM unnest(?::text[], ?::text[], ?::timestamptz[], ?::text[])
               AS u (kind, id, deadline, suffix)),
      found AS MATERIALIZED (
        SELECT id, is_leased, lease_deadline, enqueue_at, expire_deadline, attempts FROM {items}
         WHERE id = ANY (ARRAY(SELECT id FROM given)) AND EXISTS (SELECT FROM q)
           FOR UPDATE SKIP LOCKED),
      judged AS MATERIALIZED (
        SELECT given.id, given.suffix, found.expire_deadline,
               NOT found.is_leased AND found.enqueue_at IS NULL AS was_ready,
               CASE WHEN given.kind = 'DELETE' THEN 'delete'
                    WHEN given.kind = 'QUEUE_SCHEDULED' THEN
                      CASE WHEN found.enqueue_at <= q.at THEN
                        CASE WHEN found.expire_deadline <= q.at THEN 'expired' ELSE 'again' END END
                    WHEN found.enqueue_at IS NOT NULL THEN NULL
                    WHEN found.is_leased THEN
                      CASE WHEN found.lease_deadline <= q.at
                             AND (given.kind = 'ITEM_EXPIRED'
                                  OR found.lease_deadline = given.deadline) THEN
                        CASE WHEN q.max_attempts <> 0 AND found.attempts >= q.max_attempts
                               THEN 'exhausted'
                             WHEN found.expire_deadline <= q.at THEN 'expired'
                             ELSE 'again' END END
                    WHEN given.kind = 'ITEM_EXPIRED' AND found.expire_deadline <= q.at
                      THEN 'expired' END AS step
          FROM given JOIN found USING (id) CROSS JOIN q),
      moving AS MATERIALIZED (
        SELECT judged.id, tail.prefix || judged.suffix AS new_id, NULL::timestamptz AS enqueue_at,
               judged.expire_deadline
          FROM judged CROSS JOIN tail WHERE judged.step = 'again'),
      {moved},
      lost AS MATERIALIZED (
        SELECT id, step, suffix, was_ready FROM judged WHERE step <> 'again'),
      {gone}
      SELECT (SELECT count(*) FROM lost WHERE was_ready) AS was_ready,
             (SELECT prefix FROM tail) AS prefix, {outcome}
        FROM q
      """;

  /** One sweeper per partition at a time keeps the order of due items; nobody waits for it. */
  private static final String TRY_SWEEP =
      """
      SELECT pg_try_advisory_xact_lock(1215261797, hashtext(?))
      """;

  /** Due items in the order in which they return. */
  private static final String SCAN_SCHEDULED =
      """
      WITH q AS MATERIALIZED (SELECT at FROM {now})
      SELECT q.at, due.kind, due.id, due.attempts, due.deadline
        FROM q LEFT JOIN LATERAL (
          SELECT 'QUEUE_SCHEDULED' AS kind, id, attempts, enqueue_at AS deadline FROM {items}
           WHERE enqueue_at IS NOT NULL AND enqueue_at > coalesce(?::timestamptz, '-infinity')
             AND enqueue_at <= (SELECT at FROM q)
           ORDER BY enqueue_at, id LIMIT ?) AS due ON true
      """;

  /** Lapsed leases, then ready items that expired: each part walks the index of its state. */
  private static final String SCAN_ACTIONS =
      """
      WITH q AS MATERIALIZED (
        SELECT clock.at, queue.max_attempts FROM {queues} AS queue, {now} WHERE queue.name = ?)
      SELECT q.at, due.kind, due.id, due.attempts, due.deadline
        FROM q LEFT JOIN LATERAL (
          (SELECT CASE WHEN q.max_attempts <> 0 AND attempts >= q.max_attempts THEN 'MAX_ATTEMPTS'
                       WHEN expire_deadline <= q.at THEN 'ITEM_EXPIRED'
                       ELSE 'LEASE_EXPIRED' END AS kind, id, attempts,
                  CASE WHEN (q.max_attempts = 0 OR attempts < q.max_attempts)
                            AND expire_deadline <= q.at
                       THEN expire_deadline ELSE lease_deadline END AS deadline
             FROM {items}
            WHERE is_leased AND enqueue_at IS NULL
              AND lease_deadline > coalesce(?::timestamptz, '-infinity')
              AND lease_deadline <= (SELECT at FROM q)
            ORDER BY lease_deadline LIMIT ?)
          UNION ALL
          (SELECT 'ITEM_EXPIRED', id, attempts, expire_deadline FROM {items}
            WHERE is_leased::integer = 0 AND enqueue_at IS NULL
              AND expire_deadline > coalesce(?::timestamptz, '-infinity')
              AND expire_deadline <= (SELECT at FROM q)
            ORDER BY expire_deadline LIMIT ?)) AS due ON true
       LIMIT ?
      """;

  final String sweep;
  final String trySweep;
  final String scanScheduled;
  final String scanActions;

  LifecycleSql(ItemTemplate template) {
    this.sweep = template.fill(SWEEP);
    this.trySweep = TRY_SWEEP;
    this.scanScheduled = template.fill(SCAN_SCHEDULED);
    this.scanActions = template.fill(SCAN_ACTIONS);
  }
}
