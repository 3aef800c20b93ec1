package io.holdfast.postgres;

import io.holdfast.ErrorCode;
import io.holdfast.lock.LockException;
import java.sql.Array;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What the database has of the objects that locks need, read in one statement without a right to
 * change.
 */
record LockCatalog(
    LockSql sql,
    @Nullable Set<String> lockColumns,
    @Nullable Set<String> fenceColumns,
    boolean lockIdIndex,
    boolean expiresIndex,
    boolean migrated,
    Set<String> functions) {

  private static final Set<String> LOCK_COLUMNS =
      Set.of(
          "key text",
          "lock_id text",
          "expires_at_ms bigint",
          "acquired_at_ms bigint",
          "fence text",
          "user_key text");
  private static final Set<String> FENCE_COLUMNS = Set.of("fence_key text", "fence bigint");
  private static final String KEY_DEBUG = "key_debug text";

  /**
   * The tables are looked up in the catalogue, not by {@code to_regclass}: that one sees what was
   * committed a moment ago, and the columns of such a table are not yet visible to this statement.
   *
   * <p>Indexes are known by what they cover, whatever their names. The schema {@code holdfast} is
   * ours: for a role of that name it comes first on the search path, and others would not find the
   * tables in it.
   */
  private static final String READ =
      """
      WITH given AS (SELECT ?::text AS table_name, ?::text AS fence_name, ?::text AS schema_name),
      place AS (
        SELECT coalesce(
                 given.schema_name,
                 (SELECT n.nspname FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
                   WHERE c.oid = to_regclass(quote_ident(given.table_name))),
                 (SELECT path.name FROM unnest(current_schemas(false)) WITH ORDINALITY AS path (name, place)
                   WHERE path.name <> 'holdfast' ORDER BY path.place LIMIT 1)) AS schema_name
          FROM given),
      found AS (
        SELECT place.schema_name,
               (SELECT c.oid FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
                 WHERE n.nspname = place.schema_name AND c.relname = given.table_name) AS locks,
               (SELECT c.oid FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
                 WHERE n.nspname = place.schema_name AND c.relname = given.fence_name) AS counters
          FROM given, place)
      SELECT current_setting('server_encoding') AS encoding,
             found.schema_name,
             to_regnamespace(quote_ident(found.schema_name)) IS NOT NULL AS has_schema,
             found.locks IS NOT NULL AS has_locks,
             found.counters IS NOT NULL AS has_counters,
             ARRAY(SELECT a.attname || ' ' || format_type(a.atttypid, NULL) FROM pg_attribute AS a
                    WHERE a.attrelid = found.locks AND a.attnum > 0 AND NOT a.attisdropped) AS lock_columns,
             ARRAY(SELECT a.attname || ' ' || format_type(a.atttypid, NULL) FROM pg_attribute AS a
                    WHERE a.attrelid = found.counters AND a.attnum > 0 AND NOT a.attisdropped)
               AS fence_columns,
             ARRAY(SELECT (CASE WHEN i.indisunique AND i.indnkeyatts = 1 THEN 'unique ' ELSE '' END)
                          || c.relname || '.' || a.attname
                     FROM pg_index AS i
                     JOIN pg_class AS c ON c.oid = i.indrelid
                     JOIN pg_class AS x ON x.oid = i.indexrelid
                     JOIN pg_am AS m ON m.oid = x.relam AND m.amname = 'btree'
                     JOIN pg_attribute AS a ON a.attrelid = i.indrelid AND a.attnum = i.indkey[0]
                    WHERE i.indrelid IN (found.locks, found.counters)
                      AND i.indisvalid AND i.indpred IS NULL) AS indexes,
             to_regclass('holdfast.lock_waiters') IS NOT NULL
               AND to_regclass('holdfast.fence_guard') IS NOT NULL
               AND to_regprocedure('holdfast.assert_fence(text, bigint)') IS NOT NULL AS migrated,
             ARRAY(SELECT p.proname::text FROM pg_proc AS p
                    WHERE p.pronamespace = to_regnamespace('holdfast')) AS functions
        FROM found
      """;

  static LockCatalog read(Watch watch, LockTables tables) throws SQLException {
    try (PreparedStatement statement = watch.prepare(READ)) {
      statement.setString(1, tables.table());
      statement.setString(2, tables.fenceTable());
      statement.setString(3, tables.schema());
      try (ResultSet row = statement.executeQuery()) {
        row.next();
        return of(row, tables);
      }
    }
  }

  private static LockCatalog of(ResultSet row, LockTables tables) throws SQLException {
    if (!"UTF8".equals(row.getString("encoding"))) {
      throw invalid("the database's encoding must be UTF8");
    }
    String schema = row.getString("schema_name");
    if (schema == null) {
      throw invalid("the search path names no schema to keep locks in");
    }
    if (!row.getBoolean("has_schema")) {
      throw invalid("the schema named for the lock tables does not exist");
    }
    Set<String> indexes = strings(row, "indexes");
    LockCatalog catalog =
        new LockCatalog(
            new LockSql(schema, tables),
            row.getBoolean("has_locks") ? strings(row, "lock_columns") : null,
            row.getBoolean("has_counters") ? strings(row, "fence_columns") : null,
            indexes.contains("unique " + tables.table() + ".lock_id"),
            indexes.contains(tables.table() + ".expires_at_ms")
                || indexes.contains("unique " + tables.table() + ".expires_at_ms"),
            row.getBoolean("migrated"),
            strings(row, "functions"));
    catalog.checkColumns(
        indexes.contains("unique " + tables.table() + ".key"),
        indexes.contains("unique " + tables.fenceTable() + ".fence_key"));
    return catalog;
  }

  private void checkColumns(boolean uniqueKey, boolean uniqueFenceKey) {
    if (lockColumns != null && !(lockColumns.containsAll(LOCK_COLUMNS) && uniqueKey)) {
      throw invalid("the lock table exists with other columns than locks need");
    }
    boolean otherDebug =
        fenceColumns != null
            && !fenceColumns.contains(KEY_DEBUG)
            && fenceColumns.stream().anyMatch(column -> column.startsWith("key_debug "));
    if (fenceColumns != null
        && (otherDebug || !(fenceColumns.containsAll(FENCE_COLUMNS) && uniqueFenceKey))) {
      throw invalid("the fence counter table exists with other columns than locks need");
    }
  }

  /** What is missing, as the statements that create it. Migrations are not among them. */
  List<String> missing() {
    List<String> statements = new ArrayList<>();
    if (lockColumns == null) {
      statements.add(sql.script("tables"));
    }
    if (!lockIdIndex) {
      statements.add(sql.createLockIdIndex());
    }
    if (!expiresIndex) {
      statements.add(sql.createExpiresIndex());
    }
    if (fenceColumns == null) {
      statements.add(sql.script("counters"));
    } else if (!fenceColumns.contains(KEY_DEBUG)) {
      statements.add(sql.addKeyDebug());
    }
    for (String function : sql.functionNames()) {
      if (!functions.contains(function)) {
        statements.add(sql.createFunction(function));
      }
    }
    return statements;
  }

  boolean isComplete() {
    return migrated && missing().isEmpty();
  }

  private static Set<String> strings(ResultSet row, String column) throws SQLException {
    Array array = row.getArray(column);
    return Set.copyOf(List.of((String[]) array.getArray()));
  }

  private static LockException invalid(String message) {
    return new LockException(ErrorCode.INVALID_ARGUMENT, message);
  }
}
