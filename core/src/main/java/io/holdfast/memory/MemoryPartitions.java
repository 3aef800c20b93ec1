package io.holdfast.memory;

import io.holdfast.lease.StoreCall;
import io.holdfast.queue.IdSuffixes;
import io.holdfast.queue.ItemLifecycle;
import io.holdfast.queue.Partition;
import io.holdfast.queue.PartitionInfo;
import io.holdfast.queue.PartitionStore;
import io.holdfast.queue.QueueInfo;
import java.util.List;
import java.util.function.Function;

/** The partitions of {@link MemoryQueues} as one process sees them, with ids of its own. */
final class MemoryPartitions implements PartitionStore {
  private final MemoryQueues data;
  private final IdSuffixes suffixes = new IdSuffixes();

  MemoryPartitions(MemoryQueues data) {
    this.data = data;
  }

  @Override
  public Partition open(QueueInfo queue, PartitionInfo partition) {
    return new MemoryPartition(data, suffixes, queue, partition);
  }

  @Override
  public List<ItemLifecycle.Info> lifecycleInfo(List<Partition> partitions, StoreCall call) {
    return each(partitions, part -> part.lifecycleInfo(call), ItemLifecycle.Info.NOTHING);
  }

  @Override
  public List<Boolean> probe(List<Partition> partitions, StoreCall call) {
    return each(partitions, MemoryPartition::hasLeasable, false);
  }

  /** In one step for all; where the queue is gone there is nothing to see. */
  private <T> List<T> each(
      List<Partition> partitions, Function<MemoryPartition, T> look, T nothing) {
    synchronized (data) {
      return partitions.stream()
          .map(MemoryPartition.class::cast)
          .map(part -> data.byName.containsKey(part.queue().name()) ? look.apply(part) : nothing)
          .toList();
    }
  }
}
