package io.holdfast.server.stream;

import com.fasterxml.jackson.databind.JsonNode;
import io.holdfast.client.stream.WireTexts;
import io.holdfast.server.http.Answer;
import io.holdfast.server.http.Exchange;
import io.holdfast.server.http.Refusal;
import io.holdfast.server.http.Role;
import io.holdfast.stream.CursorInfo;
import io.holdfast.stream.CursorKey;
import io.holdfast.stream.GroupInfo;
import io.holdfast.stream.Position;
import io.holdfast.stream.Streams;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Consumer groups: where they start, where they are put, and forgetting them. */
final class GroupEndpoints {
  private static final String GROUP = "/api/v1/consumer-groups/{group}";

  private final Streams streams;

  GroupEndpoints(Streams streams) {
    this.streams = streams;
  }

  /** Where cursors are put: one of these. */
  record Seek(
      @Nullable Boolean toEnd,
      @Nullable Boolean toBegin,
      @Nullable String timestamp,
      @Nullable JsonNode offset) {}

  /** Where a group starts. */
  record Subscription(@Nullable String subscriptionTimestamp) {}

  void mount(Mount mount) {
    mount.work(
        Mount.Place.delete(GROUP, Role.ADMIN, "Forget a group").asking("deleteMetadata"),
        Mount.Types.NONE,
        this::delete);
    mount.work(
        Mount.Place.delete(GROUP + "/queues/{queue}", Role.ADMIN, "Forget a group of a queue")
            .asking("deleteMetadata"),
        Mount.Types.NONE,
        this::deleteOfQueue);
    mount.work(
        Mount.Place.post(GROUP + "/subscription", Role.WORK, "Change where a group starts"),
        Mount.Types.of(Subscription.class, null),
        this::start);
    mount.work(
        Mount.Place.post(GROUP + "/queues/{queue}/seek", Role.WORK, "Put a group's cursors"),
        Mount.Types.of(Seek.class, null),
        this::seek);
    mount.work(
        Mount.Place.post(
            GROUP + "/queues/{queue}/partitions/{partition}/seek",
            Role.WORK,
            "Put a group's cursor in a partition"),
        Mount.Types.of(Seek.class, null),
        this::seekPartition);
  }

  private Answer delete(Exchange exchange) {
    String group = exchange.parameter("group");
    boolean isForgotten = Asked.flag(exchange, "deleteMetadata", true);
    int deleted;
    if (exchange.caller().isRestricted()) {
      deleted =
          streams.admin().groups(null).stream()
              .filter(info -> info.name().equals(group) && exchange.caller().sees(info.queue()))
              .map(GroupInfo::queue)
              .mapToInt(queue -> streams.admin().deleteGroup(group, queue, !isForgotten))
              .sum();
    } else {
      deleted = streams.admin().deleteGroup(group, null, !isForgotten);
    }
    return Doc.ok(deleted(group, deleted, isForgotten));
  }

  private static Map<String, Object> deleted(String group, int deleted, boolean isForgotten) {
    return Doc.of(
        "success", true,
        "consumerGroup", group,
        "deletedPartitions", deleted,
        "metadataDeleted", isForgotten);
  }

  private Answer deleteOfQueue(Exchange exchange) {
    String group = exchange.parameter("group");
    String queue = exchange.parameter("queue");
    exchange.caller().require(queue);
    boolean isForgotten = Asked.flag(exchange, "deleteMetadata", true);
    int deleted = streams.admin().deleteGroup(group, queue, !isForgotten);
    return Doc.ok(Doc.with(deleted(group, deleted, isForgotten), "queueName", queue));
  }

  private Answer start(Exchange exchange) {
    String group = exchange.parameter("group");
    if (exchange.caller().isRestricted()) {
      throw Refusal.forbidden("a token for some names cannot change a group of all queues");
    }
    Subscription body = Asked.body(exchange, Subscription.class);
    Instant at = Asked.instant("subscriptionTimestamp", body.subscriptionTimestamp());
    if (at == null) {
      throw Refusal.malformed("subscriptionTimestamp is missing");
    }
    return Doc.ok(
        Doc.of(
            "success",
            true,
            "consumerGroup",
            group,
            "newTimestamp",
            WireTexts.millis(at),
            "rowsUpdated",
            streams.admin().startGroupAt(group, at)));
  }

  /** Where to; null when nothing is said. */
  private static @Nullable Position position(Seek body) {
    if (Boolean.TRUE.equals(body.toEnd())) {
      return Position.END;
    }
    if (Boolean.TRUE.equals(body.toBegin())) {
      return Position.BEGIN;
    }
    JsonNode offset = body.offset();
    if (offset != null && !offset.isNull()) {
      if (!offset.isIntegralNumber() || !offset.canConvertToLong()) {
        throw Refusal.malformed("offset is not a whole number");
      }
      return Position.offset(offset.longValue());
    }
    Instant at = Asked.instant("timestamp", body.timestamp());
    return at == null ? null : Position.at(at);
  }

  private Answer seek(Exchange exchange) {
    Position to = position(Asked.body(exchange, Seek.class));
    if (to == null) {
      throw Refusal.malformed("toEnd, toBegin, timestamp or offset is missing");
    }
    String queue = exchange.parameter("queue");
    String group = exchange.parameter("group");
    exchange.caller().require(queue);
    return Doc.ok(
        Doc.with(
            sought(group, queue, to),
            "partitionsUpdated",
            streams.admin().seek(queue, group, null, to)));
  }

  private static Map<String, Object> sought(String group, String queue, Position to) {
    return Doc.of(
        "success",
        true,
        "consumerGroup",
        group,
        "queueName",
        queue,
        "seekToEnd",
        to.kind() == Position.Kind.END,
        "targetTimestamp",
        WireTexts.millisOrNull(to.at()));
  }

  private Answer seekPartition(Exchange exchange) {
    Position asked = position(Asked.optionalBody(exchange, Seek.class));
    Position to = asked == null ? Position.END : asked;
    String queue = exchange.parameter("queue");
    String group = exchange.parameter("group");
    String partition = exchange.parameter("partition");
    exchange.caller().require(queue);
    boolean isMoved = streams.admin().seek(queue, group, partition, to) > 0;
    List<CursorInfo> cursor =
        streams.admin().cursors(queue, group, new CursorKey(queue, partition, ""), 1);
    return Doc.ok(
        Doc.with(
            sought(group, queue, to),
            "partitionName",
            partition,
            "updated",
            isMoved,
            "cursorMovedTo",
            cursor.isEmpty() ? null : cursor.get(0).committed()));
  }
}
