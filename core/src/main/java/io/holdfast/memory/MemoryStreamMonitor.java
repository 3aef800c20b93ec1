package io.holdfast.memory;

import io.holdfast.lease.StoreCall;
import io.holdfast.stream.ActiveLease;
import io.holdfast.stream.CursorKey;
import io.holdfast.stream.Depth;
import io.holdfast.stream.Dropped;
import io.holdfast.stream.Explanation;
import io.holdfast.stream.PartitionInfo;
import io.holdfast.stream.QueueFigures;
import io.holdfast.stream.StreamMonitor;
import io.holdfast.stream.StuckPartition;
import io.holdfast.stream.Utilization;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** How it goes in {@link MemoryStreamData}. */
final class MemoryStreamMonitor implements StreamMonitor {
  private static final Comparator<CursorKey> BY_NAMES =
      Comparator.comparing(CursorKey::queue, MemoryLockAdmin.BYTES)
          .thenComparing(CursorKey::partition, MemoryLockAdmin.BYTES)
          .thenComparing(CursorKey::group, MemoryLockAdmin.BYTES);
  private static final Duration SOON = Duration.ofSeconds(30);

  private final MemoryStreamData data;

  MemoryStreamMonitor(MemoryStreamData data) {
    this.data = data;
  }

  @Override
  public List<Depth> depths(@Nullable String queue, StoreCall call) {
    synchronized (data) {
      Instant now = data.now();
      Collection<MemoryStream> queues =
          queue == null ? data.byName.values() : List.of(data.get(queue));
      return queues.stream().map(each -> depth(each, now)).toList();
    }
  }

  private static Depth depth(MemoryStream queue, Instant now) {
    long depth = queue.depth(now);
    long maxSize = queue.maxSize();
    Long remaining = maxSize == 0 ? null : Long.valueOf(Math.max(0, maxSize - depth));
    return new Depth(queue.name, depth, maxSize, remaining);
  }

  @Override
  public List<ActiveLease> leases(@Nullable String queue, StoreCall call) {
    synchronized (data) {
      Instant now = data.now();
      return cursors(queue)
          .filter(cursor -> cursor.isLeased(now))
          .map(MemoryStreamMonitor::lease)
          .sorted(
              Comparator.comparing(ActiveLease::expiresAt)
                  .thenComparing(ActiveLease::cursor, BY_NAMES))
          .toList();
    }
  }

  private Stream<MemoryCursor> cursors(@Nullable String queue) {
    return data.selected(queue).stream().flatMap(MemoryStream::cursors);
  }

  private static ActiveLease lease(MemoryCursor cursor) {
    return new ActiveLease(
        cursor.key(),
        Objects.requireNonNull(cursor.leaseId),
        cursor.fence,
        Objects.requireNonNull(cursor.leasedAt),
        Objects.requireNonNull(cursor.readyAt),
        cursor.batchCount);
  }

  @Override
  public List<Utilization> utilization(@Nullable String queue, StoreCall call) {
    synchronized (data) {
      Instant now = data.now();
      return data.selected(queue).stream().map(each -> utilization(each, now)).toList();
    }
  }

  private static Utilization utilization(MemoryStream queue, Instant now) {
    long leased =
        queue
            .cursors()
            .filter(cursor -> cursor.isLeased(now))
            .map(cursor -> cursor.log)
            .distinct()
            .count();
    return new Utilization(queue.name, queue.partitions.size(), leased);
  }

  @Override
  public List<StuckPartition> stuck(@Nullable String queue, StoreCall call) {
    synchronized (data) {
      Instant now = data.now();
      return cursors(queue)
          .map(cursor -> stuck(cursor, now))
          .filter(Objects::nonNull)
          .map(StuckPartition.class::cast)
          .sorted(Comparator.comparing(StuckPartition::cursor, BY_NAMES))
          .toList();
    }
  }

  private static @Nullable StuckPartition stuck(MemoryCursor cursor, Instant now) {
    StuckPartition.Reason reason = reason(cursor, now);
    Instant leasedAt = cursor.leasedAt;
    return reason == null
        ? null
        : new StuckPartition(
            cursor.key(),
            reason,
            leasedAt,
            cursor.isParked() ? null : cursor.readyAt,
            leasedAt == null ? Duration.ZERO : Duration.between(leasedAt, now),
            cursor.attempt,
            cursor.parkReason == null ? cursor.lastError : cursor.parkReason);
  }

  private static StuckPartition.@Nullable Reason reason(MemoryCursor cursor, Instant now) {
    if (cursor.isParked()) {
      return StuckPartition.Reason.PARKED;
    }
    if (cursor.isLapsed(now)) {
      return StuckPartition.Reason.EXPIRED;
    }
    if (cursor.isLeased(now)) {
      return cursor.isReady(now.plus(SOON)) ? StuckPartition.Reason.EXPIRING : null;
    }
    return cursor.retryCount > 0 ? StuckPartition.Reason.RETRYING : null;
  }

  @Override
  public List<Dropped> dropped(@Nullable String queue, int limit, StoreCall call) {
    synchronized (data) {
      List<MemoryStreamData.Drop> newest = new ArrayList<>(data.drops);
      Collections.reverse(newest);
      return newest.stream()
          .filter(drop -> queue == null || drop.queue().name.equals(queue))
          .map(MemoryStreamData.Drop::dropped)
          .limit(limit)
          .toList();
    }
  }

  @Override
  public Explanation explain(CursorKey cursor, StoreCall call) {
    synchronized (data) {
      MemoryStream queue = data.get(cursor.queue());
      MemoryPartitionLog log = queue.partition(cursor.partition());
      boolean isPaused = data.paused.pop() || queue.paused.pop();
      return new MemoryExplanation(cursor, log, data.now()).explain(isPaused);
    }
  }

  @Override
  public Optional<PartitionInfo> partition(UUID partitionId, StoreCall call) {
    synchronized (data) {
      return Optional.ofNullable(data.partition(partitionId)).map(MemoryPartitionLog::info);
    }
  }

  @Override
  public List<PartitionInfo> partitions(
      String queue, @Nullable String name, @Nullable String after, int limit, StoreCall call) {
    synchronized (data) {
      return data.selected(queue).stream()
          .flatMap(found -> found.partitions.values().stream())
          .filter(log -> name == null || log.name.equals(name))
          .filter(log -> after == null || MemoryLockAdmin.BYTES.compare(log.name, after) > 0)
          .limit(limit)
          .map(MemoryPartitionLog::info)
          .toList();
    }
  }

  @Override
  public List<QueueFigures> figures(@Nullable String queue, StoreCall call) {
    synchronized (data) {
      return data.selected(queue).stream().map(MemoryStream::figures).toList();
    }
  }

  @Override
  public Tally tally(String queue, String group, StoreCall call) {
    synchronized (data) {
      MemoryStream stream = data.get(queue);
      MemoryGroup found = stream.group(group);
      return new Tally(stream.pushed(), found.passed(), found.expired, found.lost);
    }
  }
}
