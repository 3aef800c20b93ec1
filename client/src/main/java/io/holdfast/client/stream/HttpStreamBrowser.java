package io.holdfast.client.stream;

import io.holdfast.stream.ActiveLease;
import io.holdfast.stream.CursorKey;
import io.holdfast.stream.Depth;
import io.holdfast.stream.Dropped;
import io.holdfast.stream.Explanation;
import io.holdfast.stream.MessageQuery;
import io.holdfast.stream.PartitionInfo;
import io.holdfast.stream.QueueFigures;
import io.holdfast.stream.StoredMessage;
import io.holdfast.stream.StreamBrowser;
import io.holdfast.stream.StreamMonitor;
import io.holdfast.stream.StreamRules;
import io.holdfast.stream.StuckPartition;
import io.holdfast.stream.Trace;
import io.holdfast.stream.TraceName;
import io.holdfast.stream.Utilization;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Looking at the messages of a server, and at how it goes there. */
final class HttpStreamBrowser implements StreamBrowser {
  private final StreamCalls calls;

  HttpStreamBrowser(StreamCalls calls) {
    this.calls = calls;
  }

  private <T> List<T> list(String verb, Map<String, Object> arguments, Class<T[]> type) {
    return List.of(Objects.requireNonNull(calls.<T[]>ask(verb, arguments, type)));
  }

  private <T> T one(String verb, Map<String, Object> arguments, Class<T> type) {
    return Objects.requireNonNull(calls.<T>ask(verb, arguments, type));
  }

  private static Map<String, Object> named(UUID partitionId, String transactionId) {
    StreamRules.checkId("partitionId", partitionId);
    StreamRules.checkTransactionId(transactionId);
    return Arguments.of("partitionId", partitionId, "transactionId", transactionId);
  }

  @Override
  public List<StoredMessage> messages(MessageQuery query) {
    return list("messages", Arguments.of("messages", query), StoredMessage[].class);
  }

  @Override
  public Optional<StoredMessage> message(UUID partitionId, String transactionId) {
    return Optional.ofNullable(
        calls.ask("message", named(partitionId, transactionId), StoredMessage.class));
  }

  @Override
  public List<StoredMessage> find(String queue, String transactionId) {
    StreamRules.checkQueue(queue);
    StreamRules.checkTransactionId(transactionId);
    return list(
        "findMessages",
        Arguments.of("queue", queue, "transactionId", transactionId),
        StoredMessage[].class);
  }

  @Override
  public List<StoredMessage> byTrace(UUID traceId) {
    StreamRules.checkId("traceId", traceId);
    return list("byTrace", Arguments.of("id", traceId), StoredMessage[].class);
  }

  @Override
  public boolean delete(UUID partitionId, String transactionId) {
    return Boolean.TRUE.equals(
        calls.change("deleteMessage", named(partitionId, transactionId), Boolean.class));
  }

  @Override
  public Optional<Trace> record(UUID partitionId, String transactionId, Trace.Note note) {
    StreamRules.checkNote(note);
    Map<String, Object> arguments = named(partitionId, transactionId);
    arguments.put("note", note);
    return Optional.ofNullable(calls.change("record", arguments, Trace.class));
  }

  @Override
  public List<Trace> traces(UUID partitionId, String transactionId) {
    return list("traces", named(partitionId, transactionId), Trace[].class);
  }

  @Override
  public List<Trace> tracesNamed(String name, int limit) {
    return list("tracesNamed", Arguments.of("name", name, "limit", limit), Trace[].class);
  }

  @Override
  public List<TraceName> traceNames(int limit) {
    return list("traceNames", Arguments.of("limit", limit), TraceName[].class);
  }

  @Override
  public Optional<PartitionInfo> partition(UUID partitionId) {
    StreamRules.checkId("partitionId", partitionId);
    return Optional.ofNullable(
        calls.ask("partition", Arguments.of("partitionId", partitionId), PartitionInfo.class));
  }

  @Override
  public Optional<PartitionInfo> partition(String queue, String name) {
    StreamRules.checkQueue(queue);
    StreamRules.checkPartition(name);
    return Optional.ofNullable(
        calls.ask("partition", Arguments.of("queue", queue, "name", name), PartitionInfo.class));
  }

  @Override
  public List<PartitionInfo> partitions(String queue, @Nullable String after, int limit) {
    StreamRules.checkQueue(queue);
    return list(
        "partitions",
        Arguments.of("queue", queue, "after", after, "limit", limit),
        PartitionInfo[].class);
  }

  @Override
  public List<QueueFigures> figures(@Nullable String queue) {
    return list("figures", Arguments.of("queue", queue), QueueFigures[].class);
  }

  @Override
  public Depth depth(String queue) {
    StreamRules.checkQueue(queue);
    return one("depth", Arguments.of("queue", queue), Depth.class);
  }

  @Override
  public List<Depth> depths() {
    return list("depths", Arguments.of(), Depth[].class);
  }

  @Override
  public List<ActiveLease> leases(@Nullable String queue) {
    return list("leases", Arguments.of("queue", queue), ActiveLease[].class);
  }

  @Override
  public List<Utilization> utilization(@Nullable String queue) {
    return list("utilization", Arguments.of("queue", queue), Utilization[].class);
  }

  @Override
  public List<StuckPartition> stuck(@Nullable String queue) {
    return list("stuck", Arguments.of("queue", queue), StuckPartition[].class);
  }

  @Override
  public List<Dropped> dropped(@Nullable String queue, int limit) {
    return list("dropped", Arguments.of("queue", queue, "limit", limit), Dropped[].class);
  }

  @Override
  public Explanation explain(CursorKey cursor) {
    StreamRules.checkCursor(cursor);
    return one("explain", Arguments.of("cursor", cursor), Explanation.class);
  }

  @Override
  public StreamMonitor.Tally tally(String queue, String group) {
    StreamRules.checkQueue(queue);
    StreamRules.checkGroup(group);
    return one("tally", Arguments.of("queue", queue, "group", group), StreamMonitor.Tally.class);
  }
}
