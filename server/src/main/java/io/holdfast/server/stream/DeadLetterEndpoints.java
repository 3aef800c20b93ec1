package io.holdfast.server.stream;

import com.fasterxml.jackson.databind.JsonNode;
import io.holdfast.client.stream.WireTexts;
import io.holdfast.server.http.Answer;
import io.holdfast.server.http.Exchange;
import io.holdfast.server.http.Refusal;
import io.holdfast.server.http.Role;
import io.holdfast.stream.DeadLetter;
import io.holdfast.stream.DeadLetterQuery;
import io.holdfast.stream.Message;
import io.holdfast.stream.QueueFigures;
import io.holdfast.stream.Redrive;
import io.holdfast.stream.Redriven;
import io.holdfast.stream.StreamRules;
import io.holdfast.stream.Streams;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Messages that were given up. */
final class DeadLetterEndpoints {
  private static final int PAGE = 1_000;
  private static final long MOST_SKIPPED = 1_000_000;
  private static final int MOST_PURGED = 10_000;
  private static final long MOST_BYTES = 64L << 20;

  private final Streams streams;

  DeadLetterEndpoints(Streams streams) {
    this.streams = streams;
  }

  /**
   * Which dead letters go back.
   *
   * @param toAllGroups whether every group gets them, or only the one that gave them up
   */
  record Back(
      @Nullable List<@Nullable String> ids,
      @Nullable String queue,
      @Nullable String consumerGroup,
      @Nullable String partition,
      @Nullable JsonNode limit,
      @Nullable Boolean toAllGroups,
      @Nullable String toQueue,
      @Nullable String toPartition) {}

  void mount(Mount mount) {
    mount.work(
        Mount.Place.get("/api/v1/dlq", "Dead letters, newest first")
            .asking("queue", "consumerGroup", "partition", "from", "to", "limit", "offset"),
        Mount.Types.NONE,
        this::list);
    mount.work(
        Mount.Place.delete("/api/v1/dlq", Role.ADMIN, "Delete dead letters")
            .asking("queue", "consumerGroup", "partition", "from", "to", "limit"),
        Mount.Types.NONE,
        this::purge);
    mount.work(
        Mount.Place.post("/api/v1/dlq/redrive", Role.ADMIN, "Move dead letters back"),
        Mount.Types.of(Back.class, null),
        this::redrive);
  }

  private static DeadLetterQuery query(Exchange exchange) {
    String queue = Asked.text(exchange, "queue");
    if (queue != null) {
      exchange.caller().require(queue);
    }
    return DeadLetterQuery.of(queue)
        .group(Asked.text(exchange, "consumerGroup"))
        .partition(Asked.text(exchange, "partition"))
        .failed(Asked.range(exchange));
  }

  private Answer list(Exchange exchange) {
    DeadLetterQuery query = query(exchange);
    long limit = Asked.number(exchange, "limit", 100, 1, PAGE);
    long offset = Asked.number(exchange, "offset", 0, 0, MOST_SKIPPED);
    return Doc.ok(
        Doc.of(
            "messages",
            page(exchange, query, offset, limit).stream()
                .map(DeadLetterEndpoints::document)
                .toList(),
            "total",
            total(exchange, query),
            "pagination",
            Doc.page(limit, offset)));
  }

  private List<DeadLetter> page(Exchange exchange, DeadLetterQuery query, long offset, long limit) {
    List<DeadLetter> found = new ArrayList<>();
    DeadLetterQuery next = query.limit((int) Math.min(PAGE, offset + limit));
    long seen = 0;
    long bytes = 0;
    boolean isLast = false;
    while (!isLast && found.size() < limit) {
      List<DeadLetter> page = streams.deadLetters().list(next);
      for (DeadLetter letter : page) {
        boolean isMine = exchange.caller().sees(letter.message().place().queue());
        if (isMine && ++seen > offset && found.size() < limit) {
          found.add(letter);
          bytes += letter.message().payload().size();
        }
      }
      if (bytes > MOST_BYTES) {
        throw Refusal.malformed(
            "limit is too large: the messages have more than " + MOST_BYTES + " bytes");
      }
      isLast = StreamRules.isLast(page, next.limit(), DeadLetter::message);
      next = isLast ? next : next.after(page.get(page.size() - 1).key());
    }
    return found;
  }

