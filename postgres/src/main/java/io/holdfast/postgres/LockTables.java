package io.holdfast.postgres;

import io.holdfast.ErrorCode;
import io.holdfast.lock.LockException;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Which tables hold the locks, and whether they are created when missing.
 *
 * @param table the lock table
 * @param fenceTable the table of fence counters
 * @param schema where both are, or null: where the search path finds them
 * @param autoCreate whether the first operation creates what is missing
 */
public record LockTables(
    String table, String fenceTable, @Nullable String schema, boolean autoCreate) {
  private static final Pattern NAME = Pattern.compile("[a-zA-Z_][a-zA-Z0-9_]*");

  // The longest index name is idx_<table>_lock_id, and a name has 63 bytes.
  private static final int MAX_TABLE = 51;
  private static final int MAX_SCHEMA = 63;

  /** The tables that SyncGuard uses, so that both can work on the same locks. */
  public static final LockTables DEFAULTS =
      new LockTables("syncguard_locks", "syncguard_fence_counters", null, true);

  public LockTables {
    check(table, MAX_TABLE, "tableName");
    check(fenceTable, MAX_TABLE, "fenceTableName");
    if (table.equalsIgnoreCase(fenceTable)) {
      throw invalid("tableName and fenceTableName must differ");
    }
    if (schema != null) {
      check(schema, MAX_SCHEMA, "schema");
    }
  }

  /** With other table names. */
  public LockTables named(String newTable, String newFenceTable) {
    return new LockTables(newTable, newFenceTable, schema, autoCreate);
  }

  /** In a certain schema. */
  public LockTables inSchema(String newSchema) {
    return new LockTables(table, fenceTable, newSchema, autoCreate);
  }

  /** Without creating anything. */
  public LockTables withoutAutoCreate() {
    return new LockTables(table, fenceTable, schema, false);
  }

  private static void check(@Nullable String name, int max, String what) {
    if (name == null || name.length() > max || !NAME.matcher(name).matches()) {
      throw invalid(
          what
              + " must be 1 to "
              + max
              + " letters, digits or underscores, not starting with a digit");
    }
  }

  private static LockException invalid(String message) {
    return new LockException(ErrorCode.INVALID_ARGUMENT, message);
  }
}
