package io.holdfast.postgres;

import io.holdfast.lease.StoreCall;
import io.holdfast.lease.Time;
import io.holdfast.stream.Ack;
import io.holdfast.stream.Acked;
import io.holdfast.stream.Entry;
import io.holdfast.stream.Message;
import io.holdfast.stream.Payload;
import io.holdfast.stream.PopRequest;
import io.holdfast.stream.Popped;
import io.holdfast.stream.Pushed;
import io.holdfast.stream.StreamLeases.PopAnswer;
import io.holdfast.stream.StreamLog;
import io.holdfast.stream.StreamOptions;
import io.holdfast.stream.StreamService;
import io.holdfast.stream.Verdict;
import io.holdfast.testkit.ManualTime;
import java.sql.Connection;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Streams in a schema of their own. */
final class StreamFixture implements AutoCloseable {
  static final StoreCall CALL = StoreCall.plain();
  static final String GROUP = "g";

  final String schema;
  final ManualTime manual = new ManualTime();
  final StreamKernel kernel;
  final PostgresStreamLog log;
  final PostgresStreamLeases leases;
  private final PostgresStore store;
  private final StreamService service;

  private StreamFixture(boolean isManual, String schema) {
    this.schema = schema;
    Time time = isManual ? manual : Time.system();
    PostgresOptions options = PostgresOptions.DEFAULTS.withTime(time).withStreamSchema(schema);
    this.store =
        new PostgresStore(
            Pools.open(ConnectionString.parse(TestDatabase.url()), options.pool()), options);
    StreamSetup setup = new StreamSetup(schema, store.transactions(), store.migrations());
    this.kernel =
        new StreamKernel(schema, setup, StoreCaller.pooled(store.transactions()), time, true);
    setup.ensure(CALL);
    this.log = new PostgresStreamLog(kernel);
    this.leases = new PostgresStreamLeases(kernel);
    this.service = StreamService.over(store.streams(), StreamOptions.DEFAULTS.stepped());
  }

  static StreamFixture manual() {
    return new StreamFixture(true, StreamSchemas.borrow());
  }

  static StreamFixture real() {
    return new StreamFixture(false, TestDatabase.unique("s"));
  }

  StreamsInTransaction in(Connection connection) {
    return new StreamsInTransaction(kernel, store.statements(), service, connection);
  }

  Instant now() {
    return Instant.ofEpochMilli(manual.nowMs());
  }

  void advance(Duration by) {
    manual.advance(by);
  }

  void advance(long seconds) {
    manual.advance(Duration.ofSeconds(seconds));
  }

  static Entry entry(String queue, String partition, String text) {
    return new Entry(queue, partition, Payload.of(text), false, null, null, null);
  }

  static Entry entry(String queue, String partition, String text, @Nullable String id) {
    return new Entry(queue, partition, Payload.of(text), false, id, null, null);
  }

  List<Pushed> push(Entry... entries) {
    return push(List.of(entries));
  }

  List<Pushed> push(List<Entry> entries) {
    return ((StreamLog.Appended) log.push(entries, CALL)).pushed();
  }

  /** Pushes texts to one partition of {@code q}. */
  List<Pushed> push(String partition, String... texts) {
    return push(Arrays.stream(texts).map(text -> entry("q", partition, text)).toList());
  }

  /** A queue {@code q} with these settings, as SQL. */
  void configure(String settings) {
    push("Default", "x");
    update("DELETE FROM holdfast.stream_message");
    update(
        "UPDATE holdfast.stream_partition SET last_offset = 0, last_at = NULL, oldest_at = NULL");
    update("DELETE FROM holdfast.stream_counter");
    update("UPDATE holdfast.stream_queue SET " + settings + " WHERE name = 'q'");
  }

  PopRequest request() {
    return PopRequest.of("q").group(GROUP).batch(100);
  }

  PopAnswer answer(PopRequest request) {
    return leases.pop(List.of(request), CALL).get(0);
  }

  Popped pop(PopRequest request) {
    return answer(request).popped();
  }

  Popped pop() {
    return pop(request());
  }

  List<Acked> ack(Popped popped, Verdict verdict) {
    return leases.ack(popped.ackAll(verdict), CALL).acked();
  }

  List<Acked> ack(Ack... acks) {
    return leases.ack(List.of(acks), CALL).acked();
  }

  /** A verdict about the {@code index}th message of the first batch. */
  static Ack about(Popped popped, int index, Verdict verdict) {
    return Ack.of(
        popped.group(),
        popped.batches().get(0),
        popped.batches().get(0).deliveries().get(index).message(),
        verdict);
  }

  static List<String> texts(Popped popped) {
    return popped.messages().stream().map(Message::payload).map(Payload::text).toList();
  }

  static List<Integer> attempts(Popped popped) {
    List<Integer> all = new ArrayList<>();
    popped.batches().forEach(b -> b.deliveries().forEach(d -> all.add(d.attempt())));
    return all;
  }

  void update(String sql) {
    TestDatabase.execute(kernel.sql(sql));
  }

  @Nullable String query(String sql) {
    return TestDatabase.query(kernel.sql(sql));
  }

  /** A column of the only cursor of group {@code g}. */
  @Nullable String cursor(String column) {
    return query(
        "SELECT c."
            + column
            + " FROM holdfast.stream_cursor AS c JOIN holdfast.stream_subscription AS s"
            + " ON s.queue_id = c.queue_id AND s.id = c.sub_id WHERE s.name = 'g'"
            + " ORDER BY c.partition_id DESC");
  }

  /** The sums that counters keep, compared with what they are sums of. */
  @Nullable String drift() {
    return query(
        """
        SELECT string_agg(x.what || x.queue_id || ':' || x.n, ' ') FROM (
          SELECT 'P' AS what, queue_id, sum(n) AS n FROM (
            SELECT queue_id, n FROM holdfast.stream_counter WHERE kind = 'P'
            UNION ALL SELECT queue_id, -last_offset FROM holdfast.stream_partition) AS p GROUP BY queue_id
          UNION ALL
          SELECT 'C' || sub_id, queue_id, sum(n) FROM (
            SELECT queue_id, sub_id, n FROM holdfast.stream_counter WHERE kind = 'C'
            UNION ALL SELECT queue_id, sub_id, -committed FROM holdfast.stream_cursor) AS c
           GROUP BY queue_id, sub_id) AS x WHERE x.n <> 0
        """);
  }

  @Override
  public void close() {
    store.close();
    StreamSchemas.giveBack(schema);
  }
}
