package io.holdfast.postgres;

import io.holdfast.job.JobBackend;
import io.holdfast.testkit.ManualTime;
import io.holdfast.testkit.job.JobSubject;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * Jobs in a schema of their own; each process has a store of its own over the same pool. Making the
 * tables takes longer than most tests, so an emptied schema serves the next.
 */
final class PostgresJobSubject implements JobSubject {
  private static final Deque<String> FREE = new ConcurrentLinkedDeque<>();

  private final String url;
  private final String schema;
  private final PostgresOptions options;
  private final List<PostgresStore> stores = new CopyOnWriteArrayList<>();

  PostgresJobSubject(ManualTime time) {
    this(TestDatabase.url(), PostgresOptions.DEFAULTS.withTime(time));
  }

  PostgresJobSubject(String url, PostgresOptions options) {
    String used = FREE.poll();
    this.url = url;
    this.schema = used == null ? TestDatabase.unique("j") : used;
    this.options = options.withJobTables(new JobTables(schema, schema));
  }

  @Override
  public JobBackend process() {
    PostgresStore store =
        new PostgresStore(Pools.open(ConnectionString.parse(url), options.pool()), options);
    stores.add(store);
    return store.jobs();
  }

  String schema() {
    return schema;
  }

  @Override
  public void close() {
    stores.forEach(PostgresStore::close);
    if (TestDatabase.query("SELECT to_regclass('" + schema + ".th_jobs')") != null) {
      TestDatabase.execute(
          new JobNames(schema, schema)
              .sql("TRUNCATE {jobs}, {queues}, {limits}, {keys}, {workers}, {schedules}"));
      FREE.add(schema);
    }
  }
}
