package io.holdfast.stream;

import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * What became of one pushed message.
 *
 * @param messageId of a duplicate: the first message's; null while it is held
 * @param partitionId null while it is held
 * @param offset of a duplicate: the first message's; 0 while it is held
 * @param capacity how full its queue is after the call; null if the queue is not limited
 */
public record Pushed(
    Status status,
    @Nullable UUID messageId,
    String transactionId,
    @Nullable UUID partitionId,
    long offset,
    @Nullable UUID traceId,
    @Nullable Capacity capacity) {

  /** Whether it was stored. */
  public enum Status {
    /** Stored behind everything in its partition. */
    QUEUED,
    /** Its transaction id is known already: nothing was stored. */
    DUPLICATE,
    /** Its queue is held: it is stored when that ends, unless its transaction id is known then. */
    BUFFERED
  }

  /** One that is held. */
  public static Pushed buffered(String transactionId, @Nullable UUID traceId) {
    return new Pushed(Status.BUFFERED, null, transactionId, null, 0, traceId, null);
  }

  /** How full a limited queue is. */
  public record Capacity(long depth, long remaining) {}
}
