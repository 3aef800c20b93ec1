package io.holdfast.queue;

import io.holdfast.lease.Timers;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * A lease that has not been answered. It is done as soon as its future is, whoever completed that:
 * the desk, the clock, or the caller by cancelling.
 */
final class WaitingLease {
  final String clientId;
  final int batch;
  final long askedNanos;
  final CompletableFuture<LeasedItems> future = new CompletableFuture<>();
  final List<LeasedItem> dealt = new ArrayList<>();
  Timers.@Nullable Timer timer;

  /** Whether it takes a place among the requests that wait to be sent. */
  boolean inRoom;

  /** Whether it has found nothing before, and waited. */
  boolean hasWaited;

  /** The partition it is assigned to until its claim begins. */
  @Nullable LivePartition assignedTo;

  /** What it was assumed to take from that partition. */
  long assumed;

  /** Per partition, how many events had happened when it was last tried there. */
  private long[] seen = {};

  WaitingLease(LeaseRequest request, long askedNanos) {
    this.clientId = request.clientId();
    this.batch = request.batchSize();
    this.askedNanos = askedNanos;
  }

  /** Whether something may have become leasable there since this lease was tried there. */
  boolean mayFindIn(LivePartition partition) {
    return partition.number >= seen.length || seen[partition.number] <= partition.events;
  }

  /** Notes that it is being tried there; only later events count. */
  void triedIn(LivePartition partition) {
    if (partition.number >= seen.length) {
      seen = Arrays.copyOf(seen, partition.number + 1);
    }
    seen[partition.number] = partition.events + 1;
  }

  boolean isDone() {
    return future.isDone();
  }
}
