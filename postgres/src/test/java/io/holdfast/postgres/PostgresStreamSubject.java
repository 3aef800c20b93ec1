package io.holdfast.postgres;

import io.holdfast.stream.StreamStore;
import io.holdfast.testkit.ManualTime;
import io.holdfast.testkit.stream.StreamSubject;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Streams in a schema of their own; each process has a store of its own over the same pool. Making
 * so many tables and functions takes longer than most tests, so an emptied schema serves the next.
 */
final class PostgresStreamSubject implements StreamSubject {
  private static final Deque<String> FREE = new ConcurrentLinkedDeque<>();
  private static final List<String> TABLES =
      List.of(
          "queue",
          "partition",
          "message",
          "subscription",
          "cursor",
          "mark",
          "dead",
          "counter",
          "trace",
          "trace_name",
          "retention_log");

  private final String url;
  private final String schema;
  private final PostgresOptions options;
  private final List<PostgresStore> stores = new CopyOnWriteArrayList<>();

  PostgresStreamSubject(ManualTime time) {
    this(TestDatabase.url(), PostgresOptions.DEFAULTS.withTime(time));
  }

  PostgresStreamSubject(String url, PostgresOptions options) {
    String used = FREE.poll();
    this.url = url;
    this.schema = used == null ? TestDatabase.unique("s") : used;
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
    String emptied =
        Stream.concat(
                TABLES.stream().map(table -> "DELETE FROM " + schema + ".stream_" + table),
                Stream.of(
                    "UPDATE "
                        + schema
                        + ".stream_global SET push_pause = NULL, pop_paused = false"))
            .collect(Collectors.joining(";"));
    if (TestDatabase.query("SELECT to_regclass('" + schema + ".stream_queue_depths')") != null) {
      TestDatabase.execute(emptied);
      FREE.add(schema);
    }
  }
}
