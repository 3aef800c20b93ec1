package io.holdfast.client.queue;

import io.holdfast.client.proto.Field;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Everything that is said about queues over HTTP. Fields up to 99 are those of Querator, whose
 * clients are served unchanged; those from 100 on are ours.
 */
public final class QueueMessages {
  /** The header by which a client asks for extensions, with the value 1. */
  public static final String EXTENSIONS = "Holdfast-Extensions";

  private QueueMessages() {}

  /** What came of a call that has nothing else to say. */
  public record QueueReply(
      @Field(1) int code,
      @Field(2) String codeText,
      @Field(3) String message,
      @Field(4) Map<String, String> details) {
    /** Done. */
    public static final QueueReply DONE = new QueueReply(200, "", "", Map.of());
  }

  /** A queue, and nothing else. */
  public record QueueNamed(@Field(1) String queueName) {}

  /** Items to append. */
  public record QueueProduceRequest(
      @Field(1) String queueName,
      @Field(2) String requestTimeout,
      @Field(3) List<QueueProduceItem> items,
      @Field(100) boolean returnIds) {}

  /** An item to append; its payload is {@code bytes}, or else {@code utf8}. */
  public record QueueProduceItem(
      @Field(1) String encoding,
      @Field(2) String kind,
      @Field(3) String reference,
      @Field(4) @Nullable Instant enqueueAt,
      @Field(5) byte[] bytes,
      @Field(6) String utf8) {}

  /** Where items went. */
  public record QueueProduceReply(
      @Field(1) int code, @Field(100) int partition, @Field(101) List<String> ids) {}

  /** A wish for items. */
  public record QueueLeaseRequest(
      @Field(1) String queueName,
      @Field(2) int batchSize,
      @Field(3) String clientId,
      @Field(4) String requestTimeout) {}

  /** Leased items, all of one partition; the request had waited so long when they were leased. */
  public record QueueLeaseReply(
      @Field(1) String queueName,
      @Field(2) int partition,
      @Field(3) List<QueueLeaseItem> items,
      @Field(100) String waited) {}

  /** A leased item. */
  public record QueueLeaseItem(
      @Field(1) String encoding,
      @Field(2) String kind,
      @Field(3) String reference,
      @Field(4) String id,
      @Field(5) int attempts,
      @Field(6) @Nullable Instant leaseDeadline,
      @Field(7) byte[] bytes) {}

  /** A client that does not wait for items any more. */
  public record QueueLeaveRequest(@Field(1) String queueName, @Field(2) String clientId) {}

  /** Leased items that were dealt with. */
  public record QueueCompleteRequest(
      @Field(1) String queueName,
      @Field(2) int partition,
      @Field(3) String requestTimeout,
      @Field(4) List<String> ids) {}

  /** Leased items to try again. */
  public record QueueRetryRequest(
      @Field(1) String queueName, @Field(2) int partition, @Field(3) List<QueueRetryItem> items) {}

  /** A leased item to try again. */
  public record QueueRetryItem(
      @Field(1) String id, @Field(2) @Nullable Instant retryAt, @Field(3) boolean dead) {}

  /** Leased items that need more time. */
  public record QueueExtendRequest(
      @Field(1) String queueName,
      @Field(2) int partition,
      @Field(3) String leaseTimeout,
      @Field(4) List<String> ids) {}

  /** Until when they have it. */
  public record QueueExtendReply(@Field(1) Instant leaseDeadline) {}

  /** Leased items that nobody has looked at; their ids change if somebody may have. */
  public record QueueHandBackRequest(
      @Field(1) String queueName,
      @Field(2) int partition,
      @Field(3) List<String> ids,
      @Field(4) boolean known) {}

  /** Stored items to delete. */
  public record QueueIdsRequest(
      @Field(1) String queueName, @Field(2) int partition, @Field(3) List<String> ids) {}

  /** What to remove. */
  public record QueueClearRequest(
      @Field(1) String queueName,
      @Field(3) boolean scheduled,
      @Field(4) boolean queue,
      @Field(5) boolean destructive) {}

