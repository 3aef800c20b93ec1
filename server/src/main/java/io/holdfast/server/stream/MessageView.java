package io.holdfast.server.stream;

import io.holdfast.client.stream.WireTexts;
import io.holdfast.stream.ActiveLease;
import io.holdfast.stream.CursorKey;
import io.holdfast.stream.GroupInfo;
import io.holdfast.stream.Message;
import io.holdfast.stream.MessageStatus;
import io.holdfast.stream.PopRequest;
import io.holdfast.stream.StoredMessage;
import io.holdfast.stream.StreamInfo;
import io.holdfast.stream.StreamOption;
import io.holdfast.stream.Streams;
import java.time.Instant;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The messages of one queue as administrators see them. */
final class MessageView {
  private final StreamInfo queue;
  private final Map<CursorKey, Instant> leasedUntil = new HashMap<>();

  MessageView(Streams streams, StreamInfo queue) {
    this.queue = queue;
    for (ActiveLease lease : streams.browser().leases(queue.name())) {
      leasedUntil.put(lease.cursor(), lease.expiresAt());
    }
  }

  /** How the groups of queues read: alone, as groups, or both. */
  static Map<String, Object> mode(Streams streams, List<StreamInfo> queues) {
    Collection<String> groups = queues.isEmpty() ? Set.of() : names(streams, queues);
    boolean hasQueueMode = groups.contains(PopRequest.QUEUE_MODE);
    long others = groups.stream().filter(name -> !name.equals(PopRequest.QUEUE_MODE)).count();
    String type = others == 0 ? (hasQueueMode ? "queue" : "none") : hasQueueMode ? "hybrid" : "bus";
    return Doc.of("hasQueueMode", hasQueueMode, "busGroupsCount", others, "type", type);
  }

  private static Set<String> names(Streams streams, List<StreamInfo> queues) {
    Set<String> asked = queues.stream().map(StreamInfo::name).collect(Collectors.toSet());
    return streams.admin().groups(queues.size() == 1 ? queues.get(0).name() : null).stream()
        .filter(group -> asked.contains(group.queue()))
        .map(GroupInfo::name)
        .collect(Collectors.toSet());
  }

  Map<String, Object> document(StoredMessage stored) {
    Message message = stored.message();
    Map<String, MessageStatus> bus = new HashMap<>(stored.status());
    MessageStatus own = bus.remove(PopRequest.QUEUE_MODE);
    long consumed = bus.values().stream().filter(MessageView::isConsumed).count();
    return Doc.of(
        "id", message.id(),
        "transactionId", message.transactionId(),
        "partitionId", message.place().partitionId(),
        "queuePath", queue.name() + "/" + message.place().partition(),
        "queue", queue.name(),
        "partition", message.place().partition(),
        "namespace", queue.labels().namespace(),
        "task", queue.labels().task(),
        "status", text(own == null ? overall(bus.values()) : own),
        "queueStatus", own == null ? null : text(own),
        "busStatus", Doc.of("consumedBy", consumed, "totalGroups", bus.size()),
        "traceId", message.traceId(),
        "producerSub", message.producer(),
        "queuePriority", queue.settings().number(StreamOption.PRIORITY),
        "createdAt", WireTexts.millis(message.createdAt()),
        "leaseExpiresAt", WireTexts.millisOrNull(leased(stored)));
  }

  private static boolean isConsumed(MessageStatus status) {
    return status == MessageStatus.COMPLETED || status == MessageStatus.DEAD_LETTER;
  }

  private static String text(MessageStatus status) {
    return status.name().toLowerCase(Locale.ROOT);
  }

  /** Of several groups: what the message still has to go through. */
  private static MessageStatus overall(Collection<MessageStatus> statuses) {
    for (MessageStatus status :
        List.of(MessageStatus.PROCESSING, MessageStatus.PENDING, MessageStatus.DEAD_LETTER)) {
      if (statuses.contains(status)) {
        return status;
      }
    }
    return statuses.isEmpty() ? MessageStatus.PENDING : MessageStatus.COMPLETED;
  }

  private @Nullable Instant leased(StoredMessage stored) {
    return stored.status().entrySet().stream()
        .filter(entry -> entry.getValue() == MessageStatus.PROCESSING)
        .map(entry -> leased(stored, entry.getKey()))
        .filter(Objects::nonNull)
        .findFirst()
        .orElse(null);
  }

  private @Nullable Instant leased(StoredMessage stored, String group) {
    return leasedUntil.get(
        new CursorKey(queue.name(), stored.message().place().partition(), group));
  }

  /** What the message is to each group. */
  List<Map<String, Object>> groups(StoredMessage stored) {
    return stored.status().entrySet().stream()
        .filter(entry -> !entry.getKey().equals(PopRequest.QUEUE_MODE))
        .map(
            entry ->
                Doc.of(
                    "name", entry.getKey(),
                    "consumed", isConsumed(entry.getValue()),
                    "leaseExpiresAt",
                        entry.getValue() == MessageStatus.PROCESSING
                            ? WireTexts.millisOrNull(leased(stored, entry.getKey()))
                            : null))
        .toList();
  }
}
