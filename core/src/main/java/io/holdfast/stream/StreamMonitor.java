package io.holdfast.stream;

import io.holdfast.lease.StoreCall;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Store role: how it goes. A null queue stands for all. Arguments have been checked. */
public interface StreamMonitor {
  /** How much waits; fails if there is no such queue. */
  List<Depth> depths(@Nullable String queue, StoreCall call);

  /** What is held now, the lease that ends first first. */
  List<ActiveLease> leases(@Nullable String queue, StoreCall call);

  /** How many partitions are held now, by queue. */
  List<Utilization> utilization(@Nullable String queue, StoreCall call);

  /** Partitions that somebody should look at. */
  List<StuckPartition> stuck(@Nullable String queue, StoreCall call);

  /** What was dropped, newest first, at most {@code limit}. */
  List<Dropped> dropped(@Nullable String queue, int limit, StoreCall call);

  /** Why a partition is or is not delivered; fails if there is no such queue or partition. */
  Explanation explain(CursorKey cursor, StoreCall call);

  /** The partition with this id. */
  Optional<PartitionInfo> partition(UUID partitionId, StoreCall call);

  /** A queue's partitions by name, byte by byte, behind {@code after}; or only the one named. */
  List<PartitionInfo> partitions(
      String queue, @Nullable String name, @Nullable String after, int limit, StoreCall call);

  /** How large queues are, by name. */
  List<QueueFigures> figures(@Nullable String queue, StoreCall call);

  /** What became of everything that a group of a queue was to get. */
  Tally tally(String queue, String group, StoreCall call);

  /**
   * Sums over all partitions, which always add up: {@code pushed = passed + pending}, and {@code
   * passed = completed + dead + dropped} as far as nobody sought.
   *
   * @param pushed offsets that were ever given
   * @param passed offsets before the group's cursors
   * @param expired of those passed: too old to be delivered
   * @param lost of those passed: dropped by retention before the group had read them
   */
  record Tally(long pushed, long passed, long expired, long lost) {
    /** Not passed yet. */
    public long pending() {
      return pushed - passed;
    }
  }
}
