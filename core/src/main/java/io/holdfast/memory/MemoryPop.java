package io.holdfast.memory;

import io.holdfast.stream.Batch;
import io.holdfast.stream.PopRequest;
import io.holdfast.stream.PopSource;
import io.holdfast.stream.Popped;
import io.holdfast.stream.Start;
import io.holdfast.stream.StreamLeases.PopAnswer;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** One pop: which queues it is about, and the first of them that has something. */
final class MemoryPop {
  private final MemoryStreamData data;
  private final PopRequest request;
  private final Instant now;

  MemoryPop(MemoryStreamData data, PopRequest request, Instant now) {
    this.data = data;
    this.request = request;
    this.now = now;
  }

  PopAnswer answer() {
    List<MemoryClaim> claims = queues().stream().map(this::open).filter(this::mayDeliver).toList();
    List<MemoryClaim> ready =
        claims.stream()
            .filter(claim -> claim.oldest() != null)
            .sorted(Comparator.comparing(claim -> Objects.requireNonNull(claim.oldest())))
            .toList();
    for (MemoryClaim claim : ready) {
      List<Batch> batches = claim.take();
      if (!batches.isEmpty()) {
        String queue = claim.group.queue.name;
        Popped popped = new Popped(queue, request.group(), List.copyOf(batches), 0);
        return new PopAnswer(popped, null, false);
      }
    }
    boolean isSeeding = claims.stream().anyMatch(claim -> !claim.group.isSeeded);
    return new PopAnswer(Popped.nothing(request.group()), nextIn(claims), isSeeding);
  }

  private @Nullable Duration nextIn(List<MemoryClaim> claims) {
    return claims.stream()
        .map(MemoryClaim::next)
        .filter(Objects::nonNull)
        .map(next -> Duration.between(now, next))
        .min(Comparator.naturalOrder())
        .orElse(null);
  }

  /** Queues that are meant, by name. */
  private List<MemoryStream> queues() {
    PopSource from = request.from();
    return data.selected(from.queue()).stream()
        .filter(queue -> from.queue() != null || isLabelled(queue, from))
        .toList();
  }

  private boolean mayDeliver(MemoryClaim claim) {
    MemoryStream queue = claim.group.queue;
    String partition = request.from().partition();
    return !data.paused.pop()
        && !queue.paused.pop()
        && (partition == null || queue.partitions.containsKey(partition));
  }

  private static boolean isLabelled(MemoryStream queue, PopSource from) {
    return isLabel(from.namespace(), queue.labels.namespace())
        && isLabel(from.task(), queue.labels.task());
  }

  private static boolean isLabel(@Nullable String wanted, @Nullable String label) {
    return wanted == null || wanted.equals(label == null ? "" : label);
  }

  /** First contact registers the group; some of its missing cursors are made. */
  private MemoryClaim open(MemoryStream queue) {
    MemoryGroup known = queue.groups.get(request.group());
    MemoryGroup group = known == null ? queue.register(request.group(), start(), now) : known;
    group.seen(now);
    String partition = request.from().partition();
    MemoryPartitionLog only = partition == null ? null : queue.partitions.get(partition);
    if (only != null) {
      group.seed(only, now);
    }
    group.seedSome(now);
    return new MemoryClaim(group, only, request, now);
  }

  private Start start() {
    if (request.group().equals(PopRequest.QUEUE_MODE)) {
      return Start.ALL;
    }
    return request.start().mode() == Start.Mode.NEW
        ? new Start(Start.Mode.NEW, now)
        : request.start();
  }
}
