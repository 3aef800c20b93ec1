package io.holdfast.memory;

import io.holdfast.queue.Changes;
import io.holdfast.queue.Clear;
import io.holdfast.queue.ItemAdmin.Imported;
import io.holdfast.queue.ItemAdmin.Redrive;
import io.holdfast.queue.ItemRules;
import io.holdfast.queue.QueueException;
import io.holdfast.queue.QueueStats.ItemCounts;
import io.holdfast.queue.Redriven;
import io.holdfast.queue.StoredItem;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Predicate;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/** The operators' side of a partition, within one {@link MemoryStep}. */
final class MemoryItemAdmin {
  private final MemoryStep step;

  MemoryItemAdmin(MemoryStep step) {
    this.step = step;
  }

  List<StoredItem> list(String pivot, int limit, boolean scheduled) {
    List<MemoryItem> page =
        step.items.byId.tailMap(pivot, true).values().stream()
            .filter(item -> item.isScheduled() == scheduled)
            .limit(limit)
            .toList();
    ItemRules.checkListed(page.stream().mapToLong(i -> i.content.payload().length).sum());
    return page.stream().map(MemoryItem::stored).toList();
  }

  ItemCounts stats() {
    List<MemoryItem> total = step.items.all().filter(item -> !item.isScheduled()).toList();
    List<MemoryItem> leased = total.stream().filter(item -> item.isLeased).toList();
    LongStream ages = total.stream().mapToLong(i -> i.createdAt.until(step.now, ChronoUnit.MICROS));
    LongStream left = leased.stream().mapToLong(item -> Math.max(0, micros(item.leaseDeadline)));
    return new ItemCounts(
        total.size(),
        leased.size(),
        step.items.byId.size() - total.size(),
        mean(ages.sum(), total.size()),
        mean(left.sum(), leased.size()));
  }

  private long micros(@Nullable Instant deadline) {
    return step.now.until(Objects.requireNonNull(deadline), ChronoUnit.MICROS);
  }

  private static Duration mean(long micros, int count) {
    return count == 0
        ? Duration.ZERO
        : Duration.of(Math.round((double) micros / count), ChronoUnit.MICROS);
  }

  Imported add(List<StoredItem> given) {
    for (StoredItem item : given) {
      if (item.isLeased() && item.times().enqueueAt() != null) {
        throw QueueException.invalid("items is invalid; an item is leased and scheduled at once");
      }
    }
    List<StoredItem> stored = new ArrayList<>();
    Changes changes = Changes.NONE;
    List<String> ids = step.newIds(given.size());
    for (int i = 0; i < ids.size(); i++) {
      MemoryItem known = known(given.get(i));
      MemoryItem item = known == null ? imported(ids.get(i), given.get(i)) : known;
      if (known == null && item.isReady()) {
        changes = changes.plus(new Changes(1, item.id, 0, 0, List.of()));
      }
      stored.add(item.stored());
    }
    return new Imported(stored, changes);
  }

  private @Nullable MemoryItem known(StoredItem given) {
    String sourceId = given.origin().sourceId();
    return sourceId == null ? null : step.items.bySource(sourceId).orElse(null);
  }

  private MemoryItem imported(String id, StoredItem given) {
    StoredItem.Times times = given.times();
    Instant expiry = MemoryStep.after(step.now, step.settings().expireTimeout());
    MemoryItem item =
        new MemoryItem(id, given.content(), step.now, or(times.expireDeadline(), expiry));
    item.attempts = given.attempts();
    item.maxAttempts = given.maxAttempts();
    item.isLeased = given.isLeased();
    item.origin = given.origin();
    if (times.enqueueAt() != null) {
      item.enqueueAt = times.enqueueAt().truncatedTo(ChronoUnit.MICROS);
    }
    if (item.isLeased || times.leaseDeadline() != null) {
      Instant deadline = MemoryStep.after(step.now, step.settings().leaseTimeout());
      item.leaseDeadline = or(times.leaseDeadline(), deadline);
    }
    step.items.put(item);
    return item;
  }

  private static Instant or(@Nullable Instant given, Instant otherwise) {
    return (given == null ? otherwise : given).truncatedTo(ChronoUnit.MICROS);
  }

  Changes delete(List<String> ids) {
    return removeIf(item -> ids.contains(item.id));
  }

  Changes clear(Clear what) {
    if (!what.queue() && !what.scheduled()) {
      throw QueueException.invalid("invalid clear request; nothing was named to clear");
    }
    return removeIf(
        item -> {
          if (item.isScheduled()) {
            return what.scheduled();
          }
          return what.queue() && (what.destructive() || !item.isLeased);
        });
  }

  private Changes removeIf(Predicate<MemoryItem> doomed) {
    Changes changes = Changes.NONE;
    for (MemoryItem item : step.items.all().filter(doomed).toList()) {
      changes = changes.plus(remove(item));
    }
    return changes;
  }

  Changes remove(MemoryItem item) {
    step.items.remove(item);
    return new Changes(0, null, item.isReady() ? 1 : 0, 1, List.of());
  }

  /** Ready items only: what is leased or scheduled is somebody's business already. */
  Redrive redrive(int limit, Predicate<String> isQueue) {
    Changes changes = Changes.NONE;
    long moved = 0;
    long skipped = 0;
    for (MemoryItem item : step.items.ready().toList()) {
      if (moved == limit) {
        break;
      }
      String source = item.origin.sourceQueue();
      if (!isQueue.test(source)) {
        skipped++;
        continue;
      }
      changes = changes.plus(remove(item)).plus(step.arrive(source, item, StoredItem.Origin.NONE));
      moved++;
    }
    return new Redrive(new Redriven(moved, skipped), changes);
  }
}
