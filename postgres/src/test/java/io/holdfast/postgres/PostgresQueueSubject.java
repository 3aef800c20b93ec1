package io.holdfast.postgres;

import io.holdfast.queue.QueueBackend;
import io.holdfast.testkit.Listening;
import io.holdfast.testkit.ManualTime;
import io.holdfast.testkit.queue.QueueSubject;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** Queues in a schema of their own; each process has a store of its own over the same pool. */
final class PostgresQueueSubject implements QueueSubject {
  private final String url;
  private final String schema = TestDatabase.unique("q");
  private final PostgresOptions options;
  private final boolean isListening;
  private final List<PostgresStore> stores = new CopyOnWriteArrayList<>();

  PostgresQueueSubject(ManualTime time) {
    this(TestDatabase.url(), PostgresOptions.DEFAULTS.withTime(time));
  }

  /** One whose processes hear hints from the start, so that a test knows who looks when. */
  static PostgresQueueSubject listening(ManualTime time) {
    return new PostgresQueueSubject(
        TestDatabase.url(), PostgresOptions.DEFAULTS.withTime(time), true);
  }

  PostgresQueueSubject(String url, PostgresOptions options) {
    this(url, options, false);
  }

  private PostgresQueueSubject(String url, PostgresOptions options, boolean isListening) {
    this.url = url;
    this.isListening = isListening;
    this.options = options.withQueueSchema(schema);
  }

  @Override
  public QueueBackend process() {
    PostgresStore store =
        new PostgresStore(Pools.open(ConnectionString.parse(url), options.pool()), options);
    stores.add(store);
    if (isListening) {
      Listening.await(store.queues().hints());
    }
    return store.queues();
  }

  String schema() {
    return schema;
  }

  @Override
  public void close() {
    stores.forEach(PostgresStore::close);
    TestDatabase.execute("DROP SCHEMA IF EXISTS " + schema + " CASCADE");
  }
}
