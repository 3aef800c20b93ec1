package io.holdfast.server.stream;

import io.holdfast.client.stream.WireTexts;
import io.holdfast.server.http.Answer;
import io.holdfast.server.http.Exchange;
import io.holdfast.server.stream.Mount.Place;
import io.holdfast.stream.ActiveLease;
import io.holdfast.stream.CursorInfo;
import io.holdfast.stream.CursorKey;
import io.holdfast.stream.Explanation;
import io.holdfast.stream.GroupInfo;
import io.holdfast.stream.StreamError;
import io.holdfast.stream.StreamException;
import io.holdfast.stream.Streams;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Who reads what, how late, and what is stuck. */
final class MonitorEndpoints {
  private static final long LAGGING_SECONDS = 300;
  private static final double SECONDS_PER_HOUR = 3600.0;

  private final Streams streams;
  private final Cursors cursors;

  MonitorEndpoints(Streams streams) {
    this.streams = streams;
    this.cursors = new Cursors(streams.admin());
  }

  void mount(Mount mount) {
    String groups = "/api/v1/consumer-groups";
    add(mount, Place.get(groups, "All consumer groups"), this::groups);
    add(
        mount,
        Place.get(groups + "/lagging", "Partitions that groups are late with")
            .asking("minLagSeconds"),
        this::lagging);
    add(mount, Place.get(groups + "/{group}", "Where a group is"), this::group);
    add(
        mount,
        Place.get("/api/v1/leases", "Partitions that are held now").asking("queue"),
        this::leases);
    add(
        mount,
        Place.get("/api/v1/partitions/utilization", "How many are held now").asking("queue"),
        this::utilization);
    add(
        mount,
        Place.get("/api/v1/partitions/stuck", "Partitions to look at").asking("queue"),
        this::stuck);
    add(
        mount,
        Place.get("/api/v1/explain", "Why a partition is not delivered")
            .asking("queue", "partition", "consumerGroup"),
        this::explain);
  }

  private static void add(Mount mount, Place place, Function<Exchange, Answer> endpoint) {
    mount.work(place, Mount.Types.NONE, endpoint);
  }

  private List<GroupInfo> seen(Exchange exchange) {
    return streams.admin().groups(null).stream()
        .filter(group -> exchange.caller().sees(group.queue()))
        .toList();
  }

  private Answer groups(Exchange exchange) {
    List<ActiveLease> leases = streams.browser().leases(null);
    Instant now = Instant.now();
    return Doc.ok(seen(exchange).stream().map(group -> document(group, leases, now)).toList());
  }

  private Map<String, Object> document(GroupInfo group, List<ActiveLease> leases, Instant now) {
    List<CursorInfo> late =
        cursors.of(group.queue(), group.name()).stream()
            .filter(cursor -> Cursors.lag(cursor) > 0)
            .toList();
    long members =
        leases.stream()
            .filter(lease -> lease.cursor().queue().equals(group.queue()))
            .filter(lease -> lease.cursor().group().equals(group.name()))
            .map(ActiveLease::leaseId)
            .distinct()
            .count();
    long seconds = late.stream().mapToLong(cursor -> Cursors.seconds(cursor, now)).max().orElse(0);
    String state = group.isAbandoned() ? "Dead" : seconds > LAGGING_SECONDS ? "Lagging" : "Stable";
    return Doc.of(
        "name", group.name(),
        "topics", List.of(group.queue()),
        "queueName", group.queue(),
        "members", members,
        "partitionsWithLag", late.size(),
        "totalLag", group.lag(),
        "maxTimeLag", seconds,
        "state", state,
        "subscriptionMode", group.start().mode().name().toLowerCase(Locale.ROOT),
        "subscriptionTimestamp", WireTexts.millisOrNull(group.start().at()),
        "subscriptionCreatedAt", WireTexts.millis(group.createdAt()),
        "lastSeenAt", WireTexts.millis(group.lastSeenAt()));
  }

  private Answer group(Exchange exchange) {
    String name = exchange.parameter("group");
    Instant now = Instant.now();
    Map<String, Object> document = new LinkedHashMap<>();
    for (GroupInfo group : seen(exchange)) {
      if (group.name().equals(name)) {
        List<Map<String, Object>> partitions =
            cursors.of(group.queue(), name).stream()
                .map(
                    cursor ->
                        Doc.of(
                            "partition", cursor.key().partition(),
                            "workerId", cursor.leaseId(),
                            "lastConsumedAt", WireTexts.millisOrNull(cursor.lastAckAt()),
                            "totalConsumed", cursor.committed(),
                            "offsetLag", Cursors.lag(cursor),
                            "timeLagSeconds", Cursors.seconds(cursor, now),
                            "leaseActive", cursor.leaseId() != null))
                .toList();
        document.put(group.queue(), Doc.of("partitions", partitions));
      }
    }
    if (document.isEmpty()) {
      throw new StreamException(
          StreamError.GROUP_NOT_FOUND, "there is no consumer group named '" + name + "'", null);
    }
    return Doc.ok(document);
  }