  private long total(Exchange exchange, DeadLetterQuery query) {
    if (query.queue() != null || !exchange.caller().isRestricted()) {
      return streams.deadLetters().count(query);
    }
    return streams.browser().figures(null).stream()
        .map(QueueFigures::queue)
        .filter(exchange.caller()::sees)
        .mapToLong(
            queue ->
                streams
                    .deadLetters()
                    .count(
                        DeadLetterQuery.of(queue)
                            .group(query.group())
                            .partition(query.partition())
                            .failed(query.failed())))
        .sum();
  }

  private static Map<String, Object> document(DeadLetter letter) {
    Message message = letter.message();
    return Doc.of(
        "id", message.id(),
        "transactionId", message.transactionId(),
        "partitionId", message.place().partitionId(),
        "queue", message.place().queue(),
        "partition", message.place().partition(),
        "consumerGroup", letter.group(),
        "errorMessage", letter.failure().error(),
        "retryCount", letter.failure().retryCount(),
        "data", WireTexts.data(message.payload()).data(),
        "producerSub", message.producer(),
        "createdAt", WireTexts.millis(message.createdAt()),
        "failedAt", WireTexts.millis(letter.failure().at()),
        "dlqId", letter.id(),
        "reason", letter.failure().reason().text());
  }

  private Answer purge(Exchange exchange) {
    DeadLetterQuery query = query(exchange);
    requireAll(exchange, query.queue());
    int limit = (int) Asked.number(exchange, "limit", MOST_PURGED, 1, MOST_PURGED);
    return Doc.ok(
        Doc.of("success", true, "deleted", streams.deadLetters().purge(query.limit(limit))));
  }

  private static void requireAll(Exchange exchange, @Nullable String queue) {
    if (queue == null && exchange.caller().isRestricted()) {
      throw Refusal.forbidden("a token for some names has to name the queue");
    }
  }

  private Answer redrive(Exchange exchange) {
    Back body = Asked.body(exchange, Back.class);
    String target = body.toQueue();
    if (target != null) {
      exchange.caller().require(target);
    }
    Redrive how =
        new Redrive(
            Boolean.TRUE.equals(body.toAllGroups()),
            target,
            WireTexts.some(body.toPartition()),
            null);
    List<Redriven> redriven =
        body.ids() == null
            ? streams.deadLetters().redrive(found(exchange, body), how)
            : streams.deadLetters().redrive(ids(exchange, body.ids()), how);
    return Doc.ok(
        Doc.of(
            "results",
            redriven.stream()
                .map(
                    each ->
                        Doc.of(
                            "dlqId", each.deadLetterId(),
                            "verdict", each.outcome().name().toLowerCase(Locale.ROOT),
                            "messageId", each.messageId()))
                .toList()));
  }

  private static DeadLetterQuery found(Exchange exchange, Back body) {
    if (body.queue() == null) {
      throw Refusal.malformed("ids or queue is missing");
    }
    exchange.caller().require(body.queue());
    return DeadLetterQuery.of(body.queue())
        .group(WireTexts.some(body.consumerGroup()))
        .partition(WireTexts.some(body.partition()))
        .limit((int) Asked.number(PopEndpoints.text(body.limit()), 100, 1, PAGE));
  }

  private List<UUID> ids(Exchange exchange, List<@Nullable String> texts) {
    List<UUID> ids = new ArrayList<>();
    for (String text : texts) {
      UUID id = Asked.id("ids[" + ids.size() + "]", text);
      ids.add(id);
      if (exchange.caller().isRestricted()) {
        streams
            .deadLetters()
            .get(id)
            .ifPresent(letter -> exchange.caller().require(letter.message().place().queue()));
      }
    }
    return ids;
  }
}
