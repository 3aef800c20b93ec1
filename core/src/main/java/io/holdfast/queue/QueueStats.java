package io.holdfast.queue;

import java.time.Duration;
import java.util.List;

/**
 * What a queue has and what this process is doing with it.
 *
 * @param produceWaiting produces not yet sent to the store
 * @param leaseWaiting leases that wait for items
 * @param completeWaiting completes not yet sent to the store
 * @param inFlight calls the store is working on
 */
public record QueueStats(
    int produceWaiting,
    int leaseWaiting,
    int completeWaiting,
    int inFlight,
    List<PartitionStats> partitions) {

  /**
   * One partition.
   *
   * @param failures how often it failed in a row, in this process
   */
  public record PartitionStats(int partition, ItemCounts counts, int failures) {}

  /**
   * Items by state.
   *
   * @param total ready and leased ones
   * @param leased those somebody holds
   * @param scheduled those not yet due, not part of {@code total}
   * @param averageAge mean time since the insert, over {@code total}
   * @param averageLeaseLeft mean time that leases still have, never negative
   */
  public record ItemCounts(
      long total, long leased, long scheduled, Duration averageAge, Duration averageLeaseLeft) {}
}
