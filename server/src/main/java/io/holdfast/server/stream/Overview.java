package io.holdfast.server.stream;

import io.holdfast.client.stream.WireTexts;
import io.holdfast.server.http.Caller;
import io.holdfast.stream.CursorInfo;
import io.holdfast.stream.GroupInfo;
import io.holdfast.stream.StreamInfo;
import io.holdfast.stream.Streams;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Everything in a few figures. Rates are those since somebody last asked, at least a second ago.
 * Safe for use by many threads.
 */
final class Overview {
  private static final int MOST_CURSORS = 20_000;

  private final Streams streams;
  private final Queues queues;
  private @Nullable Sample sample;
  private Rates rates = new Rates(0, 0);

  private record Sample(Instant at, long pushed, long passed) {}

  private record Rates(double in, double out) {}

  Overview(Streams streams, Queues queues) {
    this.streams = streams;
    this.queues = queues;
  }

  Map<String, Object> document(Caller caller) {
    Instant now = Instant.now();
    List<StreamInfo> seen = queues.seen(caller);
    Figures figures = Figures.of(streams, null);
    Figures.Counts all =
        seen.stream()
            .map(info -> figures.of(info.name()))
            .reduce(Figures.Counts.NONE, Figures.Counts::plus);
    Rates current = rates(now, figures);
    List<CursorInfo> late = late(seen);
    return Doc.of(
        "queues", seen.size(),
        "partitions", all.partitions(),
        "namespaces", distinct(seen.stream().map(info -> info.labels().namespace()).toList()),
        "tasks", distinct(seen.stream().map(info -> info.labels().task()).toList()),
        "messages", all.document(),
        "lag",
            Doc.of(
                "time", spread(late.stream().map(c -> Cursors.seconds(c, now)).toList()),
                "offset", spread(late.stream().map(Cursors::lag).toList())),
        "throughput", Doc.of("ingestedPerSecond", current.in, "processedPerSecond", current.out),
        "timestamp", WireTexts.millis(now),
        "statsAge", 0);
  }

  private static long distinct(List<@Nullable String> labels) {
    return labels.stream().filter(Objects::nonNull).filter(l -> !l.isEmpty()).distinct().count();
  }

  private List<CursorInfo> late(List<StreamInfo> seen) {
    Cursors cursors = new Cursors(streams.admin());
    List<CursorInfo> late = new ArrayList<>();
    for (StreamInfo info : seen) {
      if (late.size() < MOST_CURSORS) {
        cursors.of(info.name(), null).stream()
            .filter(cursor -> cursor.oldestAt() != null)
            .forEach(late::add);
      }
    }
    return late;
  }

  private static Map<String, Object> spread(List<Long> values) {
    if (values.isEmpty()) {
      return Doc.of("avg", 0, "median", 0, "min", 0, "max", 0);
    }
    List<Long> sorted = new ArrayList<>(values);
    Collections.sort(sorted);
    return Doc.of(
        "avg", sorted.stream().mapToLong(Long::longValue).sum() / sorted.size(),
        "median", sorted.get(sorted.size() / 2),
        "min", sorted.get(0),
        "max", sorted.get(sorted.size() - 1));
  }

  private synchronized Rates rates(Instant now, Figures figures) {
    long pushed = 0;
    long passed = 0;
    for (GroupInfo group : streams.admin().groups(null)) {
      passed += figures.of(group.queue()).pushed() - group.lag();
    }
    for (StreamInfo info : queues.seen(Caller.ANYBODY)) {
      pushed += figures.of(info.name()).pushed();
    }
    Sample before = sample;
    double seconds = before == null ? 0 : Duration.between(before.at, now).toMillis() / 1000.0;
    if (before != null && seconds < 1) {
      return rates;
    }
    if (before != null) {
      rates =
          new Rates(
              Math.max(0, (pushed - before.pushed) / seconds),
              Math.max(0, (passed - before.passed) / seconds));
    }
    sample = new Sample(now, pushed, passed);
    return rates;
  }
}
