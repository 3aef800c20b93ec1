package io.holdfast.postgres;

/** What operators do to the items of one partition. */
final class AdminSql {
  /** {@code nothing → any state}; a row whose source id is there already stays out. */
  private static final String IMPORT =
      """
      WITH q AS MATERIALIZED (
        SELECT clock.at, clock.at + (expire_timeout_ns / 1000) * interval '1 microsecond' AS expire_at,
               clock.at + (lease_timeout_ns / 1000) * interval '1 microsecond' AS lease_until
          FROM {queues}, {now} WHERE name = ? AND state = 'active'),
      {tail},
      given AS (
        SELECT u.suffix, u.source_id, u.is_leased, u.lease_deadline, u.expire_deadline, u.enqueue_at,
               u.attempts, u.max_attempts, u.reference, u.encoding, u.kind, u.payload,
               u.source_queue, u.dead_reason
          FROM unnest(?::text[], ?::text[], ?::boolean[], ?::timestamptz[], ?::timestamptz[],
                      ?::timestamptz[], ?::integer[], ?::integer[], ?::text[], ?::text[], ?::text[],
                      ?::bytea[], ?::text[], ?::text[])
               AS u (suffix, source_id, is_leased, lease_deadline, expire_deadline, enqueue_at,
                     attempts, max_attempts, reference, encoding, kind, payload, source_queue,
                     dead_reason)),
      inserted AS (
        INSERT INTO {items} (id, source_id, is_leased, lease_deadline, expire_deadline, enqueue_at,
                             created_at, attempts, max_attempts, reference, encoding, kind, payload,
                             source_queue, dead_reason)
        SELECT tail.prefix || given.suffix, given.source_id, given.is_leased,
               CASE WHEN given.is_leased THEN coalesce(given.lease_deadline, q.lease_until)
                    ELSE given.lease_deadline END,
               coalesce(given.expire_deadline, q.expire_at), given.enqueue_at, q.at, given.attempts,
               given.max_attempts, given.reference, given.encoding, given.kind, given.payload,
               given.source_queue, given.dead_reason
          FROM given CROSS JOIN q CROSS JOIN tail
         ORDER BY given.suffix
        ON CONFLICT (source_id) WHERE source_id IS NOT NULL DO NOTHING
        RETURNING {columns})
      SELECT (SELECT prefix FROM tail) AS prefix, {columns}
        FROM q LEFT JOIN inserted ON true
      """;

  private static final String BY_SOURCE =
      """
      SELECT {columns} FROM {items} WHERE source_id = ANY (?::text[])
      """;

  private static final String DELETE =
      """
      WITH found AS MATERIALIZED (
        SELECT id FROM {items} WHERE id = ANY (?::text[]) ORDER BY id FOR UPDATE),
      gone AS (
        DELETE FROM {items} WHERE id = ANY (ARRAY(SELECT id FROM found))
        RETURNING is_leased, enqueue_at)
      SELECT count(*) AS removed,
             count(*) FILTER (WHERE NOT is_leased AND enqueue_at IS NULL) AS unready
        FROM gone
      """;

  private static final String CLEAR =
      """
      WITH gone AS (
        DELETE FROM {items}
         WHERE CASE WHEN enqueue_at IS NOT NULL THEN ?::boolean
                    WHEN is_leased THEN ?::boolean
                    ELSE ?::boolean END
        RETURNING is_leased, enqueue_at)
      SELECT count(*) AS removed,
             count(*) FILTER (WHERE NOT is_leased AND enqueue_at IS NULL) AS unready
        FROM gone
      """;

  private static final String COUNT =
      """
      SELECT count(*) AS removed,
             count(*) FILTER (WHERE NOT is_leased AND enqueue_at IS NULL) AS unready
        FROM {items}
      """;

  /** Ready items and where they came from; rows in somebody's hands stay there. */
  private static final String ORIGINS =
      """
      SELECT item.id, source.name AS source, jsonb_array_length(source.partition_info) AS partitions
        FROM {items} AS item
        LEFT JOIN {queues} AS source
          ON source.name = item.source_queue AND item.source_queue <> ''
             AND source.state = 'active'
       WHERE NOT item.is_leased AND item.enqueue_at IS NULL AND item.id > ?
       ORDER BY item.id LIMIT ? FOR UPDATE OF item SKIP LOCKED
      """;

  final String importItems;
  final String bySource;
  final String delete;
  final String clear;
  final String lock;
  final String count;
  final String truncate;
  final String origins;

  AdminSql(ItemTemplate template) {
    this.importItems = template.fill(IMPORT);
    this.bySource = template.fill(BY_SOURCE);
    this.delete = template.fill(DELETE);
    this.clear = template.fill(CLEAR);
    this.lock = template.fill("LOCK TABLE {items} IN ACCESS EXCLUSIVE MODE NOWAIT");
    this.count = template.fill(COUNT);
    this.truncate = template.fill("TRUNCATE {items}");
    this.origins = template.fill(ORIGINS);
  }
}
