package io.holdfast.postgres;

import io.holdfast.stream.StreamStore;
import io.holdfast.testkit.ManualTime;
import io.holdfast.testkit.stream.StreamSubject;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** Streams in a schema of their own; each process has a store of its own over the same pool. */
final class PostgresStreamSubject implements StreamSubject {
  private final String url;
  private final String schema;
  private final PostgresOptions options;
  private final List<PostgresStore> stores = new CopyOnWriteArrayList<>();

  PostgresStreamSubject(ManualTime time) {
    this(TestDatabase.url(), PostgresOptions.DEFAULTS.withTime(time));
  }

  PostgresStreamSubject(String url, PostgresOptions options) {
    this.url = url;
    this.schema = StreamSchemas.borrow();
    this.options = options.withStreamSchema(schema);
  }

  @Override
  public StreamStore process() {
    PostgresStore store =
        new PostgresStore(Pools.open(ConnectionString.parse(url), options.pool()), options);
    stores.add(store);
    return store.streams();
  }

  String schema() {
    return schema;
  }

  @Override
  public void close() {
    stores.forEach(PostgresStore::close);
    StreamSchemas.giveBack(schema);
  }
}
