package io.holdfast.server.stream;

import io.holdfast.client.stream.WireTexts;
import io.holdfast.server.http.Answer;
import io.holdfast.server.http.Exchange;
import io.holdfast.server.http.Refusal;
import io.holdfast.server.http.Role;
import io.holdfast.stream.CursorKey;
import io.holdfast.stream.DeadLetter;
import io.holdfast.stream.DeadLetterQuery;
import io.holdfast.stream.Message;
import io.holdfast.stream.MessageQuery;
import io.holdfast.stream.MessageStatus;
import io.holdfast.stream.PageKey;
import io.holdfast.stream.StoredMessage;
import io.holdfast.stream.StreamInfo;
import io.holdfast.stream.StreamOption;
import io.holdfast.stream.StreamRules;
import io.holdfast.stream.Streams;
import io.holdfast.stream.StuckPartition;
import io.holdfast.stream.TimeRange;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Looking at messages. */
final class MessageEndpoints {
  private static final int PAGE = 1_000;
  private static final long MOST_SKIPPED = 100_000;

  /** How many messages one answer may look at when it wants those of one status. */
  private static final int MOST_SEEN = 20_000;

  private final Streams streams;
  private final Partitions partitions;
  private final Queues queues;

  MessageEndpoints(Streams streams, Partitions partitions) {
    this.streams = streams;
    this.partitions = partitions;
    this.queues = new Queues(streams);
  }

  void mount(Mount mount) {
    String one = "/api/v1/messages/{partitionId}/{transactionId}";
    mount.work(
        Mount.Place.get("/api/v1/messages", "Messages, newest first")
            .asking(
                "queue",
                "partition",
                "ns",
                "task",
                "status",
                "from",
                "to",
                "afterCreatedAt",
                "afterId",
                "limit",
                "offset"),
        Mount.Types.NONE,
        this::list);
    mount.work(Mount.Place.get(one, "A message"), Mount.Types.NONE, this::get);
    mount.work(
        Mount.Place.delete(one, Role.ADMIN, "Delete a message"), Mount.Types.NONE, this::delete);
    mount.work(
        Mount.Place.get("/api/v1/messages/by-trace/{traceId}", "Messages of a trace"),
        Mount.Types.NONE,
        this::byTrace);
    mount.work(
        Mount.Place.get("/api/v1/status/queues/{queue}/messages", "The newest messages of a queue")
            .asking("limit", "offset"),
        Mount.Types.NONE,
        this::ofQueue);
  }

  /** What is asked for, over all queues. */
  private record Wanted(
      @Nullable String partition,
      @Nullable String status,
      TimeRange created,
      @Nullable PageKey after,
      long count) {}

  private Answer list(Exchange exchange) {
    long limit = Asked.number(exchange, "limit", 200, 1, PAGE);
    long offset = Asked.number(exchange, "offset", 0, 0, MOST_SKIPPED);
    TimeRange range = Asked.range(exchange);
    Instant from = range.from() == null ? Instant.now().minus(Duration.ofHours(1)) : range.from();
    List<StreamInfo> asked = asked(exchange);
    Wanted wanted =
        new Wanted(
            Asked.text(exchange, "partition"),
            Asked.text(exchange, "status"),
            new TimeRange(from, range.to()),
            after(exchange, asked),
            offset + limit);
    return answer(asked, wanted, offset, limit);
  }

  private @Nullable PageKey after(Exchange exchange, List<StreamInfo> asked) {
    Instant at = Asked.instant("afterCreatedAt", Asked.text(exchange, "afterCreatedAt"));
    if (at == null) {
      return null;
    }
    UUID id = Asked.id("afterId", Asked.text(exchange, "afterId"));
    return new PageKey(exactly(asked, at, id), id);
  }

  /** When the message was pushed: to the microsecond, of which an answer shows milliseconds. */
  private Instant exactly(List<StreamInfo> asked, Instant at, UUID id) {
    TimeRange moment = new TimeRange(at, at.plusMillis(1));
    for (StreamInfo queue : asked) {
      MessageQuery query = MessageQuery.of(queue.name()).created(moment).limit(PAGE);
      List<StoredMessage> page;
      do {
        page = streams.browser().messages(query);
        for (StoredMessage message : page) {
          if (message.message().id().equals(id)) {
            return message.message().createdAt();
          }
        }
        query = page.isEmpty() ? query : query.after(key(page.get(page.size() - 1)));
      } while (!isLast(page, query));
    }
    return at;
  }

