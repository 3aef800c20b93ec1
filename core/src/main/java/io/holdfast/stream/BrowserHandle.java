package io.holdfast.stream;

import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Checks arguments and opens payloads. */
final class BrowserHandle implements StreamBrowser {
  private static final int MOST = 1_000;
  private static final int MOST_PARTITIONS = 10_000;

  private final StreamEngine engine;

  BrowserHandle(StreamEngine engine) {
    this.engine = engine;
  }

  private StreamReader reader() {
    return engine.store.reader();
  }

  private StreamMonitor monitor() {
    return engine.store.monitor();
  }

  private static void checkMessage(UUID partitionId, String transactionId) {
    StreamRules.checkId("partitionId", partitionId);
    StreamRules.checkTransactionId(transactionId);
  }

  private static void checkOptionalQueue(@Nullable String queue) {
    if (queue != null) {
      StreamRules.checkQueue(queue);
    }
  }

  @Override
  public List<StoredMessage> messages(MessageQuery query) {
    StreamRules.checkQueue(query.queue());
    StreamRules.checkRange("limit", query.limit(), 1, MOST);
    StreamRules.require(
        query.status() == null || query.group() != null, "a status needs the group it is about");
    return opened(engine.call(() -> reader().messages(query, engine.storeCall())));
  }

  private List<StoredMessage> opened(List<StoredMessage> messages) {
    return messages.stream().map(engine.sealer::opened).toList();
  }

  @Override
  public Optional<StoredMessage> message(UUID partitionId, String transactionId) {
    checkMessage(partitionId, transactionId);
    return engine
        .call(() -> reader().message(partitionId, transactionId, engine.storeCall()))
        .map(engine.sealer::opened);
  }

  @Override
  public List<StoredMessage> find(String queue, String transactionId) {
    StreamRules.checkQueue(queue);
    StreamRules.checkTransactionId(transactionId);
    return opened(engine.call(() -> reader().find(queue, transactionId, engine.storeCall())));
  }

  @Override
  public List<StoredMessage> byTrace(UUID traceId) {
    StreamRules.checkId("traceId", traceId);
    return opened(engine.call(() -> reader().byTrace(traceId, MOST, engine.storeCall())));
  }

  @Override
  public boolean delete(UUID partitionId, String transactionId) {
    checkMessage(partitionId, transactionId);
    return engine.call(() -> reader().delete(partitionId, transactionId, engine.storeCall()));
  }

  @Override
  public Optional<Trace> record(UUID partitionId, String transactionId, Trace.Note note) {
    checkMessage(partitionId, transactionId);
    StreamRules.checkNote(note);
    return engine.call(() -> reader().record(partitionId, transactionId, note, engine.storeCall()));
  }

  @Override
  public List<Trace> traces(UUID partitionId, String transactionId) {
    checkMessage(partitionId, transactionId);
    return engine.call(() -> reader().traces(partitionId, transactionId, engine.storeCall()));
  }

  @Override
  public List<Trace> tracesNamed(String name, int limit) {
    StreamRules.checkStorable("name", name);
    StreamRules.checkRange("limit", limit, 1, MOST);
    return engine.call(() -> reader().tracesNamed(name, limit, engine.storeCall()));
  }

  @Override
  public List<TraceName> traceNames(int limit) {
    StreamRules.checkRange("limit", limit, 1, MOST);
    return engine.call(() -> reader().traceNames(limit, engine.storeCall()));
  }

  @Override
  public Optional<PartitionInfo> partition(UUID partitionId) {
    StreamRules.checkId("partitionId", partitionId);
    return engine.call(() -> monitor().partition(partitionId, engine.storeCall()));
  }

  @Override
  public Optional<PartitionInfo> partition(String queue, String name) {
    StreamRules.checkQueue(queue);
    StreamRules.checkPartition(name);
    return engine
        .call(() -> monitor().partitions(queue, name, null, 1, engine.storeCall()))
        .stream()
        .findFirst();
  }

  @Override
  public List<PartitionInfo> partitions(String queue, @Nullable String after, int limit) {
    StreamRules.checkQueue(queue);
    StreamRules.checkRange("limit", limit, 1, MOST_PARTITIONS);
    return engine.call(() -> monitor().partitions(queue, null, after, limit, engine.storeCall()));
  }

  @Override
  public List<QueueFigures> figures(@Nullable String queue) {
    checkOptionalQueue(queue);
    return engine.call(() -> monitor().figures(queue, engine.storeCall()));
  }

  @Override
  public Depth depth(String queue) {
    StreamRules.checkQueue(queue);
    return engine.call(() -> monitor().depths(queue, engine.storeCall())).get(0);
  }

  @Override
  public List<Depth> depths() {
    return engine.call(() -> monitor().depths(null, engine.storeCall()));
  }

  @Override
  public List<ActiveLease> leases(@Nullable String queue) {
    checkOptionalQueue(queue);
    return engine.call(() -> monitor().leases(queue, engine.storeCall()));
  }

  @Override
  public List<Utilization> utilization(@Nullable String queue) {
    checkOptionalQueue(queue);
    return engine.call(() -> monitor().utilization(queue, engine.storeCall()));
  }

  @Override
  public List<StuckPartition> stuck(@Nullable String queue) {
    checkOptionalQueue(queue);
    return engine.call(() -> monitor().stuck(queue, engine.storeCall()));
  }

  @Override
  public List<Dropped> dropped(@Nullable String queue, int limit) {
    checkOptionalQueue(queue);
    StreamRules.checkRange("limit", limit, 1, MOST);
    return engine.call(() -> monitor().dropped(queue, limit, engine.storeCall()));
  }

  @Override
  public Explanation explain(CursorKey cursor) {
    StreamRules.checkCursor(cursor);
    return engine.call(() -> monitor().explain(cursor, engine.storeCall()));
  }

  @Override
  public StreamMonitor.Tally tally(String queue, String group) {
    StreamRules.checkQueue(queue);
    StreamRules.checkGroup(group);
    return engine.call(() -> monitor().tally(queue, group, engine.storeCall()));
  }
}
