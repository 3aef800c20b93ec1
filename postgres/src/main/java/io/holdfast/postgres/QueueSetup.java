package io.holdfast.postgres;

import io.holdfast.HoldfastException;
import io.holdfast.lease.StoreCall;
import io.holdfast.queue.TableHash;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Makes the catalogue of queues ready, once: looks what is there, and creates only what is missing,
 * alone and in one transaction. In a schema that Querator used, its tables are taken over: they get
 * the columns and indexes they lack, and keep their items. A failure is not remembered. Safe for
 * use by many threads.
 */
final class QueueSetup {
  private static final String OURS = "holdfast";
  private static final int FUNCTIONS = 3;

  private static final String READ =
      """
      SELECT EXISTS (SELECT FROM pg_namespace WHERE nspname = given.name) AS has_schema,
             EXISTS (SELECT FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
                      WHERE n.nspname = given.name AND c.relname = 'queues') AS has_table,
             (SELECT count(*) FROM pg_attribute AS a
                JOIN pg_class AS c ON c.oid = a.attrelid
                JOIN pg_namespace AS n ON n.oid = c.relnamespace
               WHERE n.nspname = given.name AND c.relname = 'queues' AND NOT a.attisdropped
                 AND a.attname IN ('table_hash', 'state', 'paused', 'version')) AS columns,
             (SELECT count(*) FROM pg_proc AS p JOIN pg_namespace AS n ON n.oid = p.pronamespace
               WHERE n.nspname = given.name AND p.proname IN
                     ('queue_prefix_v1', 'queue_digits_v1', 'queue_number_v1')) AS functions
        FROM (SELECT ?::text) AS given (name)
      """;

  private static final List<String> ADOPT =
      List.of(
          "ALTER TABLE {queues} ADD COLUMN IF NOT EXISTS namespace text NOT NULL DEFAULT ''",
          "ALTER TABLE {queues} ADD COLUMN IF NOT EXISTS table_hash text COLLATE \"C\" UNIQUE",
          "ALTER TABLE {queues} ADD COLUMN IF NOT EXISTS state text NOT NULL DEFAULT 'active'",
          "ALTER TABLE {queues} ADD COLUMN IF NOT EXISTS paused text NOT NULL DEFAULT ''",
          "ALTER TABLE {queues} ADD COLUMN IF NOT EXISTS version bigint NOT NULL DEFAULT 1",
          """
          UPDATE {queues}
             SET namespace = coalesce(nullif(namespace, ''), '_system'),
                 dead_queue = coalesce(dead_queue, ''), reference = coalesce(reference, ''),
                 max_attempts = coalesce(max_attempts, 0),
                 partition_info = coalesce(partition_info, '[]')
          """);

  private static final String PARTITIONS =
      """
      SELECT name, jsonb_array_length(partition_info) FROM {queues}
      """;

  private final QueueSql sql;
  private final Transactions transactions;
  private final Migrations migrations;
  private volatile boolean ready;

  QueueSetup(QueueSql sql, Transactions transactions, Migrations migrations) {
    this.sql = sql;
    this.transactions = transactions;
    this.migrations = migrations;
  }

  /** What the schema has. */
  private record Found(boolean schema, boolean table, int columns, int functions) {
    boolean isComplete() {
      return table && columns == 4 && functions == FUNCTIONS;
    }
  }

  /** Makes the catalogue ready, unless that was done. */
  void ensure(StoreCall call) {
    if (!ready) {
      prepare(call);
      ready = true;
    }
  }

  private void prepare(StoreCall call) {
    QueueFailures.Doing doing = QueueFailures.Doing.look("setup", sql.schema);
    Statements.Limits limits = StoreCaller.limits(call);
    try {
      if (!transactions.single("setup", limits, this::read).isComplete()) {
        migrations.changeSchema("setup", limits, this::create);
      }
    } catch (SQLException e) {
      throw QueueFailures.of(doing, e);
    } catch (HoldfastException e) {
      throw QueueFailures.of(doing, e);
    }
  }

  private Found read(Watch watch) throws SQLException {
    try (PreparedStatement statement = watch.prepare(READ)) {
      Binds.of(statement).text(sql.schema);
      try (ResultSet row = statement.executeQuery()) {
        row.next();
        return new Found(
            row.getBoolean("has_schema"),
            row.getBoolean("has_table"),
            row.getInt("columns"),
            row.getInt("functions"));
      }
    }
  }

  private Found create(Watch watch) throws SQLException {
    if (sql.schema.equals(OURS)) {
      Migrations.applyIn(watch);
    }
    Found found = read(watch);
    if (!found.schema()) {
      Migrations.execute(watch, "CREATE SCHEMA " + LockSql.quoted(sql.schema));
    }
    if (found.table() && found.columns() < 4) {
      adopt(watch);
    }
    if (!found.isComplete()) {
      Migrations.execute(watch, script(sql.schema));
    }
    return found;
  }

  /** The step of the migrations that is about queues, for any schema. */
  static String script(String schema) {
    return Migration.load(2, "queues").sql().replace("holdfast.", LockSql.quoted(schema) + ".");
  }

  private void adopt(Watch watch) throws SQLException {
    for (String statement : ADOPT) {
      Migrations.execute(watch, statement.replace("{queues}", sql.queues));
    }
    Map<String, Integer> queues = queues(watch);
    for (String queue : queues.keySet()) {
      try (PreparedStatement statement = watch.prepare(sql.fillHash)) {
        Binds.of(statement).text(TableHash.of(queue)).text(queue);
        statement.executeUpdate();
      }
    }
    for (Map.Entry<String, Integer> queue : queues.entrySet()) {
      adoptItems(watch, queue.getKey(), queue.getValue());
    }
  }

  private Map<String, Integer> queues(Watch watch) throws SQLException {
    Map<String, Integer> found = new LinkedHashMap<>();
    try (PreparedStatement statement = watch.prepare(PARTITIONS.replace("{queues}", sql.queues));
        ResultSet rows = statement.executeQuery()) {
      while (rows.next()) {
        found.put(rows.getString(1), rows.getInt(2));
      }
    }
    return found;
  }

  private void adoptItems(Watch watch, String queue, int partitions) throws SQLException {
    List<String> names = new ArrayList<>();
    for (int n = 0; n < partitions; n++) {
      names.add(ItemTables.name(queue, n));
    }
    Set<String> existing = ItemTables.existing(watch, sql.schema, names);
    for (int n = 0; n < partitions; n++) {
      if (existing.contains(names.get(n))) {
        for (String statement : ItemTables.adoption(sql.schema, queue, n)) {
          Migrations.execute(watch, statement);
        }
      }
    }
  }
}
