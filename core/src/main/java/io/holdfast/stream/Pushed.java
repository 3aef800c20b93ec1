package io.holdfast.stream;

import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * What became of one pushed message.
 *
 * @param messageId of a duplicate: the first message's
 * @param offset of a duplicate: the first message's
 * @param capacity how full its queue is after the call; null if the queue is not limited
 */
public record Pushed(
    Status status,
    UUID messageId,
    String transactionId,
    UUID partitionId,
    long offset,
    @Nullable UUID traceId,
    @Nullable Capacity capacity) {

  /** Whether it was stored. */
  public enum Status {
    /** Stored behind everything in its partition. */
    QUEUED,
    /** Its transaction id is known already: nothing was stored. */
    DUPLICATE
  }

  /** How full a limited queue is. */
  public record Capacity(long depth, long remaining) {}
}