  private static boolean isLast(List<StoredMessage> page, MessageQuery query) {
    return StreamRules.isLast(page, query.limit(), StoredMessage::message);
  }

  private static PageKey key(StoredMessage message) {
    return new PageKey(message.message().createdAt(), message.message().id());
  }

  /** The queues that are meant. */
  private List<StreamInfo> asked(Exchange exchange) {
    String queue = Asked.text(exchange, "queue");
    if (queue != null) {
      exchange.caller().require(queue);
      return streams.admin().find(queue).stream().toList();
    }
    String namespace = Asked.text(exchange, "ns");
    String task = Asked.text(exchange, "task");
    return queues.seen(exchange.caller()).stream()
        .filter(info -> namespace == null || namespace.equals(info.labels().namespace()))
        .filter(info -> task == null || task.equals(info.labels().task()))
        .toList();
  }

  private Answer answer(List<StreamInfo> asked, Wanted wanted, long offset, long limit) {
    List<Map<String, Object>> documents = new ArrayList<>();
    List<Found> found = new ArrayList<>();
    asked.forEach(info -> found.addAll(found(info, wanted)));
    found.sort(Comparator.comparing(Found::createdAt).thenComparing(Found::id).reversed());
    Doc.cut(found, offset, limit).forEach(each -> documents.add(each.document()));
    return Doc.ok(Doc.of("messages", documents, "mode", MessageView.mode(streams, asked)));
  }

  private record Found(Instant createdAt, UUID id, Map<String, Object> document) {}

  private List<Found> found(StreamInfo queue, Wanted wanted) {
    String partition = wanted.partition;
    if (partition != null && streams.browser().partition(queue.name(), partition).isEmpty()) {
      return List.of();
    }
    MessageView view = new MessageView(streams, queue);
    List<Found> found = new ArrayList<>();
    MessageQuery query =
        MessageQuery.of(queue.name())
            .partition(partition)
            .created(wanted.created)
            .after(wanted.after)
            .limit((int) Math.min(PAGE, wanted.status == null ? wanted.count : PAGE));
    int seen = 0;
    while (found.size() < wanted.count && seen < MOST_SEEN) {
      List<StoredMessage> page = streams.browser().messages(query);
      for (StoredMessage message : page) {
        Map<String, Object> document = view.document(message);
        if (wanted.status == null || wanted.status.equals(document.get("status"))) {
          found.add(new Found(message.message().createdAt(), message.message().id(), document));
        }
      }
      seen += page.size();
      if (isLast(page, query)) {
        break;
      }
      query = query.after(key(page.get(page.size() - 1)));
    }
    return found;
  }

  private Answer ofQueue(Exchange exchange) {
    String queue = exchange.parameter("queue");
    exchange.caller().require(queue);
    long limit = Asked.number(exchange, "limit", 50, 1, PAGE);
    long offset = Asked.number(exchange, "offset", 0, 0, MOST_SKIPPED);
    StreamInfo info = queues.get(queue);
    Wanted wanted = new Wanted(null, null, TimeRange.ALL, null, offset + limit);
    return answer(List.of(info), wanted, offset, limit);
  }

  private StoredMessage find(Exchange exchange) {
    UUID partition = WireTexts.id(exchange.parameter("partitionId"));
    Optional<StoredMessage> found = Optional.empty();
    if (partition != null) {
      partitions.require(exchange, partition);
      found = streams.browser().message(partition, exchange.parameter("transactionId"));
    }
    return found.orElseThrow(() -> new StreamDialect.NotFound("there is no such message"));
  }

