package io.holdfast.memory;

import io.holdfast.stream.PartitionInfo;
import io.holdfast.stream.StreamIds;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import java.util.NavigableMap;
import java.util.NavigableSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A partition: messages by offset. Offsets, instants and ids grow together; there may be gaps. */
final class MemoryPartitionLog {
  final MemoryStream queue;
  final long number;
  final String name;
  final UUID uid;
  final Instant createdAt;
  final NavigableMap<Long, MemoryMessage> messages = new TreeMap<>();
  long lastOffset;
  long logStart = 1;
  @Nullable Instant lastAt;

  /** Offsets by transaction id; generated ones are not in here. */
  private final Map<String, NavigableSet<Long>> byTransaction = new HashMap<>();

  MemoryPartitionLog(MemoryStream queue, long number, String name, Instant now) {
    this.queue = queue;
    this.number = number;
    this.name = name;
    this.uid = StreamIds.partition(queue.key, number);
    this.createdAt = now;
  }

  /** When a message that is appended now is stored: always later than the one before. */
  Instant nextAt(Instant now) {
    Instant least = lastAt == null ? now : lastAt.plus(1, ChronoUnit.MICROS);
    return least.isAfter(now) ? least : now;
  }

  /** Puts a message behind all others; it has the next offset. */
  void append(MemoryMessage message) {
    messages.put(message.offset(), message);
    lastOffset = message.offset();
    lastAt = message.createdAt();
    String given = message.entry().transactionId();
    if (given != null) {
      byTransaction.computeIfAbsent(given, id -> new TreeSet<>()).add(message.offset());
    }
  }

  void remove(MemoryMessage message) {
    messages.remove(message.offset());
    byTransaction.computeIfPresent(
        message.transactionId(),
        (id, offsets) -> {
          offsets.remove(message.offset());
          return offsets.isEmpty() ? null : offsets;
        });
  }

  /** The newest message that was pushed under this transaction id; null if there is none. */
  @Nullable MemoryMessage pushedAs(String transactionId) {
    NavigableSet<Long> offsets = byTransaction.get(transactionId);
    return offsets == null ? null : messages.get(offsets.last());
  }

  /** Messages of this transaction id, given or generated, oldest first. */
  Stream<MemoryMessage> named(String transactionId) {
    return messages.values().stream().filter(m -> m.transactionId().equals(transactionId));
  }

  /** The newest of them; null if there is none. */
  @Nullable MemoryMessage newest(String transactionId) {
    return named(transactionId).max(Comparator.comparing(MemoryMessage::offset)).orElse(null);
  }

  /** The last offset that was there at that moment; 0 if none. */
  long offsetAt(Instant at) {
    return messages.descendingMap().values().stream()
        .filter(message -> !message.createdAt().isAfter(at))
        .mapToLong(MemoryMessage::offset)
        .findFirst()
        .orElse(0);
  }

  /** The same for a group that starts there; behind the last message also if that was deleted. */
  long startAt(Instant at) {
    return lastAt == null || lastAt.isAfter(at) ? offsetAt(at) : lastOffset;
  }

  PartitionInfo info() {
    return new PartitionInfo(
        queue.name,
        name,
        uid,
        new PartitionInfo.Offsets(logStart, lastOffset),
        createdAt,
        oldestAt(),
        lastAt);
  }

  /** When the first retained message was stored; null if there is none. */
  @Nullable Instant oldestAt() {
    return messages.isEmpty() ? null : messages.firstEntry().getValue().createdAt();
  }
}
