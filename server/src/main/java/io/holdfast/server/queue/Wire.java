package io.holdfast.server.queue;

import io.holdfast.client.proto.GoDuration;
import io.holdfast.client.queue.QueueMessages.LogicalQueueStats;
import io.holdfast.client.queue.QueueMessages.QueueInfoMessage;
import io.holdfast.client.queue.QueueMessages.QueueLeaseItem;
import io.holdfast.client.queue.QueueMessages.QueueLeaseReply;
import io.holdfast.client.queue.QueueMessages.QueuePartitionInfo;
import io.holdfast.client.queue.QueueMessages.QueuePartitionStats;
import io.holdfast.client.queue.QueueMessages.QueueProduceItem;
import io.holdfast.client.queue.QueueMessages.QueueRetryItem;
import io.holdfast.client.queue.QueueMessages.QueueStatsReply;
import io.holdfast.client.queue.QueueMessages.StorageItem;
import io.holdfast.queue.Content;
import io.holdfast.queue.LeasedItem;
import io.holdfast.queue.LeasedItems;
import io.holdfast.queue.NewItem;
import io.holdfast.queue.PartitionInfo;
import io.holdfast.queue.QueueInfo;
import io.holdfast.queue.QueueSettings;
import io.holdfast.queue.QueueStats;
import io.holdfast.queue.Retry;
import io.holdfast.queue.StoredItem;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Between the messages of the wire and the values of queues. */
final class Wire {
  /** What stands for no instant where the wire always has one. */
  private static final Instant NONE = Instant.parse("0001-01-01T00:00:00Z");

  private static final Instant AFTER_NONE = Instant.parse("0002-01-01T00:00:00Z");

  private Wire() {}

  static NewItem item(QueueProduceItem item) {
    byte[] payload =
        item.bytes().length > 0 ? item.bytes() : item.utf8().getBytes(StandardCharsets.UTF_8);
    return new NewItem(
        new Content(payload, item.reference(), item.encoding(), item.kind()), item.enqueueAt());
  }

  static Retry retry(QueueRetryItem item) {
    return new Retry(item.id(), item.retryAt(), item.dead());
  }

  static QueueLeaseReply leased(String queue, LeasedItems leased) {
    return new QueueLeaseReply(
        queue,
        leased.partition(),
        leased.items().stream().map(Wire::leased).toList(),
        GoDuration.format(leased.waited()));
  }

  private static QueueLeaseItem leased(LeasedItem item) {
    Content content = item.content();
    return new QueueLeaseItem(
        content.encoding(),
        content.kind(),
        content.reference(),
        item.id(),
        item.attempts(),
        item.leaseDeadline(),
        content.payload());
  }

  static QueueInfoMessage info(QueueInfo info) {
    QueueSettings settings = info.settings();
    return new QueueInfoMessage(
        info.name(),
        info.createdAt(),
        info.updatedAt(),
        settings.deadQueue().isEmpty() ? null : settings.deadQueue(),
        settings.reference().isEmpty() ? null : settings.reference(),
        GoDuration.format(settings.leaseTimeout()),
        GoDuration.format(settings.expireTimeout()),
        settings.maxAttempts() == 0 ? null : settings.maxAttempts(),
        settings.requestedPartitions(),
        info.partitions().stream().map(Wire::partition).toList(),
        info.namespace(),
        info.paused().text(),
        info.version());
  }

  private static QueuePartitionInfo partition(PartitionInfo partition) {
    return new QueuePartitionInfo(partition.number(), partition.storage(), partition.readOnly());
  }

  static QueueStatsReply stats(String queue, QueueStats stats) {
    return new QueueStatsReply(
        queue,
        List.of(
            new LogicalQueueStats(
                stats.produceWaiting(),
                stats.leaseWaiting(),
                stats.completeWaiting(),
                stats.inFlight(),
                stats.partitions().stream()
                    .sorted(Comparator.comparingInt(QueueStats.PartitionStats::partition))
                    .map(Wire::stats)
                    .toList())));
  }

  private static QueuePartitionStats stats(QueueStats.PartitionStats stats) {
    QueueStats.ItemCounts counts = stats.counts();
    return new QueuePartitionStats(
        stats.partition(),
        saturated(counts.total()),
        saturated(counts.leased()),
        stats.failures(),
        GoDuration.format(counts.averageAge()),
        GoDuration.format(counts.averageLeaseLeft()),
        saturated(counts.scheduled()));
  }

  static int saturated(long count) {
    return (int) Math.min(Integer.MAX_VALUE, count);
  }

  static StorageItem stored(StoredItem item) {
    StoredItem.Times times = item.times();
    Content content = item.content();
    return new StorageItem(
        item.id(),
        item.origin().sourceId(),
        item.isLeased(),
        times.leaseDeadline() == null ? NONE : times.leaseDeadline(),
        times.expireDeadline(),
        null,
        times.createdAt(),
        null,
        times.enqueueAt(),
        item.attempts(),
        item.maxAttempts(),
        content.reference(),
        content.encoding(),
        content.kind(),
        content.payload(),
        item.origin().sourceQueue(),
        item.origin().deadReason());
  }

  /** An item to import; the year 1 is what Go has for no time at all. */
  static StoredItem stored(StorageItem item) {
    Instant leaseDeadline =
        Instant.EPOCH.equals(item.leaseDeadline()) ? null : item.leaseDeadline();
    String source = item.sourceId();
    return new StoredItem(
        item.id(),
        item.isLeased(),
        item.attempts(),
        item.maxAttempts(),
        new StoredItem.Times(
            null, given(item.enqueueAt()), given(leaseDeadline), given(item.expireDeadline())),
        new StoredItem.Origin(
            source == null || source.isEmpty() ? null : source,
            item.sourceQueue(),
            item.deadReason()),
        new Content(item.payload(), item.reference(), item.encoding(), item.kind()));
  }

  private static @Nullable Instant given(@Nullable Instant time) {
    boolean isNone = time != null && !time.isBefore(NONE) && time.isBefore(AFTER_NONE);
    return isNone ? null : time;
  }
}
