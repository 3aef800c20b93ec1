package io.holdfast.postgres;

import io.holdfast.job.JobBackend;
import io.holdfast.testkit.Listening;
import io.holdfast.testkit.ManualTime;
import io.holdfast.testkit.job.JobSubject;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** Jobs in a schema of their own; each process has a store of its own over the same pool. */
final class PostgresJobSubject implements JobSubject {
  private final String url;
  private final JobTables tables;
  private final PostgresOptions options;
  private final boolean isListening;
  private final List<PostgresStore> stores = new CopyOnWriteArrayList<>();

  PostgresJobSubject(ManualTime time) {
    this(TestDatabase.url(), PostgresOptions.DEFAULTS.withTime(time), false);
  }

  /** One whose processes hear hints from the start, so that a test knows what they look at when. */
  static PostgresJobSubject listening(ManualTime time) {
    return new PostgresJobSubject(
        TestDatabase.url(), PostgresOptions.DEFAULTS.withTime(time), true);
  }

  private PostgresJobSubject(String url, PostgresOptions options, boolean isListening) {
    this.url = url;
    this.isListening = isListening;
    this.tables = JobSchemas.take();
    this.options = options.withJobTables(tables);
  }

  @Override
  public JobBackend process() {
    PostgresStore store =
        new PostgresStore(Pools.open(ConnectionString.parse(url), options.pool()), options);
    stores.add(store);
    if (isListening) {
      Listening.await(store.jobs().hints());
    }
    return store.jobs();
  }

  String schema() {
    return tables.ownSchema();
  }

  @Override
  public void close() {
    stores.forEach(PostgresStore::close);
    JobSchemas.giveBack(tables);
  }
}
