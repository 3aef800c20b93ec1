package io.holdfast.job;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Divides places among queues by their weights, turn by turn, so that each queue gets its share of
 * any longer run of turns. It also remembers up to when nothing of a queue had become due or
 * expired, which spares the store a walk over what is dead. Used by one thread.
 */
final class Shares {
  private static final long FLOOR_NANOS = TimeUnit.SECONDS.toNanos(1);
  private static final Duration MARGIN = Duration.ofSeconds(1);

  private final Map<String, Turns> queues = new LinkedHashMap<>();
  private final boolean hasFloors;
  private boolean isQuiet = true;

  Shares(Map<String, Integer> weights, boolean hasFloors) {
    this.hasFloors = hasFloors;
    weights.forEach((queue, weight) -> queues.put(queue, new Turns(weight)));
  }

  /** How often it is a queue's turn. */
  private static final class Turns {
    final int weight;
    long credit;
    @Nullable Instant clearAt;
    long clearNanos;

    Turns(int weight) {
      this.weight = weight;
    }
  }

  /**
   * The parts of {@code limit} places, for the queues that are open. While there is nothing
   * anywhere, each of them may have all.
   */
  List<ReserveRequest.Share> divide(int limit, Predicate<String> isOpen, long nowNanos) {
    List<String> open = queues.keySet().stream().filter(isOpen).toList();
    if (open.isEmpty()) {
      return List.of();
    }
    if (isQuiet) {
      return open.stream().map(queue -> share(queue, limit, nowNanos)).toList();
    }
    Map<String, Integer> counts = new LinkedHashMap<>();
    for (int i = 0; i < limit; i++) {
      counts.merge(next(open), 1, Integer::sum);
    }
    List<ReserveRequest.Share> shares = new ArrayList<>();
    counts.forEach((queue, max) -> shares.add(share(queue, max, nowNanos)));
    return shares;
  }

  private String next(List<String> open) {
    if (open.size() == 1) {
      return open.get(0);
    }
    String best = open.get(0);
    long total = 0;
    for (String queue : open) {
      Turns turns = turns(queue);
      turns.credit += turns.weight;
      total += turns.weight;
      if (turns.credit > turns(best).credit) {
        best = queue;
      }
    }
    turns(best).credit -= total;
    return best;
  }

  private Turns turns(String queue) {
    return Objects.requireNonNull(queues.get(queue));
  }

  private ReserveRequest.Share share(String queue, int max, long nowNanos) {
    Turns turns = turns(queue);
    Instant clearAt = turns.clearAt;
    boolean isFresh = hasFloors && clearAt != null && nowNanos - turns.clearNanos < FLOOR_NANOS;
    return new ReserveRequest.Share(queue, max, isFresh ? clearAt : null);
  }

  /**
   * Lends the places that some queues left empty to those that may have more than their share. An
   * answer that was cut short says nothing about who left any.
   */
  List<ReserveRequest.Share> lend(
      ReserveRequest request, Reserved reserved, Predicate<String> isOpen, long nowNanos) {
    int left = request.limit() - reserved.jobs().size();
    if (left <= 0 || reserved.more()) {
      return List.of();
    }
    Set<String> empty = emptied(request, reserved);
    return queues.keySet().stream()
        .filter(queue -> isOpen.test(queue) && !empty.contains(queue))
        .map(queue -> share(queue, left, nowNanos))
        .toList();
  }

  /** The queues that were asked and gave less than they might have. */
  private static Set<String> emptied(ReserveRequest request, Reserved reserved) {
    Map<String, Integer> got = new HashMap<>();
    reserved.jobs().forEach(job -> got.merge(job.job().queue(), 1, Integer::sum));
    return request.queues().stream()
        .filter(share -> got.getOrDefault(share.queue(), 0) < share.max())
        .map(ReserveRequest.Share::queue)
        .collect(Collectors.toSet());
  }

  /** Whether the last round brought nothing at all. */
  void quiet(boolean value) {
    isQuiet = value;
  }

  /** Notes what an answer says about queues that gave less than they might have. */
  void heard(ReserveRequest request, Reserved reserved, long nowNanos) {
    if (reserved.jobs().size() >= request.limit() || reserved.more()) {
      return;
    }
    Set<String> empty = emptied(request, reserved);
    for (ReserveRequest.Share share : request.queues()) {
      boolean isKnown = empty.contains(share.queue()) && !reserved.paused().contains(share.queue());
      if (share.floor() == null && isKnown) {
        Turns turns = turns(share.queue());
        turns.clearAt = reserved.at().minus(MARGIN);
        turns.clearNanos = nowNanos;
      }
    }
  }
}