  private Answer get(Exchange exchange) {
    StoredMessage message = find(exchange);
    StreamInfo queue = queues.get(message.message().place().queue());
    MessageView view = new MessageView(streams, queue);
    Setback setback = setback(message);
    Map<String, Object> document =
        Doc.with(
            view.document(message),
            "payload",
            WireTexts.data(message.message().payload()).data(),
            "isEncrypted",
            message.isEncrypted(),
            "errorMessage",
            setback.error,
            "retryCount",
            setback.retries,
            "queueConfig",
            Doc.of(
                "leaseTime", queue.settings().number(StreamOption.LEASE_TIME),
                "retryLimit", queue.settings().number(StreamOption.RETRY_LIMIT),
                "retryDelay", queue.settings().number(StreamOption.RETRY_DELAY),
                "ttl", queue.settings().number(StreamOption.TTL),
                "priority", queue.settings().number(StreamOption.PRIORITY)),
            "mode",
            MessageView.mode(streams, List.of(queue)),
            "consumerGroups",
            view.groups(message));
    return Doc.ok(document);
  }

  /** What went wrong with a message last. */
  private record Setback(@Nullable String error, int retries) {
    static final Setback NONE = new Setback(null, 0);
  }

  private Setback setback(StoredMessage message) {
    return message.status().containsValue(MessageStatus.DEAD_LETTER)
        ? given(message)
        : retried(message);
  }

  private Setback given(StoredMessage message) {
    UUID id = message.message().id();
    DeadLetterQuery query =
        DeadLetterQuery.of(message.message().place().queue())
            .partition(message.message().place().partition())
            .limit(PAGE);
    int seen = 0;
    while (seen < MOST_SEEN) {
      List<DeadLetter> page = streams.deadLetters().list(query);
      for (DeadLetter letter : page) {
        if (letter.message().id().equals(id)) {
          return new Setback(letter.failure().error(), letter.failure().retryCount());
        }
      }
      if (StreamRules.isLast(page, PAGE, DeadLetter::message)) {
        break;
      }
      seen += page.size();
      query = query.after(page.get(page.size() - 1).key());
    }
    return Setback.NONE;
  }

  /** Only the head of a partition is tried again, so its group says what happened to it. */
  private Setback retried(StoredMessage message) {
    Message.Place place = message.message().place();
    return streams.browser().stuck(place.queue()).stream()
        .filter(stuck -> stuck.reason() == StuckPartition.Reason.RETRYING)
        .filter(stuck -> stuck.cursor().partition().equals(place.partition()))
        .filter(stuck -> isHead(place, stuck.cursor().group()))
        .findFirst()
        .map(
            stuck ->
                new Setback(
                    stuck.error(),
                    stuck.leasedAt() == null ? stuck.attempt() : stuck.attempt() - 1))
        .orElse(Setback.NONE);
  }

  private boolean isHead(Message.Place place, String group) {
    CursorKey before = new CursorKey(place.queue(), place.partition(), "");
    return streams.admin().cursors(place.queue(), group, before, 1).stream()
        .anyMatch(
            cursor ->
                cursor.partitionId().equals(place.partitionId())
                    && cursor.committed() + 1 == place.offset());
  }

  private Answer delete(Exchange exchange) {
    StoredMessage message = find(exchange);
    UUID partition = message.message().place().partitionId();
    String transaction = message.message().transactionId();
    boolean isGone = streams.browser().delete(partition, transaction);
    if (!isGone) {
      throw new StreamDialect.NotFound("there is no such message");
    }
    return Doc.ok(
        Doc.of(
            "success",
            true,
            "partitionId",
            partition,
            "transactionId",
            transaction,
            "message",
            "The message was deleted"));
  }

  private Answer byTrace(Exchange exchange) {
    UUID trace = WireTexts.id(exchange.parameter("traceId"));
    if (trace == null) {
      throw Refusal.malformed("traceId is not an id");
    }
    List<Map<String, Object>> documents = new ArrayList<>();
    for (StoredMessage message : streams.browser().byTrace(trace)) {
      String queue = message.message().place().queue();
      if (exchange.caller().sees(queue)) {
        streams
            .admin()
            .find(queue)
            .map(info -> new MessageView(streams, info).document(message))
            .map(
                document ->
                    Doc.with(
                        document, "payload", WireTexts.data(message.message().payload()).data()))
            .ifPresent(documents::add);
      }
    }
    return Doc.ok(Doc.of("traceId", trace, "messages", documents));
  }
}
