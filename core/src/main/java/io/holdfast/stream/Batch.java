package io.holdfast.stream;

import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The messages of one claimed partition, in order.
 *
 * @param lease under which they are held; null with auto-ack
 */
public record Batch(
    String partition, UUID partitionId, @Nullable Held lease, List<Delivery> deliveries) {

  /**
   * A partition that is held.
   *
   * @param id shared by all partitions of one pop
   * @param fence grows with every claim of this partition by this group
   */
  public record Held(UUID id, long fence, Instant expiresAt) {}
}
