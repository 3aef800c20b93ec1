package io.holdfast.queue;

import io.holdfast.lease.StoreCall;
import java.util.List;

/** Opens partitions, and looks at many at once. Safe for use by many threads. */
public interface PartitionStore {
  /** A partition of {@code queue}. Does no I/O and never fails. */
  Partition open(QueueInfo queue, PartitionInfo partition);

  /**
   * When something is due next in each of these, in their order; at most 50, in one statement. A
   * partition that was never used has nothing due.
   */
  List<ItemLifecycle.Info> lifecycleInfo(List<Partition> partitions, StoreCall call);

  /** Which of these have an item that could be leased, in their order; at most 50, at once. */
  List<Boolean> probe(List<Partition> partitions, StoreCall call);
}
