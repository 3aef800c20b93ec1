package io.holdfast.queue;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Which partition a call goes to: producers fill the emptiest, leases draw from the fullest, and a
 * failed one is avoided. A wrong estimate costs a statement and never starves anybody. Guarded by
 * the lock of its queue.
 */
final class PartitionChoice {
  private static final Comparator<LivePartition> ORDER =
      Comparator.<LivePartition>comparingInt(p -> p.failures)
          .thenComparingLong(LivePartition::estimate);

  private final List<LivePartition> order = new ArrayList<>();

  void add(LivePartition partition) {
    order.add(partition);
  }

  /** The emptiest healthy one that suits. */
  @Nullable LivePartition forProduce(Predicate<LivePartition> suits) {
    order.sort(ORDER);
    for (LivePartition partition : order) {
      if (partition.isHealthy() && suits.test(partition)) {
        return partition;
      }
    }
    return null;
  }

  /** The fullest healthy one that suits. */
  @Nullable LivePartition forLease(Predicate<LivePartition> suits) {
    order.sort(ORDER);
    for (int i = order.size() - 1; i >= 0; i--) {
      LivePartition partition = order.get(i);
      if (partition.isHealthy() && suits.test(partition)) {
        return partition;
      }
    }
    return null;
  }
}
