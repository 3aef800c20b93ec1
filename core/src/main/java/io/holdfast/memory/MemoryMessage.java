package io.holdfast.memory;

import io.holdfast.stream.Entry;
import io.holdfast.stream.Message;
import io.holdfast.stream.PageKey;
import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A message as a row.
 *
 * @param onlyGroup the number of the only group that gets it; null: all
 */
record MemoryMessage(
    long offset, UUID id, Instant createdAt, Entry entry, @Nullable Long onlyGroup) {

  /** As given, or generated. */
  String transactionId() {
    String given = entry.transactionId();
    return given == null ? id.toString() : given;
  }

  boolean isFor(MemoryGroup group) {
    return onlyGroup == null || onlyGroup == group.number;
  }

  int size() {
    return entry.payload().size();
  }

  PageKey key() {
    return new PageKey(createdAt, id);
  }

  Message in(MemoryPartitionLog log) {
    return new Message(
        new Message.Place(log.queue.name, log.name, log.uid, offset),
        id,
        transactionId(),
        entry.traceId(),
        entry.payload(),
        createdAt,
        entry.producer());
  }
}
