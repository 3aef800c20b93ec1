package io.holdfast.stream;

import io.holdfast.lease.StoreCall;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Store role: consumer groups and where they are. Arguments have been checked. */
public interface StreamGroups {
  /**
   * Gives the group cursors in some partitions where it has none, at most a thousand; true when
   * none is left, or there is no such group.
   */
  boolean seed(String queue, String group, StoreCall call);

  /**
   * Puts cursors at {@code to}: of one partition, or with null of all, also of those that the group
   * has no cursor in yet. Takes leases away, and clears marks and budgets. Answers how many moved.
   */
  int seek(String queue, String group, @Nullable String partition, Position to, StoreCall call);

  /**
   * Forgets where the group is, in one queue or with null in all: its leases are lost and its name
   * is free at once. With {@code isKeepingStart} its next pop starts where it started first.
   * Answers how many cursors that concerns.
   */
  int delete(String group, @Nullable String queue, boolean isKeepingStart, StoreCall call);

  /**
   * Changes where the group starts in partitions it has no cursor in. Answers in how many queues.
   */
  int startAt(String group, Instant at, StoreCall call);

  /** The groups of a queue, or with null of all, by queue and name. */
  List<GroupInfo> list(@Nullable String queue, StoreCall call);

  /** Cursors of a group, or with null of all groups, in a queue, by partition and group. */
  List<CursorInfo> cursors(
      String queue, @Nullable String group, @Nullable CursorKey after, int limit, StoreCall call);
}
