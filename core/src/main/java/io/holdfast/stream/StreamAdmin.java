package io.holdfast.stream;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** For operators of streams. Safe for use by many threads. */
public interface StreamAdmin {
  /** The queue of this name. */
  Optional<StreamInfo> find(String queue);

  /** Queues by name, behind {@code after}. */
  List<StreamInfo> list(@Nullable String after, int limit);

  /** The names of a queue's partitions behind {@code after}. */
  List<String> partitions(String queue, @Nullable String after, int limit);

  /** Refuses pushes to a queue, or with null to all, with {@code PAUSED}. */
  void pausePush(@Nullable String queue);

  /**
   * Takes pushes to a queue, or with null to all, and puts them by until {@link #resumePush};
   * transactions are refused with {@code PAUSED}.
   */
  void holdPush(@Nullable String queue);

  /** How many messages are put by, for a queue or with null for all. */
  long held(@Nullable String queue);

  /** Allows pushes again; what was put by is stored first, in order. */
  void resumePush(@Nullable String queue);

  /**
   * Delivers nothing of a queue, or with null nothing at all: no pop that begins after this has
   * returned gets anything. Leases go on.
   */
  void pausePop(@Nullable String queue);

  /** Delivers again. */
  void resumePop(@Nullable String queue);

  /** Whether everything is paused. */
  StreamInfo.Paused pausedAll();

  /** Puts a group's cursors: in one partition, or with null in all. Answers how many moved. */
  int seek(String queue, String group, @Nullable String partition, Position to);

  /** Forgets a group: it starts anew, or with {@code isKeepingStart} where it once started. */
  int deleteGroup(String group, @Nullable String queue, boolean isKeepingStart);

  /** Changes where the group starts in partitions it has not seen. */
  int startGroupAt(String group, Instant at);

  /** The groups of a queue, or with null of all. */
  List<GroupInfo> groups(@Nullable String queue);

  /** Where groups are in the partitions of a queue. */
  List<CursorInfo> cursors(
      String queue, @Nullable String group, @Nullable CursorKey after, int limit);

  /** Stops delivery of a partition to a group; pushes and other partitions go on. */
  void park(CursorKey cursor, String reason);

  /** Delivers again, with a fresh budget; or skips the head, which becomes a dead letter. */
  boolean unpark(CursorKey cursor, boolean isSkippingHead);

  /** Takes a lease away from whoever holds it, free of charge. */
  boolean revoke(CursorKey cursor, @Nullable Long fence);
}
