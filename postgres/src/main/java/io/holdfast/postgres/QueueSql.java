package io.holdfast.postgres;

import java.sql.PreparedStatement;
import java.sql.SQLException;

/** Every statement about the catalogue of queues in one schema. */
final class QueueSql {
  /** Where new partitions live: there is one database. */
  static final String STORAGE = "postgres";

  /** The lock of everything that changes the catalogue or makes and drops tables of items. */
  private static final String LOCK = "SELECT pg_advisory_xact_lock(1215261796, 2)";

  private static final String NOW =
      "(SELECT coalesce(?::timestamptz, clock_timestamp()) AS at) AS clock";

  private static final String COLUMNS =
      """
      name, namespace, lease_timeout_ns, expire_timeout_ns, dead_queue, max_attempts, reference,
             requested_partitions, created_at, updated_at, state, paused, version,
             ARRAY(SELECT (part ->> 'partition')::integer
                     FROM jsonb_array_elements(partition_info) WITH ORDINALITY AS list (part, place)
                    ORDER BY place) AS numbers,
             ARRAY(SELECT coalesce(part ->> 'storage_name', '')
                     FROM jsonb_array_elements(partition_info) WITH ORDINALITY AS list (part, place)
                    ORDER BY place) AS storages,
             ARRAY(SELECT coalesce((part ->> 'read_only')::boolean, false)
                     FROM jsonb_array_elements(partition_info) WITH ORDINALITY AS list (part, place)
                    ORDER BY place) AS read_only""";

  private static final String GET =
      """
      SELECT {columns} FROM {queues} WHERE name = ? AND state = 'active'
      """;

  private static final String LOCK_ROW =
      """
      SELECT {columns} FROM {queues} WHERE name = ? FOR UPDATE
      """;

  private static final String LIST =
      """
      SELECT {columns} FROM {queues}
       WHERE state = 'active' AND name COLLATE "C" >= ? AND (?::text IS NULL OR namespace = ?)
       ORDER BY name COLLATE "C" LIMIT ?
      """;

  private static final String VERSIONS =
      """
      SELECT name, version FROM {queues} WHERE state = 'active'
      """;

  private static final String DELETING =
      """
      SELECT name FROM {queues} WHERE state = 'deleting' ORDER BY name COLLATE "C"
      """;

  private static final String DEAD_QUEUE_OF =
      """
      SELECT dead_queue FROM {queues} WHERE name = ? AND state = 'active'
      """;

  private static final String IS_DEAD_QUEUE =
      """
      SELECT EXISTS (SELECT FROM {queues} WHERE dead_queue = ? AND state = 'active')
      """;

  private static final String IS_HASH_TAKEN =
      """
      SELECT EXISTS (SELECT FROM {queues} WHERE table_hash = ? AND name <> ?)
      """;

  /** The first version is a moment: a queue that was deleted and made again has a greater one. */
  private static final String ADD =
      """
      INSERT INTO {queues} (name, namespace, lease_timeout_ns, expire_timeout_ns, dead_queue,
        max_attempts, reference, requested_partitions, partition_info, created_at, updated_at,
        table_hash, state, paused, version)
      SELECT given.name, given.namespace, given.lease_ns, given.expire_ns, given.dead_queue,
             given.max_attempts, given.reference, given.partitions,
             (SELECT jsonb_agg(jsonb_build_object(
                       'partition', number, 'storage_name', given.storage, 'read_only', false)
                     ORDER BY number)
                FROM generate_series(0, given.partitions - 1) AS number),
             clock.at, clock.at, given.hash, 'active', '',
             (extract(epoch FROM clock.at) * 1000000)::bigint
        FROM (SELECT ?::text, ?::text, ?::bigint, ?::bigint, ?::text, ?::integer, ?::text,
                     ?::integer, ?::text, ?::text)
             AS given (name, namespace, lease_ns, expire_ns, dead_queue, max_attempts, reference,
                       partitions, hash, storage),
             {now}
      RETURNING {columns}
      """;

  /** More partitions than there are, and only those, come at the end of the list. */
  private static final String UPDATE =
      """
      UPDATE {queues} AS queue
         SET lease_timeout_ns = given.lease_ns, expire_timeout_ns = given.expire_ns,
             dead_queue = given.dead, max_attempts = given.attempts,
             reference = given.note, requested_partitions = given.partitions,
             partition_info = queue.partition_info || coalesce(
               (SELECT jsonb_agg(jsonb_build_object(
                         'partition', number, 'storage_name', given.storage, 'read_only', false)
                       ORDER BY number)
                  FROM generate_series(jsonb_array_length(queue.partition_info),
                                       given.partitions - 1) AS number), '[]'),
             updated_at = clock.at, version = queue.version + 1
        FROM (SELECT ?::text, ?::bigint, ?::bigint, ?::text, ?::integer, ?::text, ?::integer,
                     ?::text)
             AS given (key, lease_ns, expire_ns, dead, attempts, note, partitions, storage),
             {now}
       WHERE queue.name = given.key
      RETURNING {columns}
      """;

  private static final String PAUSE =
      """
      UPDATE {queues} AS queue SET paused = given.pause, updated_at = clock.at,
             version = queue.version + 1
        FROM (SELECT ?::text, ?::text) AS given (key, pause), {now}
       WHERE queue.name = given.key
      RETURNING {columns}
      """;

  private static final String BEGIN_DELETE =
      """
      UPDATE {queues} AS queue SET state = 'deleting', updated_at = clock.at,
             version = queue.version + 1
        FROM {now} WHERE queue.name = ?
      """;

  private static final String END_DELETE =
      """
      DELETE FROM {queues} WHERE name = ? AND state = 'deleting'
      """;

  /** Tables of a queue by the pattern of their names: whoever made them, and however many. */
  private static final String TABLES_OF =
      """
      SELECT c.relname FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
       WHERE n.nspname = ? AND c.relkind IN ('r', 'p') AND c.relname ~ ?
       ORDER BY c.relname LIMIT ?
      """;

  private static final String FILL_HASH =
      """
      UPDATE {queues} SET table_hash = ? WHERE name = ?
      """;

  final String schema;
  final String queues;
  final String get;
  final String lockRow;
  final String list;
  final String versions;
  final String deleting;
  final String deadQueueOf;
  final String isDeadQueue;
  final String isHashTaken;
  final String add;
  final String update;
  final String pause;
  final String beginDelete;
  final String endDelete;
  final String tablesOf;
  final String fillHash;

  QueueSql(String schema) {
    this.schema = schema;
    this.queues = ItemTables.quoted(schema, "queues");
    this.get = filled(GET);
    this.lockRow = filled(LOCK_ROW);
    this.list = filled(LIST);
    this.versions = filled(VERSIONS);
    this.deleting = filled(DELETING);
    this.deadQueueOf = filled(DEAD_QUEUE_OF);
    this.isDeadQueue = filled(IS_DEAD_QUEUE);
    this.isHashTaken = filled(IS_HASH_TAKEN);
    this.add = filled(ADD);
    this.update = filled(UPDATE);
    this.pause = filled(PAUSE);
    this.beginDelete = filled(BEGIN_DELETE);
    this.endDelete = filled(END_DELETE);
    this.tablesOf = filled(TABLES_OF);
    this.fillHash = filled(FILL_HASH);
  }

  private String filled(String sql) {
    return sql.replace("{columns}", COLUMNS).replace("{now}", NOW).replace("{queues}", queues);
  }

  static void lockCatalog(Watch watch) throws SQLException {
    try (PreparedStatement statement = watch.prepare(LOCK)) {
      statement.execute();
    }
  }
}
