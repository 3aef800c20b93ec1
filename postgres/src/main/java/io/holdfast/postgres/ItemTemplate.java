package io.holdfast.postgres;

import io.holdfast.queue.ItemRules;

/**
 * Turns a statement about the items of one partition into SQL: puts in the names of its table, of
 * the catalogue and of the functions, and the parts that statements share.
 */
record ItemTemplate(QueueSql catalog, String table) {
  private static final String NOW =
      "(SELECT coalesce(?::timestamptz, clock_timestamp()) AS at) AS clock";

  /**
   * The head of new ids: not before now, and after every id that this process saw or that is stored
   * ahead of now. The range is empty unless the clock was set back or stands still.
   */
  private static final String TAIL =
      """
      tail AS MATERIALIZED (
        SELECT {digits}(greatest(
                 {prefix}(q.at),
                 ?::bigint,
                 1 + {number}((SELECT max(id) FROM {items}
                                WHERE id > (SELECT {digits}({prefix}(at)) FROM q))))) AS prefix
          FROM q)""";

  private static final String COLUMNS =
      """
      id, source_id, is_leased, lease_deadline, expire_deadline, enqueue_at, created_at, attempts,
             max_attempts, reference, encoding, kind, payload, source_queue, dead_reason""";

  private static final String LISTED =
      COLUMNS.replace(
          " payload",
          " CASE WHEN bytes <= %d THEN payload END AS payload".formatted(ItemRules.MAX_LISTED));

  /** In a form that no index serves: the primary key finds the rows. */
  private static final String STILL = "AND lease_deadline + interval '0' > (SELECT at FROM q)";

  /** Requests that hold all their items; the locks are taken in the order of ids by everybody. */
  private static final String HELD =
      """
      held AS MATERIALIZED (
        SELECT id, attempts, expire_deadline FROM {items}
         WHERE id = ANY (ARRAY(SELECT id FROM given)) AND is_leased AND enqueue_at IS NULL
           AND EXISTS (SELECT FROM q) {still}
         ORDER BY id FOR UPDATE),
      ok AS MATERIALIZED (
        SELECT given.r FROM given LEFT JOIN held USING (id)
         GROUP BY given.r HAVING count(held.id) = count(*))""";

  /** The queue and, where it exists, its dead queue. */
  private static final String SETTINGS =
      """
      SELECT clock.at, (queue.expire_timeout_ns / 1000) * interval '1 microsecond' AS expire,
               queue.max_attempts, dead.name AS dead,
               jsonb_array_length(dead.partition_info) AS dead_partitions
          FROM {queues} AS queue CROSS JOIN {now}
          LEFT JOIN {queues} AS dead
            ON dead.name = queue.dead_queue AND queue.dead_queue <> '' AND dead.state = 'active'
         WHERE queue.name = ? AND queue.state = 'active'""";

  private static final String MOVED =
      """
      moved AS (
        UPDATE {items} AS item
           SET id = moving.new_id, is_leased = false, lease_deadline = NULL,
               enqueue_at = moving.enqueue_at, expire_deadline = moving.expire_deadline
          FROM moving
         WHERE item.id = moving.id
        RETURNING item.id, item.enqueue_at)""";

  private static final String GONE =
      """
      gone AS (
        DELETE FROM {items}
         WHERE id = ANY (ARRAY(SELECT lost.id FROM lost CROSS JOIN q
                                WHERE q.dead IS NULL OR lost.step = 'delete'))
        RETURNING 1)""";

  private static final String OUTCOME =
      """
      (SELECT count(*) FROM moved WHERE enqueue_at IS NULL) AS ready,
             (SELECT min(id) FROM moved WHERE enqueue_at IS NULL) AS first_ready,
             (SELECT count(*) FROM gone) AS removed, q.dead, q.dead_partitions,
             ARRAY(SELECT id FROM lost WHERE q.dead IS NOT NULL AND step <> 'delete'
                    ORDER BY suffix) AS dead_ids,
             ARRAY(SELECT step FROM lost WHERE q.dead IS NOT NULL AND step <> 'delete'
                    ORDER BY suffix) AS dead_reasons""";

  /** The statement with everything put in. */
  String fill(String sql) {
    return sql.replace("{tail}", TAIL)
        .replace("{held}", HELD.replace("{still}", ""))
        .replace("{held in time}", HELD.replace("{still}", STILL))
        .replace("{settings}", SETTINGS)
        .replace("{moved}", MOVED)
        .replace("{gone}", GONE)
        .replace("{outcome}", OUTCOME)
        .replace("{columns}", COLUMNS)
        .replace("{listed}", LISTED)
        .replace("{now}", NOW)
        .replace("{prefix}", ItemTables.quoted(catalog.schema, "queue_prefix_v1"))
        .replace("{digits}", ItemTables.quoted(catalog.schema, "queue_digits_v1"))
        .replace("{number}", ItemTables.quoted(catalog.schema, "queue_number_v1"))
        .replace("{queues}", catalog.queues)
        .replace("{items}", table);
  }
}
