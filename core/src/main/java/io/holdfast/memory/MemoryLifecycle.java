package io.holdfast.memory;

import io.holdfast.queue.Changes;
import io.holdfast.queue.ItemLifecycle.Due;
import io.holdfast.queue.ItemLifecycle.Info;
import io.holdfast.queue.ItemLifecycle.Kind;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** What the passing of time does to items, within one {@link MemoryStep}. */
final class MemoryLifecycle {
  private static final long MICROS_PER_SECOND = 1_000_000;

  private final MemoryStep step;

  MemoryLifecycle(MemoryStep step) {
    this.step = step;
  }

  List<Due> scanScheduled(int limit) {
    return due(step.items.all().filter(MemoryItem::isScheduled), item -> item.enqueueAt, limit);
  }

  List<Due> scanActions(int limit) {
    Stream<MemoryItem> leased = step.items.all().filter(item -> item.isLeased);
    List<Due> lapsed = due(leased, item -> item.leaseDeadline, limit);
    List<Due> expired = due(step.items.ready(), item -> item.expireDeadline, limit);
    return Stream.concat(lapsed.stream(), expired.stream()).limit(limit).toList();
  }

  private List<Due> due(
      Stream<MemoryItem> items, Function<MemoryItem, @Nullable Instant> order, int limit) {
    Comparator<MemoryItem> earliest =
        Comparator.comparing(item -> Objects.requireNonNull(order.apply(item)));
    return items
        .sorted(earliest.thenComparing(item -> item.id))
        .map(this::due)
        .filter(Objects::nonNull)
        .limit(limit)
        .map(Due.class::cast)
        .toList();
  }

  /** What is to be done with an item at this moment; null for nothing. */
  private @Nullable Due due(MemoryItem item) {
    if (item.isScheduled()) {
      Instant at = Objects.requireNonNull(item.enqueueAt);
      return at.isAfter(step.now) ? null : due(Kind.QUEUE_SCHEDULED, item, at);
    }
    if (item.isLeased && !item.isLapsed(step.now)) {
      return null;
    }
    if (item.isLeased && step.isExhausted(item)) {
      return due(Kind.MAX_ATTEMPTS, item, item.leaseDeadline);
    }
    if (item.isExpired(step.now)) {
      return due(Kind.ITEM_EXPIRED, item, item.expireDeadline);
    }
    return item.isLeased ? due(Kind.LEASE_EXPIRED, item, item.leaseDeadline) : null;
  }

  private static Due due(Kind kind, MemoryItem item, @Nullable Instant deadline) {
    return new Due(kind, item.id, item.attempts, deadline);
  }

  Changes takeAction(List<Due> page) {
    Changes changes = Changes.NONE;
    for (Due due : page) {
      MemoryItem item = step.items.byId.get(due.id());
      Kind kind = item == null ? null : judged(due, item);
      if (item != null && kind != null) {
        changes = changes.plus(take(kind, item));
      }
    }
    return changes;
  }

  /**
   * What is to be done now with an item that was due; null when the lease is another one or it is
   * not due. The queue may have changed since the scan, so the kind is decided again.
   */
  private @Nullable Kind judged(Due due, MemoryItem item) {
    if (due.kind() == Kind.DELETE) {
      return Kind.DELETE;
    }
    Due now = due(item);
    boolean isSameState =
        item.isScheduled() == (due.kind() == Kind.QUEUE_SCHEDULED)
            && (item.isLeased
                ? due.kind() == Kind.ITEM_EXPIRED
                    || Objects.equals(item.leaseDeadline, due.deadline())
                : item.isScheduled() || due.kind() == Kind.ITEM_EXPIRED);
    return now == null || !isSameState ? null : now.kind();
  }

  private Changes take(Kind kind, MemoryItem item) {
    return switch (kind) {
      case QUEUE_SCHEDULED ->
          item.isExpired(step.now) ? step.deadLetter(item, "expired") : step.toTail(item);
      case LEASE_EXPIRED -> step.toTail(item);
      case MAX_ATTEMPTS -> step.deadLetter(item, "exhausted");
      case ITEM_EXPIRED -> step.deadLetter(item, "expired");
      case DELETE -> new MemoryItemAdmin(step).remove(item);
    };
  }

  Info info() {
    return new Info(
        earliest(step.items.all().filter(i -> i.isLeased).map(i -> i.leaseDeadline)),
        earliest(step.items.ready().map(i -> i.expireDeadline)),
        earliest(step.items.all().filter(MemoryItem::isScheduled).map(i -> i.enqueueAt)));
  }

  private OptionalLong earliest(Stream<@Nullable Instant> deadlines) {
    return deadlines
        .map(Objects::requireNonNull)
        .mapToLong(deadline -> micros(Duration.between(step.now, deadline)))
        .min();
  }

  /** Also for centuries, which {@link Instant#until} counts in nanoseconds first. */
  private static long micros(Duration left) {
    return left.getSeconds() * MICROS_PER_SECOND + left.getNano() / 1_000;
  }
}
