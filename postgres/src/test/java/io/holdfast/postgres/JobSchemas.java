package io.holdfast.postgres;

import io.holdfast.lease.StoreCall;
import java.util.List;
import java.util.stream.Stream;

/** Schemas that hold all tables of jobs and nothing in them, used again and again. */
final class JobSchemas {
  private static final SpareSchemas SPARE =
      new SpareSchemas(JobSchemas::make, schema -> emptying(in(schema)));

  private JobSchemas() {}

  /** Where a test's tables are. */
  static JobTables take() {
    return in(SPARE.borrow());
  }

  /** Where a test's tables will be after the first use. */
  static JobTables fresh() {
    return in(TestDatabase.unique("j"));
  }

  private static JobTables in(String schema) {
    return new JobTables(schema, schema);
  }

  private static void make(String schema) {
    PostgresOptions options = PostgresOptions.DEFAULTS.withJobTables(in(schema));
    try (PostgresStore store =
        new PostgresStore(
            Pools.open(ConnectionString.parse(TestDatabase.url()), options.pool()), options)) {
      store.jobKernel().setup().ensure(StoreCall.plain());
    }
  }

  /** Empties the tables for the next test. */
  static void giveBack(JobTables tables) {
    SPARE.giveBack(tables.ownSchema());
  }

  /** What empties tables that exist. */
  static String emptying(JobTables tables) {
    List<String> all =
        Stream.of("th_jobs", "job_queues", "job_limits", "job_keys", "job_workers", "job_schedules")
            .map(table -> tables.ownSchema() + "." + table)
            .toList();
    return SpareSchemas.emptying(all, "NULL");
  }
}
