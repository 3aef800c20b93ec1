package io.holdfast.queue;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * An item as it is stored, in any state. Instants are exact to the microsecond.
 *
 * @param id set by the store; ignored by import
 * @param isLeased whether somebody holds it
 * @param attempts how often it was leased
 * @param maxAttempts kept for import and never consulted: the queue's value counts
 */
public record StoredItem(
    String id,
    boolean isLeased,
    int attempts,
    int maxAttempts,
    Times times,
    Origin origin,
    Content content) {

  /**
   * The moments of an item.
   *
   * @param createdAt when it was inserted; import sets its own
   * @param enqueueAt when a scheduled item becomes ready, or null
   * @param leaseDeadline meaningful only while leased, or null
   * @param expireDeadline when it is dropped if nobody has it; import may leave it open
   */
  public record Times(
      @Nullable Instant createdAt,
      @Nullable Instant enqueueAt,
      @Nullable Instant leaseDeadline,
      @Nullable Instant expireDeadline) {
    /** None of them. */
    public static final Times NONE = new Times(null, null, null, null);
  }

  /**
   * Where an item came from.
   *
   * @param sourceId its id there; unique in a partition while the item exists, or null
   * @param sourceQueue the queue that gave it up, or empty
   * @param deadReason why: {@code expired}, {@code exhausted}, {@code dead}, or empty
   */
  public record Origin(@Nullable String sourceId, String sourceQueue, String deadReason) {
    /** Produced right here. */
    public static final Origin NONE = new Origin(null, "", "");
  }

  /** A ready item to import. */
  public static StoredItem of(Content content) {
    return new StoredItem("", false, 0, 0, Times.NONE, Origin.NONE, content);
  }
}
