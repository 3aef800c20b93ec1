package io.holdfast.postgres;

import io.holdfast.lease.StoreCall;
import io.holdfast.lease.Time;
import io.holdfast.queue.Content;
import io.holdfast.queue.LeasedItem;
import io.holdfast.queue.NewItem;
import io.holdfast.queue.NewQueue;
import io.holdfast.queue.Partition;
import io.holdfast.queue.QueueCatalog;
import io.holdfast.queue.QueueInfo;
import io.holdfast.testkit.ManualTime;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/** Queues in a schema of their own, seen by as many processes as a test wants. */
final class QueueFixture implements AutoCloseable {
  static final StoreCall CALL = StoreCall.plain();

  final String schema = TestDatabase.unique("q");
  final ManualTime manual = new ManualTime();
  private final Time time;
  private final String url;
  private final List<PostgresStore> stores = new ArrayList<>();
  private final PostgresStore first;

  private QueueFixture(boolean isManual, String url) {
    this.time = isManual ? manual : Time.system();
    this.url = url;
    this.first = process();
  }

  /** On a clock that the test moves. */
  static QueueFixture manual() {
    return new QueueFixture(true, TestDatabase.url());
  }

  /** On the database's own clock. */
  static QueueFixture real() {
    return new QueueFixture(false, TestDatabase.url());
  }

  /** On the database's own clock, by another way. */
  static QueueFixture real(String url) {
    return new QueueFixture(false, url);
  }

  /** Another process on the same data. */
  PostgresStore process() {
    PostgresOptions options = PostgresOptions.DEFAULTS.withTime(time).withQueueSchema(schema);
    PostgresStore store =
        new PostgresStore(Pools.open(ConnectionString.parse(url), options.pool()), options);
    stores.add(store);
    return store;
  }

  PostgresStore store() {
    return first;
  }

  QueueCatalog catalog() {
    return first.queues().catalog();
  }

  Instant now() {
    return Instant.ofEpochMilli(manual.nowMs());
  }

  QueueInfo queue(String name) {
    return catalog().add(NewQueue.named(name), CALL);
  }

  QueueInfo add(NewQueue queue) {
    return catalog().add(queue, CALL);
  }

  /** The first partition as the first process sees it. */
  PostgresPartition open(QueueInfo queue) {
    return open(first, queue, 0);
  }

  PostgresPartition open(PostgresStore process, QueueInfo queue, int number) {
    Partition partition = process.queues().partitions().open(queue, queue.partitions().get(number));
    return (PostgresPartition) partition;
  }

  /** The table of a partition as it stands in a statement. */
  String table(String queue, int number) {
    return ItemTables.quoted(schema, queue, number);
  }

  long rows(String queue, int number) {
    return Long.parseLong(
        String.valueOf(TestDatabase.query("SELECT count(*) FROM " + table(queue, number))));
  }

  static List<String> produce(Partition partition, String... texts) {
    List<NewItem> items = IntStream.range(0, texts.length).mapToObj(i -> item(texts[i])).toList();
    return partition.produce(List.of(items), CALL).ids().get(0);
  }

  static NewItem item(String text) {
    return new NewItem(Content.of(text.getBytes(StandardCharsets.UTF_8)), null);
  }

  static List<String> leaseIds(Partition partition, int limit) {
    return partition.lease(limit, CALL).stream().map(LeasedItem::id).toList();
  }

  static List<String> leaseTexts(Partition partition, int limit) {
    return partition.lease(limit, CALL).stream().map(LeasedItem::text).toList();
  }

  /** Does everything that is due, as a sweeper does. */
  static void sweep(Partition partition) {
    for (int i = 0; i < 10; i++) {
      var due = partition.scanScheduled(1000, CALL);
      var actions = partition.scanActions(1000, CALL);
      if (due.isEmpty() && actions.isEmpty()) {
        return;
      }
      partition.takeAction(due, CALL);
      partition.takeAction(actions, CALL);
    }
    throw new AssertionError("something stays due");
  }

  void advance(Duration by) {
    manual.advance(by);
  }

  @Override
  public void close() {
    stores.forEach(PostgresStore::close);
    TestDatabase.execute("DROP SCHEMA IF EXISTS " + schema + " CASCADE");
  }
}
