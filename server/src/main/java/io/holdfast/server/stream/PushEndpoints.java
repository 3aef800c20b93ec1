package io.holdfast.server.stream;

import io.holdfast.client.stream.PushWire;
import io.holdfast.client.stream.WireTexts;
import io.holdfast.server.http.Answer;
import io.holdfast.server.http.Exchange;
import io.holdfast.server.http.Refusal;
import io.holdfast.server.http.Role;
import io.holdfast.stream.NewMessage;
import io.holdfast.stream.Payload;
import io.holdfast.stream.Pushed;
import io.holdfast.stream.StreamInfo;
import io.holdfast.stream.StreamRules;
import io.holdfast.stream.Streams;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Making queues, pushing to them, deleting them. */
final class PushEndpoints {
  private final Streams streams;

  PushEndpoints(Streams streams) {
    this.streams = streams;
  }

  void mount(Mount mount) {
    mount.work(
        Mount.Place.post("/api/v1/configure", Role.PRODUCE, "Make a queue, or change it"),
        Mount.Types.of(PushWire.Configure.class, PushWire.Configured.class),
        this::configure);
    mount.add(
        Mount.Place.post("/api/v1/push", Role.PRODUCE, "Push messages, all or none"),
        Mount.Types.of(PushWire.Push.class, PushWire.Pushed.class),
        this::push);
    mount.work(
        Mount.Place.delete(
            "/api/v1/resources/queues/{queue}", Role.ADMIN, "Delete a queue with all in it"),
        Mount.Types.of(null, PushWire.Deleted.class),
        this::delete);
  }

  private Answer configure(Exchange exchange) {
    PushWire.Configure body = Asked.body(exchange, PushWire.Configure.class);
    exchange.caller().require(String.valueOf(body.queue()));
    StreamInfo info = streams.configure(Options.config(body));
    String partition =
        streams
            .browser()
            .partition(info.name(), StreamRules.DEFAULT_PARTITION)
            .map(found -> found.id().toString())
            .orElse("");
    return Doc.ok(
        new PushWire.Configured(
            true,
            info.uid().toString(),
            partition,
            info.name(),
            info.labels().namespace(),
            info.labels().task(),
            Options.of(info.settings()),
            WireTexts.millis(info.createdAt()),
            PauseEndpoints.pauses(info.paused())));
  }

  private Answer delete(Exchange exchange) {
    String queue = exchange.parameter("queue");
    exchange.caller().require(queue);
    return Doc.ok(new PushWire.Deleted(true, queue, streams.delete(queue)));
  }

  private CompletableFuture<Answer> push(Exchange exchange) {
    PushWire.Push body = Asked.body(exchange, PushWire.Push.class);
    if (body.items() == null) {
      throw Refusal.malformed("items is missing");
    }
    List<NewMessage> messages = messages(exchange, body.items(), "items");
    boolean mayAsk = messages.stream().anyMatch(message -> message.partition() == null);
    CompletableFuture<List<Pushed>> pushed =
        mayAsk
            ? exchange
                .blocking(() -> streams.pushAsync(messages, producer(exchange)))
                .thenCompose(stage -> stage)
            : exchange.awaited(streams.pushAsync(messages, producer(exchange)));
    return pushed.thenApply(all -> Doc.answer(201, results(messages, all)));
  }

  static @Nullable String producer(Exchange exchange) {
    return WireTexts.some(exchange.caller().name());
  }

  /** The items of a push; refuses names that the caller may not use. */
  static List<NewMessage> messages(
      Exchange exchange, List<PushWire.@Nullable Item> items, String where) {
    List<NewMessage> messages = new ArrayList<>(items.size());
    for (PushWire.Item item : items) {
      String at = where + "[" + messages.size() + "]";
      if (item == null || item.queue() == null) {
        throw Refusal.malformed(at + ".queue is missing");
      }
      exchange.caller().require(item.queue());
      messages.add(
          new NewMessage(
              item.queue(),
              WireTexts.some(item.partition()),
              payload(item, at),
              WireTexts.some(item.transactionId()),
              WireTexts.id(item.traceId())));
    }
    return messages;
  }

  private static Payload payload(PushWire.Item item, String at) {
    if (item.payloadBase64() == null) {
      return Payload.wrap(item.payload().bytes());
    }
    try {
      return Payload.wrap(Base64.getDecoder().decode(item.payloadBase64()));
    } catch (IllegalArgumentException e) {
      throw Refusal.malformed(at + ".payloadBase64 is not in base 64");
    }
  }

  private static List<PushWire.Pushed> results(List<NewMessage> messages, List<Pushed> pushed) {
    List<PushWire.Pushed> results = new ArrayList<>(pushed.size());
    for (int i = 0; i < pushed.size(); i++) {
      results.add(result(i, messages.get(i), pushed.get(i)));
    }
    return results;
  }

  static PushWire.Pushed result(int index, NewMessage message, Pushed pushed) {
    if (pushed.status() == Pushed.Status.BUFFERED) {
      return buffered(index, message, pushed);
    }
    Pushed.Capacity capacity = pushed.capacity();
    boolean isDuplicate = pushed.status() == Pushed.Status.DUPLICATE;
    return new PushWire.Pushed(
        index,
        isDuplicate ? "duplicate" : "queued",
        pushed.transactionId(),
        pushed.transactionId(),
        String.valueOf(pushed.messageId()),
        String.valueOf(pushed.partitionId()),
        pushed.traceId() == null ? null : pushed.traceId().toString(),
        message.queue(),
        pushed.offset(),
        capacity == null ? null : capacity.depth(),
        capacity == null ? null : capacity.remaining(),
        null,
        null);
  }

  private static PushWire.Pushed buffered(int index, NewMessage message, Pushed pushed) {
    String partition = message.partition();
    return new PushWire.Pushed(
        index,
        "buffered",
        null,
        pushed.transactionId(),
        null,
        null,
        pushed.traceId() == null ? null : pushed.traceId().toString(),
        null,
        null,
        null,
        null,
        message.queue(),
        partition == null ? StreamRules.DEFAULT_PARTITION : partition);
  }
}