  private Answer lagging(Exchange exchange) {
    long least = Asked.number(exchange, "minLagSeconds", 3600, 0, Long.MAX_VALUE);
    Instant now = Instant.now();
    List<Map<String, Object>> late = new ArrayList<>();
    for (GroupInfo group : seen(exchange)) {
      for (CursorInfo cursor : cursors.of(group.queue(), group.name())) {
        if (cursor.oldestAt() != null && Cursors.seconds(cursor, now) >= least) {
          late.add(lagging(cursor, Cursors.seconds(cursor, now)));
        }
      }
    }
    return Doc.ok(late);
  }

  private static Map<String, Object> lagging(CursorInfo cursor, long seconds) {
    return Doc.of(
        "consumer_group", cursor.key().group(),
        "queue_name", cursor.key().queue(),
        "partition_name", cursor.key().partition(),
        "partition_id", cursor.partitionId(),
        "worker_id", cursor.leaseId(),
        "offset_lag", Cursors.lag(cursor),
        "time_lag_seconds", seconds,
        "lag_hours", seconds / SECONDS_PER_HOUR,
        "oldest_unconsumed_at", WireTexts.millisOrNull(cursor.oldestAt()),
        "last_consumed_at", WireTexts.millisOrNull(cursor.lastAckAt()));
  }

  private static @Nullable String queue(Exchange exchange) {
    String queue = Asked.text(exchange, "queue");
    if (queue != null) {
      exchange.caller().require(queue);
    }
    return queue;
  }

  private Answer leases(Exchange exchange) {
    Instant now = Instant.now();
    return Doc.ok(
        Doc.of(
            "leases",
            streams.browser().leases(queue(exchange)).stream()
                .filter(lease -> exchange.caller().sees(lease.cursor().queue()))
                .map(
                    lease ->
                        Doc.with(
                            names(lease.cursor()),
                            "leaseId",
                            lease.leaseId(),
                            "fence",
                            lease.fence(),
                            "leaseStartedAt",
                            WireTexts.millis(lease.startedAt()),
                            "leaseExpiresAt",
                            WireTexts.millis(lease.expiresAt()),
                            "messageCount",
                            lease.messages(),
                            "secondsRemaining",
                            Math.max(0, Duration.between(now, lease.expiresAt()).toSeconds())))
                .toList()));
  }

  private static Map<String, Object> names(CursorKey cursor) {
    return Doc.of(
        "queue", cursor.queue(), "partition", cursor.partition(), "consumerGroup", cursor.group());
  }

  private Answer utilization(Exchange exchange) {
    return Doc.ok(
        Doc.of(
            "queues",
            streams.browser().utilization(queue(exchange)).stream()
                .filter(each -> exchange.caller().sees(each.queue()))
                .map(
                    each ->
                        Doc.of(
                            "queue", each.queue(),
                            "totalPartitions", each.partitions(),
                            "leasedPartitions", each.leased(),
                            "utilizationPct", each.percent()))
                .toList()));
  }

  private Answer stuck(Exchange exchange) {
    return Doc.ok(
        Doc.of(
            "partitions",
            streams.browser().stuck(queue(exchange)).stream()
                .filter(each -> exchange.caller().sees(each.cursor().queue()))
                .map(
                    each ->
                        Doc.with(
                            names(each.cursor()),
                            "reason",
                            each.reason().name().toLowerCase(Locale.ROOT),
                            "leaseStartedAt",
                            WireTexts.millisOrNull(each.leasedAt()),
                            "readyAt",
                            WireTexts.millisOrNull(each.readyAt()),
                            "leaseHeldSeconds",
                            each.heldFor().toSeconds(),
                            "attempt",
                            each.attempt(),
                            "error",
                            each.error()))
                .toList()));
  }

  private Answer explain(Exchange exchange) {
    String queue = exchange.query("queue").orElse(null);
    String partition = Asked.text(exchange, "partition");
    if (queue == null || partition == null) {
      throw io.holdfast.server.http.Refusal.malformed("queue or partition is missing");
    }
    exchange.caller().require(queue);
    Explanation why =
        streams
            .browser()
            .explain(
                new CursorKey(
                    queue, partition, Asked.group(exchange.query("consumerGroup").orElse(null))));
    return Doc.ok(
        Doc.with(
            names(why.cursor()),
            "state",
            why.state().name().toLowerCase(Locale.ROOT),
            "pending",
            why.pending(),
            "until",
            WireTexts.millisOrNull(why.until()),
            "detail",
            why.detail()));
  }
}
