package io.holdfast.stream;

import io.holdfast.lease.StoreCall;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Store role: every way a cursor changes hands or moves on. Arguments have been checked. */
public interface StreamLeases {
  /**
   * Claims for each request in turn; a later one does not get what an earlier one got. A request's
   * {@code timeout} means nothing here. Payloads come as they are stored.
   */
  List<PopAnswer> pop(List<PopRequest> requests, StoreCall call);

  /** Takes verdicts; those about one partition and group count together. Answers in order. */
  AckAnswer ack(List<Ack> acks, StoreCall call);

  /** The same as {@link #ack} and then {@link #pop}, in one commit. */
  AckPopAnswer ackAndPop(List<Ack> acks, List<PopRequest> requests, StoreCall call);

  /** Makes leases last at least that long from now; never shorter. Answers in order. */
  List<Extended> extend(List<Extension> extensions, StoreCall call);

  /**
   * Returns what is unsettled, at once and free of charge: of one partition, or with null of all
   * that the lease holds. Answers how many partitions it gave back; 0: the lease is lost.
   */
  Returned release(UUID leaseId, @Nullable UUID partitionId, StoreCall call);

  /** Takes a lease away, if there is one and it has this fence or null is given. */
  boolean revoke(CursorKey cursor, @Nullable Long fence, StoreCall call);

  /** Stops delivery, and takes a lease away. Fails if there is no such cursor. */
  void park(CursorKey cursor, String reason, StoreCall call);

  /**
   * Goes on: with the head and a fresh budget, or behind the head, which becomes a dead letter.
   * Answers whether it was parked. Fails if there is no such cursor.
   */
  boolean unpark(CursorKey cursor, boolean isSkippingHead, StoreCall call);

  /**
   * What a claim brought.
   *
   * @param nextIn when nothing came: how long until something may be ready; null: not known
   * @param isSeeding when nothing came: whether the group has no cursors yet in some partitions
   */
  record PopAnswer(Popped popped, @Nullable Duration nextIn, boolean isSeeding) {}

  /**
   * What became of verdicts.
   *
   * @param ready cursors that can be claimed now, or soon: partitions that were released
   */
  record AckAnswer(List<Acked> acked, List<Ready> ready) {}

  /** What became of verdicts, and what came next. */
  record AckPopAnswer(AckAnswer acks, List<PopAnswer> pops) {}

  /** What became of a release. */
  record Returned(int partitions, List<Ready> ready) {}

  /**
   * Something a group may claim.
   *
   * @param in how long until then
   */
  record Ready(String queue, String group, Duration in) {}

  /** A lease and how long it shall last from now. */
  record Extension(UUID leaseId, Duration by) {}
}
