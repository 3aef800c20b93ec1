package io.holdfast.server.stream;

import com.fasterxml.jackson.databind.JsonNode;
import io.holdfast.client.stream.ExactWire;
import io.holdfast.client.stream.PopWire;
import io.holdfast.client.stream.WireTexts;
import io.holdfast.server.http.Answer;
import io.holdfast.server.http.Exchange;
import io.holdfast.server.http.HeldTimes;
import io.holdfast.server.http.Refusal;
import io.holdfast.server.http.Role;
import io.holdfast.stream.Batch;
import io.holdfast.stream.Delivery;
import io.holdfast.stream.Message;
import io.holdfast.stream.PopRequest;
import io.holdfast.stream.PopSource;
import io.holdfast.stream.Popped;
import io.holdfast.stream.Start;
import io.holdfast.stream.StreamError;
import io.holdfast.stream.StreamException;
import io.holdfast.stream.StreamRules;
import io.holdfast.stream.Streams;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Taking messages. A pop that waits holds nothing but itself. */
final class PopEndpoints {
  private static final Logger LOG = LoggerFactory.getLogger(PopEndpoints.class);
  private static final long DEFAULT_TIMEOUT_MS = 30_000;
  private static final long LONGEST_TIMEOUT_MS = 3_600_000;
  private static final long LONGEST_LEASE_SECONDS = 86_400;

  private final Streams streams;
  private final Partitions partitions;
  private final HeldTimes held;
  private final Map<Waiting, CompletableFuture<?>> waiting = new ConcurrentHashMap<>();

  /** A pop that can be called off, by who asked for it. */
  private record Waiting(String caller, UUID id) {}

  PopEndpoints(Streams streams, Partitions partitions, HeldTimes held) {
    this.streams = streams;
    this.partitions = partitions;
    this.held = held;
  }

  void mount(Mount mount) {
    Mount.Types types = Mount.Types.of(null, PopWire.Popped.class);
    mount.add(
        place("/api/v1/pop/queue/{queue}", "Take messages of a queue"),
        types,
        exchange -> pop(exchange, exchange.parameter("queue"), null));
    mount.add(
        place("/api/v1/pop/queue/{queue}/partition/{partition}", "Take messages of a partition"),
        types,
        exchange -> pop(exchange, exchange.parameter("queue"), exchange.parameter("partition")));
    mount.add(
        place("/api/v1/pop", "Take messages of a queue with these labels"),
        types,
        exchange -> pop(exchange, null, null));
    mount.add(
        Mount.Place.post(ExactWire.PATH + "leave", Role.WORK, "End a pop that waits"),
        Mount.Types.of(ExactWire.Call.class, ExactWire.Value.class),
        this::leave);
  }

  private static Mount.Place place(String path, String summary) {
    return new Mount.Place("GET", path, Role.WORK, summary)
        .asking(
            "namespace",
            "task",
            "consumerGroup",
            "subscriptionMode",
            "subscriptionFrom",
            "batch",
            "partitions",
            "wait",
            "timeout",
            "leaseSeconds",
            "autoAck",
            "popId");
  }

  private CompletableFuture<Answer> pop(
      Exchange exchange, @Nullable String queue, @Nullable String partition) {
    if (exchange.method().equals("HEAD")) {
      throw Refusal.wrongMethod("messages are taken with GET", List.of("GET"));
    }
    PopRequest request =
        request(
            exchange,
            new PopWire.Parameters(
                queue,
                partition,
                Asked.text(exchange, "namespace"),
                Asked.text(exchange, "task"),
                Asked.text(exchange, "consumerGroup"),
                null,
                null,
                null,
                null,
                null,
                null,
                Asked.text(exchange, "subscriptionMode"),
                Asked.text(exchange, "subscriptionFrom"),
                null),
            new Numbers(
                Asked.text(exchange, "batch"),
                Asked.text(exchange, "partitions"),
                Asked.text(exchange, "wait"),
                Asked.text(exchange, "timeout"),
                Asked.text(exchange, "leaseSeconds"),
                Asked.text(exchange, "autoAck")));
    exchange.mayTake(request.timeout());
    return awaited(exchange, Asked.text(exchange, "popId"), streams.popAsync(request))
        .thenApply(this::answer);
  }

  /** The same future, which ends when its caller leaves or calls it off. */
  <T> CompletableFuture<T> awaited(
      Exchange exchange, @Nullable String popId, CompletableFuture<T> popped) {
    UUID id = popId == null ? null : WireTexts.id(popId);
    if (id != null) {
      Waiting key = new Waiting(exchange.caller().name(), id);
      waiting.put(key, popped);
      popped.whenComplete((done, failure) -> waiting.remove(key));
    }
    return exchange.awaited(popped);
  }

  /** Ends a pop that waits, so that its answer comes, and answers when it can take no more. */
  private CompletableFuture<Answer> leave(Exchange exchange) {
    UUID id = Asked.body(exchange, ExactWire.Call.class).id();
    if (id == null) {
      throw Refusal.malformed("id is missing");
    }
    CompletableFuture<?> popped = waiting.get(new Waiting(exchange.caller().name(), id));
    boolean isEnded =
        popped != null
            && popped.completeExceptionally(
                new StreamException(StreamError.ABORTED, "the pop was called off", null));
    return streams.calledOff().thenApply(over -> Doc.ok(new ExactWire.Value<>(isEnded)));
  }

