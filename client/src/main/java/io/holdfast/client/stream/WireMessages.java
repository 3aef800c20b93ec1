package io.holdfast.client.stream;

import io.holdfast.stream.Ack;
import io.holdfast.stream.Acked;
import io.holdfast.stream.Batch;
import io.holdfast.stream.Delivery;
import io.holdfast.stream.Message;
import io.holdfast.stream.NewMessage;
import io.holdfast.stream.Payload;
import io.holdfast.stream.Popped;
import io.holdfast.stream.Pushed;
import io.holdfast.stream.StreamError;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Messages and verdicts to the wire and back. */
final class WireMessages {
  private WireMessages() {}

  static PushWire.Item item(NewMessage message) {
    RawJson json = RawJson.of(message.payload().unwrap());
    return new PushWire.Item(
        message.queue(),
        message.partition(),
        json == null ? RawJson.NULL : json,
        json == null ? Base64.getEncoder().encodeToString(message.payload().unwrap()) : null,
        message.transactionId(),
        message.traceId() == null ? null : message.traceId().toString());
  }

  static Pushed pushed(PushWire.Pushed result) {
    Long depth = result.queueDepth();
    Long remaining = result.remainingCapacity();
    return new Pushed(
        Pushed.Status.valueOf(result.status().toUpperCase(Locale.ROOT)),
        WireTexts.id(result.messageId()),
        result.transactionId(),
        WireTexts.id(result.partitionId()),
        result.offset() == null ? 0 : result.offset(),
        WireTexts.id(result.traceId()),
        depth == null || remaining == null ? null : new Pushed.Capacity(depth, remaining));
  }

  static AckWire.Ack ack(Ack ack) {
    String transaction = ack.message().transactionId();
    return new AckWire.Ack(
        transaction,
        ack.partitionId().toString(),
        WireTexts.status(ack.verdict()),
        ack.leaseId() == null ? null : ack.leaseId().toString(),
        ack.group(),
        ack.error(),
        null,
        transaction == null ? ack.message().offset() : null);
  }

  static Acked acked(AckWire.Acked result) {
    return new Acked(error(result.code()), result.noop(), result.dlq(), result.leaseReleased());
  }

  static @Nullable StreamError error(@Nullable String code) {
    return code == null ? null : StreamError.valueOf(code);
  }

  /** What came, claimed at this moment or later. */
  static Popped popped(String group, PopWire.@Nullable Popped answer, long askedNanos) {
    if (answer == null || answer.messages().isEmpty()) {
      return Popped.nothing(group);
    }
    List<Batch> batches = new ArrayList<>();
    List<Delivery> deliveries = new ArrayList<>();
    PopWire.Message last = answer.messages().get(0);
    for (PopWire.Message message : answer.messages()) {
      if (!message.partitionId().equals(last.partitionId())) {
        batches.add(batch(last, deliveries));
        deliveries = new ArrayList<>();
      }
      deliveries.add(delivery(message));
      last = message;
    }
    batches.add(batch(last, deliveries));
    return new Popped(answer.queue(), answer.consumerGroup(), List.copyOf(batches), askedNanos);
  }

  private static Batch batch(PopWire.Message any, List<Delivery> deliveries) {
    UUID lease = WireTexts.id(any.leaseId());
    Long fence = any.fence();
    String until = any.leaseExpiresAt();
    return new Batch(
        any.partition(),
        id(any.partitionId()),
        lease == null || fence == null || until == null
            ? null
            : new Batch.Held(lease, fence, Instant.parse(until)),
        List.copyOf(deliveries));
  }

  private static UUID id(String text) {
    return Objects.requireNonNull(WireTexts.id(text), "an id of the server");
  }

  private static Delivery delivery(PopWire.Message message) {
    return new Delivery(
        new Message(
            new Message.Place(
                message.queue(), message.partition(), id(message.partitionId()), message.offset()),
            id(message.id()),
            message.transactionId(),
            WireTexts.id(message.traceId()),
            payload(message),
            Instant.parse(message.createdAt()),
            message.producerSub()),
        Boolean.TRUE.equals(message.encrypted()),
        message.deliveryAttempt());
  }

  private static Payload payload(PopWire.Message message) {
    if (message.dataError() != null) {
      return Payload.unreadable(message.dataError());
    }
    return Payload.wrap(
        message.dataBase64() == null
            ? message.data().bytes()
            : Base64.getDecoder().decode(message.dataBase64()));
  }
}
