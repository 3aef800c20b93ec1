package io.holdfast.postgres;

import io.holdfast.HoldfastException;
import io.holdfast.lease.StoreCall;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;

/**
 * Makes the tables and functions of streams ready, once: looks whether they are there, and creates
 * them if not, alone and in one transaction. A failure is not remembered. Safe for use by many
 * threads.
 */
final class StreamSetup {
  private static final String OURS = "holdfast";

  /** Asks for what the steps make, the last one first: which step is the next. */
  private static final String READ =
      """
      SELECT EXISTS (SELECT FROM pg_namespace WHERE nspname = ?) AS has_schema,
             CASE WHEN EXISTS (SELECT FROM pg_proc AS p JOIN pg_namespace AS n ON n.oid = p.pronamespace
                                WHERE n.nspname = ? AND p.proname = 'stream_seed_v2') THEN 10
                  WHEN EXISTS (SELECT FROM pg_proc AS p JOIN pg_namespace AS n ON n.oid = p.pronamespace
                                WHERE n.nspname = ? AND p.proname = 'stream_pop_v2') THEN 9
                  WHEN EXISTS (SELECT FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
                                WHERE n.nspname = ? AND c.relname = 'stream_held') THEN 8
                  WHEN EXISTS (SELECT FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
                                WHERE n.nspname = ? AND c.relname = 'stream_queue_depths') THEN 7
                  ELSE 1 END AS next
      """;

  private static final int COMPLETE = 10;

  private final String schema;
  private final Transactions transactions;
  private final Migrations migrations;
  private volatile boolean ready;

  StreamSetup(String schema, Transactions transactions, Migrations migrations) {
    this.schema = schema;
    this.transactions = transactions;
    this.migrations = migrations;
  }

  private record Found(boolean schema, int next) {
    boolean isComplete() {
      return next == COMPLETE;
    }
  }

  /** Makes everything ready, unless that was done. */
  void ensure(StoreCall call) {
    if (!ready) {
      prepare(StoreCaller.limits(call));
      ready = true;
    }
  }

  private void prepare(Statements.Limits limits) {
    try {
      if (!transactions.single("setup", limits, this::read).isComplete()) {
        migrations.changeSchema("setup", limits, this::create);
      }
    } catch (SQLException e) {
      throw StreamFailures.of("setup", false, e);
    } catch (HoldfastException e) {
      throw StreamFailures.of("setup", e);
    }
  }

  private Found read(Watch watch) throws SQLException {
    try (PreparedStatement statement = watch.prepare(READ)) {
      Binds.of(statement).text(schema).text(schema).text(schema).text(schema).text(schema);
      try (ResultSet row = statement.executeQuery()) {
        row.next();
        return new Found(row.getBoolean("has_schema"), row.getInt("next"));
      }
    }
  }

  private Found create(Watch watch) throws SQLException {
    if (schema.equals(OURS)) {
      Migrations.applyIn(watch);
    }
    Found found = read(watch);
    if (!found.schema()) {
      Migrations.execute(watch, "CREATE SCHEMA " + LockSql.quoted(schema));
    }
    for (String script : scripts(schema, found.next())) {
      Migrations.execute(watch, script);
    }
    return found;
  }

  /** The steps of the migrations that are about streams, for any schema. */
  static List<String> scripts(String schema) {
    return scripts(schema, 1);
  }

  private static List<String> scripts(String schema, int from) {
    return Migrations.all().stream()
        .filter(step -> step.version() >= from)
        .filter(step -> step.description().startsWith("stream"))
        .map(step -> in(schema, step.sql()))
        .toList();
  }

  /** A statement about {@code schema}. */
  static String in(String schema, String sql) {
    return sql.replace("holdfast.", LockSql.quoted(schema) + ".");
  }
}
