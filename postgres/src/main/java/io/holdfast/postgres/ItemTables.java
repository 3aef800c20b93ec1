package io.holdfast.postgres;

import io.holdfast.lease.StoreCall;
import io.holdfast.queue.QueueException;
import io.holdfast.queue.TableHash;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/**
 * The tables of items, one per partition: how they are called and made. They are made on first use,
 * under the catalogue's lock and only while the queue is active, so that no deletion misses one. No
 * failure is remembered. Safe for use by many threads.
 */
final class ItemTables {
  private static final String ACTIVE =
      """
      SELECT jsonb_array_length(partition_info) > ?
        FROM {queues} WHERE name = ? AND state = 'active'
      """;

  /** Reads the catalogue's tables: functions that look a name up may answer from a cache. */
  private static final String EXISTING =
      """
      SELECT c.relname FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
       WHERE n.nspname = ? AND c.relname = ANY (?::text[]) AND c.relkind IN ('r', 'p')
      """;

  private static final String TABLE =
      """
      CREATE TABLE IF NOT EXISTS {items} (
        id              text        COLLATE "C" PRIMARY KEY,
        source_id       text        COLLATE "C",
        is_leased       boolean     NOT NULL DEFAULT false,
        lease_deadline  timestamptz,
        expire_deadline timestamptz NOT NULL,
        enqueue_at      timestamptz,
        created_at      timestamptz NOT NULL,
        attempts        integer     NOT NULL DEFAULT 0,
        max_attempts    integer     NOT NULL DEFAULT 0,
        reference       text        NOT NULL DEFAULT '',
        encoding        text        NOT NULL DEFAULT '',
        kind            text        NOT NULL DEFAULT '',
        payload         bytea,
        source_queue    text        NOT NULL DEFAULT '',
        dead_reason     text        NOT NULL DEFAULT ''
      ) WITH (
        fillfactor = 70, vacuum_truncate = off, toast.vacuum_truncate = off,
        autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 10000
      )""";

  /**
   * All partial: claims, sweeps and schedules each find only the rows of their own state. The
   * expiry of ready items says so in other words than claims do: else the planner takes that index
   * for a claim, and sorts, whenever statistics were gathered while nothing was ready.
   */
  private static final List<String> INDEXES =
      List.of(
          """
          CREATE INDEX IF NOT EXISTS "idx_{place}_rdy" ON {items} (id)
           WHERE NOT is_leased AND enqueue_at IS NULL""",
          """
          CREATE INDEX IF NOT EXISTS "idx_{place}_dln" ON {items} (lease_deadline)
           WHERE is_leased""",
          """
          CREATE INDEX IF NOT EXISTS "idx_{place}_exq" ON {items} (expire_deadline)
           WHERE is_leased::integer = 0 AND enqueue_at IS NULL""",
          """
          CREATE INDEX IF NOT EXISTS "idx_{place}_due" ON {items} (enqueue_at, id)
           WHERE enqueue_at IS NOT NULL""",
          """
          CREATE UNIQUE INDEX IF NOT EXISTS "idx_{place}_src" ON {items} (source_id)
           WHERE source_id IS NOT NULL""");

  private static final List<String> COLUMNS =
      List.of(
          "ALTER TABLE {items} ADD COLUMN IF NOT EXISTS source_id text COLLATE \"C\"",
          "ALTER TABLE {items} ADD COLUMN IF NOT EXISTS source_queue text NOT NULL DEFAULT ''",
          "ALTER TABLE {items} ADD COLUMN IF NOT EXISTS dead_reason text NOT NULL DEFAULT ''");

  private final String schema;
  private final Transactions transactions;

  ItemTables(String schema, Transactions transactions) {
    this.schema = schema;
    this.transactions = transactions;
  }

  /** The name of a partition's table, unquoted and without its schema. */
  static String name(String queue, int partition) {
    return "items_" + place(queue, partition);
  }

  private static String place(String queue, int partition) {
    return TableHash.of(queue) + "_" + partition;
  }

  /** The name as it stands in a statement. */
  static String quoted(String schema, String queue, int partition) {
    return quoted(schema, name(queue, partition));
  }

  static String quoted(String schema, String name) {
    return LockSql.quoted(schema) + "." + LockSql.quoted(name);
  }

  /** Makes the table of a partition, unless the queue is not there, or not any more. */
  void create(String queue, int partition, StoreCall call) {
    QueueFailures.Doing doing = new QueueFailures.Doing("creating a table", queue, false);
    try {
      transactions.transaction(
          doing.operation(),
          StoreCaller.limits(call),
          TransactionSettings.DEFAULTS,
          watch -> createIn(watch, queue, partition));
    } catch (SQLException e) {
      if (!QueueFailures.isMadeAlready(e)) {
        throw QueueFailures.of(doing, e);
      }
    }
  }

  private boolean createIn(Watch watch, String queue, int partition) throws SQLException {
    QueueSql.lockCatalog(watch);
    if (!isActive(watch, queue, partition)) {
      throw QueueException.noQueue(queue);
    }
    for (String statement : statements(schema, queue, partition)) {
      Migrations.execute(watch, statement);
    }
    return true;
  }

  private boolean isActive(Watch watch, String queue, int partition) throws SQLException {
    String sql = ACTIVE.replace("{queues}", quoted(schema, "queues"));
    try (PreparedStatement statement = watch.prepare(sql)) {
      Binds.of(statement).integer(partition).text(queue);
      try (ResultSet rows = statement.executeQuery()) {
        return rows.next() && rows.getBoolean(1);
      }
    }
  }

  /** Everything that makes a partition's table. */
  static List<String> statements(String schema, String queue, int partition) {
    List<String> all = new ArrayList<>();
    all.add(TABLE);
    all.addAll(INDEXES);
    return filled(all, schema, queue, partition);
  }

  /** What a table of Querator lacks. */
  static List<String> adoption(String schema, String queue, int partition) {
    List<String> all = new ArrayList<>(COLUMNS);
    all.addAll(INDEXES);
    return filled(all, schema, queue, partition);
  }

  private static List<String> filled(
      List<String> statements, String schema, String queue, int partition) {
    String items = quoted(schema, queue, partition);
    String place = place(queue, partition);
    return statements.stream()
        .map(sql -> sql.replace("{items}", items).replace("{place}", place))
        .toList();
  }

  /** Which of these tables there are. */
  static Set<String> existing(Watch watch, String schema, List<String> names) throws SQLException {
    Set<String> found = new TreeSet<>();
    try (PreparedStatement statement = watch.prepare(EXISTING)) {
      Binds.of(statement).text(schema).texts(names);
      try (ResultSet rows = statement.executeQuery()) {
        while (rows.next()) {
          found.add(rows.getString(1));
        }
      }
    }
    return found;
  }
}
