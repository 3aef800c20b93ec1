package io.holdfast.server.stream;

import io.holdfast.stream.ActiveLease;
import io.holdfast.stream.Depth;
import io.holdfast.stream.QueueFigures;
import io.holdfast.stream.Streams;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** How many messages queues have, from their counters. */
final class Figures {
  private final Map<String, Counts> counts = new HashMap<>();

  /**
   * Of one queue.
   *
   * @param pending what the slowest group has not passed, with what is being processed
   */
  record Counts(
      long partitions, long pushed, long total, long pending, long processing, long dead) {
    static final Counts NONE = new Counts(0, 0, 0, 0, 0, 0);

    /** In nobody's hands. */
    long waiting() {
      return Math.max(0, pending - processing);
    }

    /** Passed by everybody, and not given up. */
    long completed() {
      return Math.max(0, total - pending - dead);
    }

    Map<String, Object> document() {
      return Doc.of(
          "total",
          total,
          "pending",
          waiting(),
          "processing",
          processing,
          "completed",
          completed(),
          "failed",
          0,
          "deadLetter",
          dead);
    }

    Counts plus(Counts other) {
      return new Counts(
          partitions + other.partitions,
          pushed + other.pushed,
          total + other.total,
          pending + other.pending,
          processing + other.processing,
          dead + other.dead);
    }
  }

  /** Of one queue, or with null of all. */
  static Figures of(Streams streams, @Nullable String queue) {
    Figures figures = new Figures();
    Map<String, Map<String, Long>> processing = new HashMap<>();
    for (ActiveLease lease : streams.browser().leases(queue)) {
      processing
          .computeIfAbsent(lease.cursor().queue(), name -> new HashMap<>())
          .merge(lease.cursor().partition(), (long) lease.messages(), Math::max);
    }
    Map<String, Long> pending = new HashMap<>();
    List<Depth> depths =
        queue == null ? streams.browser().depths() : List.of(streams.browser().depth(queue));
    depths.forEach(depth -> pending.put(depth.queue(), depth.depth()));
    for (QueueFigures each : streams.browser().figures(queue)) {
      figures.counts.put(
          each.queue(),
          new Counts(
              each.partitions(),
              each.pushed(),
              each.retained(),
              pending.getOrDefault(each.queue(), 0L),
              sum(processing.getOrDefault(each.queue(), Map.of())),
              each.dead()));
    }
    return figures;
  }

  /** Each partition counts once, by the group that has most of it in hand. */
  private static long sum(Map<String, Long> partitions) {
    return partitions.values().stream().mapToLong(Long::longValue).sum();
  }

  Counts of(String queue) {
    return counts.getOrDefault(queue, Counts.NONE);
  }
}
