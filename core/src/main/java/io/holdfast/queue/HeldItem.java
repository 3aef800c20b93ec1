package io.holdfast.queue;

import io.holdfast.lease.KeptLease;
import io.holdfast.lease.Trust;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** An item that a consumer leased and has not settled. */
final class HeldItem implements Delivery {
  final String queue;
  final int partition;
  final LeasedItem item;
  private final Trust trust;
  private final Duration ttl;
  private final long claimedNanos;

  /** What renews it; null for a lease too short to be renewed. */
  @Nullable KeptLease kept;

  HeldItem(String queue, LeasedItems from, LeasedItem item, Trust trust, Duration ttl) {
    this.queue = queue;
    this.partition = from.partition();
    this.item = item;
    this.trust = trust;
    this.ttl = ttl;
    this.claimedNanos = from.claimedNanos();
  }

  @Override
  public String queue() {
    return queue;
  }

  @Override
  public int partition() {
    return partition;
  }

  @Override
  public LeasedItem item() {
    return item;
  }

  @Override
  public boolean isHeld() {
    KeptLease lease = kept;
    return lease == null ? trust.holds() : lease.isHeld();
  }

  /** The moment {@code delay} from now, on the clock that set the lease's deadline. */
  Instant databaseTimeIn(Duration delay, long nowNanos) {
    return item.leaseDeadline().minus(ttl).plusNanos(nowNanos - claimedNanos).plus(delay);
  }
}
