package io.holdfast.postgres;

import io.holdfast.lease.StoreCall;
import java.util.List;

/** Schemas with empty streams, used again and again. */
final class StreamSchemas {
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
          "retention_log",
          "held");
  private static final SpareSchemas SPARE =
      new SpareSchemas(StreamSchemas::make, StreamSchemas::emptying);

  private StreamSchemas() {}

  /** A schema that nobody else uses until it is given back. */
  static String borrow() {
    return SPARE.borrow();
  }

  static void giveBack(String schema) {
    SPARE.giveBack(schema);
  }

  private static void make(String schema) {
    PostgresOptions options = PostgresOptions.DEFAULTS.withStreamSchema(schema);
    try (PostgresStore store =
        new PostgresStore(
            Pools.open(ConnectionString.parse(TestDatabase.url()), options.pool()), options)) {
      store.streamKernel().setup().ensure(StoreCall.plain());
    }
  }

  /** Deletes everything. */
  static String emptying(String schema) {
    List<String> tables = TABLES.stream().map(name -> schema + ".stream_" + name).toList();
    String paused = "UPDATE %s.stream_global SET push_pause = NULL, pop_paused = false";
    return SpareSchemas.emptying(tables, paused.formatted(schema));
  }
}
