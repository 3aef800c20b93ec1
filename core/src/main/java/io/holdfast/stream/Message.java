package io.holdfast.stream;

import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A stored message.
 *
 * @param place where it is stored
 * @param transactionId as pushed, or the text of {@code id}
 * @param producer the authenticated name under which it was pushed
 */
public record Message(
    Place place,
    UUID id,
    String transactionId,
    @Nullable UUID traceId,
    Payload payload,
    Instant createdAt,
    @Nullable String producer) {

  /** The place of a message: a partition, and its number there, counted from 1. */
  public record Place(String queue, String partition, UUID partitionId, long offset) {}

  /** The same with another payload. */
  Message with(Payload other) {
    return new Message(place, id, transactionId, traceId, other, createdAt, producer);
  }
}