  /** What to hold back; {@code lease} if it does not say. */
  public record QueuePauseRequest(@Field(1) String queueName, @Field(2) String scope) {}

  /** How many dead items to return to where they came from. */
  public record QueueRedriveRequest(@Field(1) String queueName, @Field(2) int limit) {}

  /** How many went, and how many had nowhere to go. */
  public record QueueRedriveReply(
      @Field(1) int code, @Field(100) int moved, @Field(101) int skipped) {}

  /** Figures of a queue. */
  public record QueueStatsReply(
      @Field(1) String queueName,
      @Field(value = 2, name = "logicalQueues") List<LogicalQueueStats> logicalQueues) {}

  /** What a server is doing with a queue, and what is in it. */
  public record LogicalQueueStats(
      @Field(6) int produceWaiting,
      @Field(7) int leaseWaiting,
      @Field(8) int completeWaiting,
      @Field(10) int inFlight,
      @Field(11) List<QueuePartitionStats> partitions) {}

  /** What is in a partition; ages are durations. */
  public record QueuePartitionStats(
      @Field(1) int partition,
      @Field(2) int total,
      @Field(3) int totalLeased,
      @Field(4) int failures,
      @Field(5) String averageAge,
      @Field(6) String averageLeasedAge,
      @Field(7) int scheduled) {}

  /** A queue and its settings. */
  public record QueueInfoMessage(
      @Field(1) String queueName,
      @Field(2) @Nullable Instant createdAt,
      @Field(3) @Nullable Instant updatedAt,
      @Field(4) @Nullable String deadQueue,
      @Field(5) @Nullable String reference,
      @Field(6) String leaseTimeout,
      @Field(7) String expireTimeout,
      @Field(8) @Nullable Integer maxAttempts,
      @Field(9) int requestedPartitions,
      @Field(10) List<QueuePartitionInfo> partitions,
      @Field(11) String namespace,
      @Field(100) String paused,
      @Field(101) long version) {}

  /** A partition of a queue. */
  public record QueuePartitionInfo(
      @Field(1) int partition, @Field(100) String storage, @Field(101) boolean readOnly) {}

  /** The queue after a change. */
  public record QueueChangedReply(@Field(1) int code, @Field(100) QueueInfoMessage queue) {}

  /** A queue to delete. */
  public record QueueDeleteRequest(@Field(1) String queueName, @Field(2) boolean force) {}

  /** Which queues to list. */
  public record QueuesListRequest(
      @Field(2) String pivot, @Field(3) int limit, @Field(4) @Nullable String namespace) {}

  /** Queues in the order of their names. */
  public record QueuesListReply(@Field(1) List<QueueInfoMessage> items) {}

  /** Which items to list. */
  public record StorageListRequest(
      @Field(1) String queueName,
      @Field(2) int partition,
      @Field(3) String pivot,
      @Field(4) int limit) {}

  /** Items in the order of their ids. */
  public record StorageListReply(@Field(1) List<StorageItem> items) {}

  /** Items to insert as they are. */
  public record StorageImportRequest(
      @Field(1) String queueName, @Field(2) int partition, @Field(3) List<StorageItem> items) {}

  /** The items as they are stored. */
  public record StorageImportReply(@Field(2) List<StorageItem> items) {}

  /** A stored item in any state. */
  public record StorageItem(
      @Field(1) String id,
      @Field(2) @Nullable String sourceId,
      @Field(3) boolean isLeased,
      @Field(4) @Nullable Instant leaseDeadline,
      @Field(5) @Nullable Instant expireDeadline,
      @Field(6) @Nullable Instant deadDeadline,
      @Field(7) @Nullable Instant createdAt,
      @Field(8) @Nullable Instant updatedAt,
      @Field(9) @Nullable Instant enqueueAt,
      @Field(10) int attempts,
      @Field(11) int maxAttempts,
      @Field(12) String reference,
      @Field(13) String encoding,
      @Field(14) String kind,
      @Field(15) byte[] payload,
      @Field(100) String sourceQueue,
      @Field(101) String deadReason) {}
}
