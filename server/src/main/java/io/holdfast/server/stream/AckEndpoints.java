package io.holdfast.server.stream;

import io.holdfast.client.stream.AckWire;
import io.holdfast.client.stream.PopWire;
import io.holdfast.client.stream.WireTexts;
import io.holdfast.server.http.Answer;
import io.holdfast.server.http.Exchange;
import io.holdfast.server.http.HeldTimes;
import io.holdfast.server.http.Refusal;
import io.holdfast.server.http.Role;
import io.holdfast.stream.Ack;
import io.holdfast.stream.AckMode;
import io.holdfast.stream.Acked;
import io.holdfast.stream.PopRequest;
import io.holdfast.stream.Streams;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Settling messages, alone or with the next pop. */
final class AckEndpoints {
  private final Streams streams;
  private final Partitions partitions;
  private final PopEndpoints pops;
  private final HeldTimes held;
  private final AckMode byDefault;

  AckEndpoints(
      Streams streams,
      Partitions partitions,
      PopEndpoints pops,
      HeldTimes held,
      AckMode byDefault) {
    this.streams = streams;
    this.partitions = partitions;
    this.pops = pops;
    this.held = held;
    this.byDefault = byDefault;
  }

  void mount(Mount mount) {
    mount.add(
        Mount.Place.post("/api/v1/ack", Role.WORK, "Settle a message"),
        Mount.Types.of(AckWire.Ack.class, AckWire.Acked.class),
        this::one);
    mount.add(
        Mount.Place.post("/api/v1/ack/batch", Role.WORK, "Settle messages"),
        Mount.Types.of(AckWire.Batch.class, AckWire.Acked.class),
        this::batch);
    mount.add(
        Mount.Place.post("/api/v1/ack-pop", Role.WORK, "Settle messages and take the next"),
        Mount.Types.of(AckWire.AckPop.class, AckWire.AckedPopped.class),
        this::ackPop);
  }

  private CompletableFuture<Answer> one(Exchange exchange) {
    AckWire.Ack body = Asked.body(exchange, AckWire.Ack.class);
    Verdicts verdicts = new Verdicts();
    verdicts.add(body, null, "the body");
    return settle(exchange, verdicts, mode(body.ackMode()));
  }

  private CompletableFuture<Answer> batch(Exchange exchange) {
    AckWire.Batch body = Asked.body(exchange, AckWire.Batch.class);
    return settle(exchange, verdicts(body), mode(body.ackMode()));
  }

  private static Verdicts verdicts(AckWire.@Nullable Batch body) {
    List<AckWire.@Nullable Ack> asked = body == null ? null : body.acknowledgments();
    if (body == null || asked == null) {
      throw Refusal.malformed("acknowledgments is missing");
    }
    Verdicts verdicts = new Verdicts();
    for (int i = 0; i < asked.size(); i++) {
      verdicts.add(asked.get(i), body.consumerGroup(), "acknowledgments[" + i + "]");
    }
    return verdicts;
  }

  private AckMode mode(@Nullable String asked) {
    String mode = WireTexts.some(asked);
    if (mode == null) {
      return byDefault;
    }
    return switch (mode) {
      case "explicit" -> AckMode.EXPLICIT;
      case "cumulative" -> AckMode.CUMULATIVE;
      default -> throw Refusal.malformed("ackMode must be explicit or cumulative");
    };
  }

  private CompletableFuture<Answer> settle(Exchange exchange, Verdicts verdicts, AckMode mode) {
    return partitions
        .of(exchange, verdicts.partitions())
        .thenCompose(
            names ->
                streams
                    .ackAsync(verdicts.acks(), mode)
                    .thenApply(acked -> Doc.ok(results(verdicts, acked, names))));
  }

  private List<AckWire.Acked> results(
      Verdicts verdicts, List<Acked> acked, Map<UUID, Partitions.Name> names) {
    held.settled(HeldTimes.Kind.STREAM, verdicts.leases(acked));
    return verdicts.results(acked, names);
  }

  private CompletableFuture<Answer> ackPop(Exchange exchange) {
    AckWire.AckPop body = Asked.body(exchange, AckWire.AckPop.class);
    if (body.pop() == null) {
      throw Refusal.malformed("pop is missing");
    }
    Verdicts verdicts = verdicts(body.ack());
    AckMode mode = mode(body.ack() == null ? null : body.ack().ackMode());
    PopRequest request = pops.request(exchange, body.pop());
    exchange.mayTake(request.timeout());
    return partitions
        .of(exchange, verdicts.partitions())
        .thenCompose(
            names ->
                settleAndPop(exchange, body.pop(), new Turn(verdicts, mode, request))
                    .thenApply(
                        both -> {
                          AckWire.AckedPopped answer =
                              new AckWire.AckedPopped(
                                  results(verdicts, both.acked(), names),
                                  pops.document(both.popped()));
                          return pops.undoable(Doc.ok(answer), both.popped());
                        }));
  }

  private record Turn(Verdicts verdicts, AckMode mode, PopRequest request) {}

  /** In one commit, unless there is more to settle than was said. */
  private CompletableFuture<Streams.AckedAndPopped> settleAndPop(
      Exchange exchange, PopWire.Parameters asked, Turn turn) {
    List<Ack> acks = turn.verdicts.acks();
    if (turn.mode == AckMode.EXPLICIT) {
      return pops.awaited(exchange, asked.popId(), streams.ackAndPop(acks, turn.request));
    }
    return streams
        .ackAsync(acks, turn.mode)
        .thenCompose(
            acked ->
                pops.awaited(exchange, asked.popId(), streams.ackAndPop(List.of(), turn.request))
                    .thenApply(both -> new Streams.AckedAndPopped(acked, both.popped())));
  }
}