  /** The parameters that are numbers or flags, as they were written. */
  private record Numbers(
      @Nullable String batch,
      @Nullable String partitions,
      @Nullable String isWaiting,
      @Nullable String timeout,
      @Nullable String leaseSeconds,
      @Nullable String autoAck) {}

  /** What a body asks for. */
  PopRequest request(Exchange exchange, PopWire.Parameters asked) {
    return request(
        exchange,
        asked,
        new Numbers(
            text(asked.batch()),
            text(asked.partitions()),
            text(asked.isWaiting()),
            text(asked.timeout()),
            text(asked.leaseSeconds()),
            text(asked.autoAck())));
  }

  static @Nullable String text(@Nullable JsonNode node) {
    return node == null || node.isNull() ? null : node.asText();
  }

  private static PopRequest request(Exchange exchange, PopWire.Parameters asked, Numbers numbers) {
    long batch = Asked.number(numbers.batch, 1, 1, StreamRules.MAX_ITEMS);
    long many = Asked.number(numbers.partitions, 1, 1, StreamRules.MAX_PARTITIONS);
    long wait = Asked.number(numbers.timeout, DEFAULT_TIMEOUT_MS, 0, LONGEST_TIMEOUT_MS);
    Long lease = Asked.number(numbers.leaseSeconds);
    return new PopRequest(
        source(exchange, asked),
        Asked.group(asked.consumerGroup()),
        start(asked),
        new PopRequest.Size((int) batch, asked.partition() == null ? (int) many : 1),
        Asked.flag(numbers.isWaiting, false) ? Duration.ofMillis(wait) : Duration.ZERO,
        lease == null
            ? null
            : Duration.ofSeconds(Math.max(1, Math.min(LONGEST_LEASE_SECONDS, lease))),
        Asked.flag(numbers.autoAck, false));
  }

  private static PopSource source(Exchange exchange, PopWire.Parameters asked) {
    String queue = asked.queue();
    if (queue != null) {
      exchange.caller().require(queue);
      return new PopSource(queue, WireTexts.some(asked.partition()), null, null);
    }
    String namespace = WireTexts.some(asked.namespace());
    String task = WireTexts.some(asked.task());
    if (namespace == null && task == null) {
      throw Refusal.malformed("namespace or task is missing");
    }
    if (exchange.caller().isRestricted()) {
      throw Refusal.forbidden("a token for some names cannot take by labels");
    }
    return PopSource.labels(namespace, task);
  }

  private static Start start(PopWire.Parameters asked) {
    String from = WireTexts.some(asked.subscriptionFrom());
    if (from != null && !from.equals("now")) {
      Instant at = Asked.instant("subscriptionFrom", from);
      return at == null ? Start.ALL : Start.at(at);
    }
    String mode = asked.subscriptionMode();
    return from != null || "new".equals(mode) || "new-only".equals(mode) ? Start.NEW : Start.ALL;
  }

  private Answer answer(Popped popped) {
    PopWire.Popped document = document(popped);
    return document == null ? Answer.empty(204) : undoable(Doc.ok(document), popped);
  }

  /** What came, in the form of the wire; null for nothing. */
  PopWire.@Nullable Popped document(Popped popped) {
    String queue = popped.queue();
    if (popped.isEmpty() || queue == null) {
      return null;
    }
    partitions.learn(popped);
    Batch first = popped.batches().get(0);
    if (popped.leaseId() != null) {
      held.given(HeldTimes.Kind.STREAM, queue, popped.leaseId().toString());
    }
    return new PopWire.Popped(
        true,
        queue,
        first.partition(),
        first.partitionId().toString(),
        lease(first),
        popped.group(),
        popped.batches().size(),
        messages(popped));
  }

  /** A lease that reaches nobody is given back. */
  Answer undoable(Answer answer, Popped popped) {
    UUID lease = popped.leaseId();
    return lease == null ? answer : answer.orElse(() -> giveBack(lease));
  }

  private void giveBack(UUID lease) {
    try {
      streams.release(lease, null);
    } catch (StreamException e) {
      LOG.debug("a lease that reached nobody was over already", e);
    }
  }

  private static String lease(Batch batch) {
    Batch.Held held = batch.lease();
    return held == null ? "" : held.id().toString();
  }

  private static List<PopWire.Message> messages(Popped popped) {
    List<PopWire.Message> messages = new ArrayList<>();
    for (Batch batch : popped.batches()) {
      for (Delivery delivery : batch.deliveries()) {
        messages.add(message(popped.group(), batch, delivery));
      }
    }
    return messages;
  }

  private static PopWire.Message message(String group, Batch batch, Delivery delivery) {
    Message message = delivery.message();
    Batch.Held held = batch.lease();
    WireTexts.Data data = WireTexts.data(message.payload());
    return new PopWire.Message(
        message.id().toString(),
        message.transactionId(),
        message.traceId() == null ? null : message.traceId().toString(),
        data.data(),
        message.producer(),
        WireTexts.micros(message.createdAt()),
        batch.partitionId().toString(),
        batch.partition(),
        message.place().queue(),
        lease(batch),
        group,
        delivery.attempt(),
        message.place().offset(),
        held == null ? null : held.fence(),
        held == null ? null : WireTexts.millis(held.expiresAt()),
        data.base64(),
        data.error(),
        delivery.isEncrypted() ? true : null);
  }
}
