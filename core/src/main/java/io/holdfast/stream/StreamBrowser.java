package io.holdfast.stream;

import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Looking at messages, and at how it goes. A null queue stands for all. */
public interface StreamBrowser {
  /**
   * A page of messages, newest first. Large ones make it short (16 MiB of payloads, at least one
   * message): the end is where a page is empty.
   */
  List<StoredMessage> messages(MessageQuery query);

  /** The message of this transaction id in a partition. */
  Optional<StoredMessage> message(UUID partitionId, String transactionId);

  /** The messages of this transaction id in any partition of a queue. */
  List<StoredMessage> find(String queue, String transactionId);

  /** The first messages of a trace in all queues, oldest first: 1000, or 16 MiB of payloads. */
  List<StoredMessage> byTrace(UUID traceId);

  /** Deletes a message, which leaves a gap. */
  boolean delete(UUID partitionId, String transactionId);

  /** Notes something about a message; empty if there is no such message. */
  Optional<Trace> record(UUID partitionId, String transactionId, Trace.Note note);

  /** What was noted about a message. */
  List<Trace> traces(UUID partitionId, String transactionId);

  /** What was noted under a name, newest first. */
  List<Trace> tracesNamed(String name, int limit);

  /** The names that notes were made under, the one used last first. */
  List<TraceName> traceNames(int limit);

  /** The partition with this id. */
  Optional<PartitionInfo> partition(UUID partitionId);

  /** The partition of this name. */
  Optional<PartitionInfo> partition(String queue, String name);

  /** The partitions of a queue by name, behind {@code after}. */
  List<PartitionInfo> partitions(String queue, @Nullable String after, int limit);

  /** How large queues are. */
  List<QueueFigures> figures(@Nullable String queue);

  /** How much waits in a queue. */
  Depth depth(String queue);

  /** How much waits. */
  List<Depth> depths();

  /** What is held now. */
  List<ActiveLease> leases(@Nullable String queue);

  /** How many partitions are held now. */
  List<Utilization> utilization(@Nullable String queue);

  /** Partitions that somebody should look at. */
  List<StuckPartition> stuck(@Nullable String queue);

  /** What was dropped, newest first. */
  List<Dropped> dropped(@Nullable String queue, int limit);

  /** Why a partition is or is not delivered to a group. */
  Explanation explain(CursorKey cursor);

  /** What became of everything that a group was to get. */
  StreamMonitor.Tally tally(String queue, String group);
}
