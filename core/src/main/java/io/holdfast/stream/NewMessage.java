package io.holdfast.stream;

import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A message to append.
 *
 * @param partition the lane it goes to; null lets the queue's option {@code unpartitioned} decide
 * @param transactionId tells a repeated push from a new one; null or empty: the message's own id
 * @param traceId what it belongs to, across queues; never invented
 */
public record NewMessage(
    String queue,
    @Nullable String partition,
    Payload payload,
    @Nullable String transactionId,
    @Nullable UUID traceId) {

  /** A message for {@code queue}, without a partition of its own. */
  public static NewMessage to(String queue, Payload payload) {
    return new NewMessage(queue, null, payload, null, null);
  }

  /** A message of this text for {@code queue}. */
  public static NewMessage to(String queue, String text) {
    return to(queue, Payload.of(text));
  }

  /** The same in this partition, behind everything that is there. */
  public NewMessage in(String value) {
    return new NewMessage(queue, value, payload, transactionId, traceId);
  }

  /** The same under this id: pushed twice, it is stored once. */
  public NewMessage once(String value) {
    return new NewMessage(queue, partition, payload, value, traceId);
  }

  /** The same as part of this trace. */
  public NewMessage traced(@Nullable UUID value) {
    return new NewMessage(queue, partition, payload, transactionId, value);
  }
}
