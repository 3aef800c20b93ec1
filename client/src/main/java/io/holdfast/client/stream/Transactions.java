package io.holdfast.client.stream;

import io.holdfast.stream.Ack;
import io.holdfast.stream.Acked;
import io.holdfast.stream.Pushed;
import io.holdfast.stream.Transacted;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;

/** Transactions to the wire and back. */
final class Transactions {
  private Transactions() {}

  static AckWire.Transaction body(List<PushWire.Item> items, List<Ack> acks, Set<UUID> required) {
    List<AckWire.Operation> operations = new ArrayList<>();
    for (Ack ack : acks) {
      AckWire.Ack each = WireMessages.ack(ack);
      operations.add(
          new AckWire.Operation(
              "ack",
              null,
              each.transactionId(),
              each.partitionId(),
              each.status(),
              each.consumerGroup(),
              each.leaseId(),
              each.error(),
              each.offset()));
    }
    if (!items.isEmpty()) {
      operations.add(
          new AckWire.Operation(
              "push", List.copyOf(items), null, null, null, null, null, null, null));
    }
    return new AckWire.Transaction(
        List.copyOf(operations), List.copyOf(required.stream().map(UUID::toString).toList()));
  }

  static Transacted read(AckWire.Transacted answer) {
    List<Acked> acked = new ArrayList<>();
    List<Pushed> pushed = new ArrayList<>();
    for (AckWire.Result result : answer.results()) {
      PushWire.Pushed message = result.pushed();
      if (result.type().equals("ack")) {
        acked.add(
            new Acked(
                WireMessages.error(result.code()),
                Boolean.TRUE.equals(result.noop()),
                result.dlq(),
                Boolean.TRUE.equals(result.leaseReleased())));
      } else if (message != null) {
        pushed.add(WireMessages.pushed(message));
      }
    }
    return new Transacted(answer.success(), pushed, acked);
  }
}
