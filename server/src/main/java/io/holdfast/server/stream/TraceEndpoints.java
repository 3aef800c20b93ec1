package io.holdfast.server.stream;

import com.fasterxml.jackson.databind.JsonNode;
import io.holdfast.client.stream.RawJson;
import io.holdfast.client.stream.WireTexts;
import io.holdfast.server.http.Answer;
import io.holdfast.server.http.Exchange;
import io.holdfast.server.http.Refusal;
import io.holdfast.server.http.Role;
import io.holdfast.stream.Payload;
import io.holdfast.stream.StoredMessage;
import io.holdfast.stream.Streams;
import io.holdfast.stream.Trace;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** What consumers note about messages. */
final class TraceEndpoints {
  private static final long MOST = 1_000;

  private final Streams streams;
  private final Partitions partitions;

  TraceEndpoints(Streams streams, Partitions partitions) {
    this.streams = streams;
    this.partitions = partitions;
  }

  /**
   * A note.
   *
   * @param traceNames one, or a list, or none
   */
  record Note(
      @Nullable String transactionId,
      @Nullable String partitionId,
      RawJson data,
      @Nullable String consumerGroup,
      @Nullable String eventType,
      @Nullable JsonNode traceNames) {}

  void mount(Mount mount) {
    mount.work(
        Mount.Place.post("/api/v1/traces", Role.WORK, "Note something about a message"),
        Mount.Types.of(Note.class, null),
        this::record);
    mount.work(
        Mount.Place.get("/api/v1/traces/names", "Names that notes were made under")
            .asking("limit", "offset"),
        Mount.Types.NONE,
        this::names);
    mount.work(
        Mount.Place.get("/api/v1/traces/by-name/{name}", "Notes made under a name")
            .asking("limit", "offset"),
        Mount.Types.NONE,
        this::named);
    mount.work(
        Mount.Place.get("/api/v1/traces/{partitionId}/{transactionId}", "Notes about a message"),
        Mount.Types.NONE,
        this::ofMessage);
  }

  private Answer record(Exchange exchange) {
    Note body = Asked.body(exchange, Note.class);
    String transaction = WireTexts.some(body.transactionId());
    if (transaction == null) {
      throw Refusal.malformed("transactionId is missing");
    }
    if (WireTexts.some(body.partitionId()) == null) {
      throw Refusal.malformed("partitionId is missing");
    }
    if (body.data().equals(RawJson.NULL)) {
      throw Refusal.malformed("data is missing");
    }
    UUID partition = WireTexts.id(body.partitionId());
    if (partition == null) {
      return unknown();
    }
    partitions.require(exchange, partition);
    String event = WireTexts.some(body.eventType());
    Trace.Note note =
        new Trace.Note(
            WireTexts.some(body.consumerGroup()),
            event == null ? "info" : event,
            Payload.wrap(body.data().bytes()),
            names(body.traceNames()));
    return streams
        .browser()
        .record(partition, transaction, note)
        .map(trace -> Doc.answer(201, Doc.of("success", true, "traceId", trace.id())))
        .orElseGet(TraceEndpoints::unknown);
  }

  private static Answer unknown() {
    return Doc.answer(500, Doc.of("success", false, "error", "there is no such message"));
  }

  private static List<String> names(@Nullable JsonNode given) {
    List<String> names = new ArrayList<>();
    if (given == null || given.isNull()) {
      return names;
    }
    Iterable<JsonNode> all = given.isArray() ? given : List.of(given);
    for (JsonNode name : all) {
      if (!name.isTextual()) {
        throw Refusal.malformed("traceNames must be a text or a list of texts");
      }
      if (!name.textValue().isEmpty()) {
        names.add(name.textValue());
      }
    }
    return names;
  }

  private Answer ofMessage(Exchange exchange) {
    UUID partition = WireTexts.id(exchange.parameter("partitionId"));
    List<Trace> traces = List.of();
    if (partition != null) {
      partitions.require(exchange, partition);
      traces = streams.browser().traces(partition, exchange.parameter("transactionId"));
    }
    return Doc.ok(Doc.of("traces", traces.stream().map(TraceEndpoints::document).toList()));
  }

  private static Map<String, Object> document(Trace trace) {
    return Doc.of(
        "id", trace.id(),
        "event_type", trace.note().event(),
        "data", WireTexts.data(trace.note().data()).data(),
        "consumer_group", trace.note().group(),
        "worker_id", null,
        "created_at", WireTexts.millis(trace.at()),
        "trace_names", trace.note().names());
  }

  private Answer named(Exchange exchange) {
    long limit = Asked.number(exchange, "limit", 100, 1, MOST);
    long offset = Asked.number(exchange, "offset", 0, 0, MOST);
    List<Map<String, Object>> all = new ArrayList<>();
    for (Trace trace : streams.browser().tracesNamed(exchange.parameter("name"), (int) MOST)) {
      Optional<Partitions.Name> name = partitions.find(trace.partitionId());
      if (name.map(Partitions.Name::queue).filter(exchange.caller()::sees).isPresent()) {
        all.add(found(trace, name.get()));
      }
    }
    return Doc.ok(
        Doc.of(
            "traces", Doc.cut(all, offset, limit),
            "total", all.size(),
            "pagination", Doc.page(limit, offset)));
  }

  private Map<String, Object> found(Trace trace, Partitions.Name name) {
    Optional<StoredMessage> message =
        streams.browser().message(trace.partitionId(), trace.transactionId());
    return Doc.with(
        document(trace),
        "transaction_id",
        trace.transactionId(),
        "partition_id",
        trace.partitionId(),
        "queue_name",
        name.queue(),
        "partition_name",
        name.partition(),
        "message_payload",
        message.map(found -> WireTexts.data(found.message().payload()).data()).orElse(null));
  }

  private Answer names(Exchange exchange) {
    if (exchange.caller().isRestricted()) {
      throw Refusal.forbidden("a token for some names cannot list those of traces");
    }
    long limit = Asked.number(exchange, "limit", 50, 1, MOST);
    long offset = Asked.number(exchange, "offset", 0, 0, MOST);
    List<Map<String, Object>> all =
        streams.browser().traceNames((int) MOST).stream()
            .map(
                name ->
                    Doc.of(
                        "trace_name", name.name(),
                        "trace_count", name.notes(),
                        "message_count", name.messages(),
                        "last_seen", WireTexts.millis(name.lastAt())))
            .toList();
    return Doc.ok(
        Doc.of(
            "trace_names", Doc.cut(all, offset, limit),
            "total", all.size(),
            "pagination", Doc.page(limit, offset)));
  }
}
