package io.holdfast.memory;

import io.holdfast.queue.Content;
import io.holdfast.queue.LeasedItem;
import io.holdfast.queue.StoredItem;
import java.time.Instant;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** An item as a row: transitions write its fields under the lock of {@link MemoryQueues}. */
final class MemoryItem {
  String id;
  int attempts;
  int maxAttempts;
  boolean isLeased;
  @Nullable Instant leaseDeadline;
  @Nullable Instant enqueueAt;
  Instant expireDeadline;
  final Instant createdAt;
  final Content content;
  StoredItem.Origin origin = StoredItem.Origin.NONE;

  /** A ready one. */
  MemoryItem(String id, Content content, Instant createdAt, Instant expireDeadline) {
    this.id = id;
    this.content = content;
    this.createdAt = createdAt;
    this.expireDeadline = expireDeadline;
  }

  boolean isScheduled() {
    return enqueueAt != null;
  }

  boolean isReady() {
    return !isLeased && !isScheduled();
  }

  boolean isExpired(Instant now) {
    return !expireDeadline.isAfter(now);
  }

  /** Whether its lease, which it must have, is over. */
  boolean isLapsed(Instant now) {
    return !Objects.requireNonNull(leaseDeadline).isAfter(now);
  }

  void endLease() {
    isLeased = false;
    leaseDeadline = null;
  }

  LeasedItem leased() {
    return new LeasedItem(id, attempts, Objects.requireNonNull(leaseDeadline), content);
  }

  StoredItem stored() {
    return new StoredItem(
        id,
        isLeased,
        attempts,
        maxAttempts,
        new StoredItem.Times(createdAt, enqueueAt, leaseDeadline, expireDeadline),
        origin,
        content);
  }
}
