package io.holdfast.postgres;

import java.util.Deque;
import java.util.concurrent.ConcurrentLinkedDeque;

/**
 * Schemas that hold all tables of jobs. Making them takes longer than most tests, so an emptied one
 * serves the next.
 */
final class JobSchemas {
  private static final Deque<String> FREE = new ConcurrentLinkedDeque<>();

  private JobSchemas() {}

  /** Where a test's tables are, or will be after the first use. */
  static JobTables take() {
    String used = FREE.poll();
    return used == null ? fresh() : new JobTables(used, used);
  }

  /** The same, where nothing has been. */
  static JobTables fresh() {
    String schema = TestDatabase.unique("j");
    return new JobTables(schema, schema);
  }

  /** Empties the tables for the next test. */
  static void giveBack(JobTables tables) {
    String schema = tables.ownSchema();
    if (TestDatabase.query("SELECT to_regclass('" + schema + ".job_schedules_next_idx')") != null) {
      TestDatabase.execute("ALTER TABLE " + schema + ".th_jobs RESET (autovacuum_enabled)");
      TestDatabase.execute(emptying(tables));
      FREE.add(schema);
    }
  }

  /** What empties tables that exist. */
  static String emptying(JobTables tables) {
    return """
    DELETE FROM {s}.th_jobs;
    DELETE FROM {s}.job_queues;
    DELETE FROM {s}.job_limits;
    DELETE FROM {s}.job_keys;
    DELETE FROM {s}.job_workers;
    DELETE FROM {s}.job_schedules
    """
        .replace("{s}", tables.ownSchema());
  }
}
