package io.holdfast.client.queue;

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
import io.holdfast.queue.NewQueue;
import io.holdfast.queue.PartitionInfo;
import io.holdfast.queue.Pause;
import io.holdfast.queue.QueueException;
import io.holdfast.queue.QueueInfo;
import io.holdfast.queue.QueueSettings;
import io.holdfast.queue.QueueStats;
import io.holdfast.queue.QueueUpdate;
import io.holdfast.queue.Retry;
import io.holdfast.queue.StoredItem;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Between the values of queues and the messages of the wire, as a client needs them. */
final class Values {
  private static final Instant NO_DEADLINE = Instant.parse("0001-01-01T00:00:00Z");

  private Values() {}

  static QueueProduceItem message(NewItem item) {
    Content content = item.content();
    return new QueueProduceItem(
        content.encoding(),
        content.kind(),
        content.reference(),
        item.enqueueAt(),
        content.payload(),
        "");
  }

  static QueueRetryItem message(Retry item) {
    return new QueueRetryItem(item.id(), item.retryAt(), item.dead());
  }

  static QueueInfoMessage message(NewQueue queue) {
    return info(
        queue.name(),
        new QueueUpdate(
            queue.leaseTimeout(),
            queue.expireTimeout(),
            queue.deadQueue(),
            queue.maxAttempts(),
            queue.reference(),
            queue.partitions()),
        queue.namespace());
  }

  static QueueInfoMessage message(String name, QueueUpdate update) {
    return info(name, update, "");
  }

  private static QueueInfoMessage info(String name, QueueUpdate settings, String namespace) {
    return new QueueInfoMessage(
        name,
        null,
        null,
        settings.deadQueue(),
        settings.reference(),
        text(settings.leaseTimeout()),
        text(settings.expireTimeout()),
        settings.maxAttempts(),
        Objects.requireNonNullElse(settings.partitions(), 0),
        List.of(),
        namespace,
        "",
        0);
  }

  static String text(@Nullable Duration duration) {
    return duration == null ? "" : GoDuration.format(duration);
  }

  static Duration duration(String text) {
    return GoDuration.parse(text)
        .orElseThrow(() -> QueueException.internal("the answer has a duration that is none", null));
  }

  static LeasedItems leased(QueueLeaseReply reply, long askedNanos) {
    Duration waited = reply.waited().isEmpty() ? Duration.ZERO : duration(reply.waited());
    return new LeasedItems(
        reply.partition(),
        reply.items().stream().map(Values::leased).toList(),
        askedNanos + waited.toNanos(),
        waited);
  }

  private static LeasedItem leased(QueueLeaseItem item) {
    return new LeasedItem(
        item.id(),
        item.attempts(),
        Objects.requireNonNullElse(item.leaseDeadline(), NO_DEADLINE),
        new Content(item.bytes(), item.reference(), item.encoding(), item.kind()));
  }

  static QueueInfo info(QueueInfoMessage message) {
    return new QueueInfo(
        message.queueName(),
        message.namespace(),
        new QueueSettings(
            duration(message.leaseTimeout()),
            duration(message.expireTimeout()),
            Objects.requireNonNullElse(message.deadQueue(), ""),
            Objects.requireNonNullElse(message.maxAttempts(), 0),
            Objects.requireNonNullElse(message.reference(), ""),
            message.requestedPartitions()),
        message.partitions().stream().map(Values::partition).toList(),
        Pause.of(message.paused()),
        Objects.requireNonNullElse(message.createdAt(), Instant.EPOCH),
        Objects.requireNonNullElse(message.updatedAt(), Instant.EPOCH),
        message.version());
  }

  private static PartitionInfo partition(QueuePartitionInfo message) {
    return new PartitionInfo(message.partition(), message.storage(), message.readOnly());
  }

  static QueueStats stats(QueueStatsReply reply) {
    LogicalQueueStats stats = reply.logicalQueues().get(0);
    return new QueueStats(
        stats.produceWaiting(),
        stats.leaseWaiting(),
        stats.completeWaiting(),
        stats.inFlight(),
        stats.partitions().stream().map(Values::stats).toList());
  }

  private static QueueStats.PartitionStats stats(QueuePartitionStats stats) {
    return new QueueStats.PartitionStats(
        stats.partition(),
        new QueueStats.ItemCounts(
            stats.total(),
            stats.totalLeased(),
            stats.scheduled(),
            duration(stats.averageAge()),
            duration(stats.averageLeasedAge())),
        stats.failures());
  }

  static StorageItem message(StoredItem item) {
    StoredItem.Times times = item.times();
    Content content = item.content();
    return new StorageItem(
        item.id(),
        item.origin().sourceId(),
        item.isLeased(),
        times.leaseDeadline(),
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

  static StoredItem stored(StorageItem item) {
    Instant deadline = NO_DEADLINE.equals(item.leaseDeadline()) ? null : item.leaseDeadline();
    return new StoredItem(
        item.id(),
        item.isLeased(),
        item.attempts(),
        item.maxAttempts(),
        new StoredItem.Times(item.createdAt(), item.enqueueAt(), deadline, item.expireDeadline()),
        new StoredItem.Origin(item.sourceId(), item.sourceQueue(), item.deadReason()),
        new Content(item.payload(), item.reference(), item.encoding(), item.kind()));
  }
}
