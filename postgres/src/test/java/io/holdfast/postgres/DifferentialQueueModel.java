package io.holdfast.postgres;

import io.holdfast.queue.Pause;
import io.holdfast.queue.QueueInfo;
import io.holdfast.queue.Retry;
import io.holdfast.queue.StoredItem;
import io.holdfast.testkit.ManualTime;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What operations look at before they say what exactly they ask: the memory store's present state,
 * and the clock. There are few queues and few items, so that operations meet.
 */
final class DifferentialQueueModel {
  /**
   * Two queues that may be each other's dead queue, and one with partitions. The first two have one
   * partition: to which of several an item goes is decided by its id, which differs between stores.
   */
  static final List<String> QUEUES = List.of("work", "dead", "wide");

  static final int WIDE = 2;
  static final List<Long> OFFSETS = List.of(-1L, 0L, 1L);

  /** Well-formed ids that nobody has. */
  private static final String UNKNOWN = "0000000000000000000000000%02d";

  final DifferentialQueueSide memory;
  private final ManualTime time;
  private final List<Page> pages = new ArrayList<>();
  private int lastLabel;

  /** Something that a scan found, with the item's name. */
  record Overdue(
      io.holdfast.queue.ItemLifecycle.Kind kind,
      String name,
      int attempts,
      @Nullable Instant deadline) {}

  /** What a scan found, and the operation that asked. */
  record Page(DifferentialQueueOp op, List<Overdue> due) {}

  DifferentialQueueModel(DifferentialQueueSide memory, ManualTime time) {
    this.memory = memory;
    this.time = time;
  }

  Instant now() {
    return Instant.ofEpochMilli(time.nowMs());
  }

  void advance(long ms) {
    time.advanceMs(ms);
  }

  void stepBack(long ms) {
    time.stepDatabase(-ms);
  }

  String newLabel() {
    return "L" + ++lastLabel;
  }

  String unknown(int n) {
    return UNKNOWN.formatted(n);
  }

  Optional<QueueInfo> info(String queue) {
    return memory.backend.catalog().get(queue, DifferentialQueueSide.CALL);
  }

  boolean isPaused(String queue) {
    return info(queue).map(QueueInfo::paused).orElse(Pause.NONE) != Pause.NONE;
  }

  List<StoredItem> items(String queue, int partition) {
    return memory.items(queue, partition);
  }

  List<StoredItem> all(String queue) {
    int partitions = info(queue).map(info -> info.partitions().size()).orElse(0);
    List<StoredItem> all = new ArrayList<>();
    for (int number = 0; number < partitions; number++) {
      all.addAll(items(queue, number));
    }
    return all;
  }

  static boolean isScheduled(StoredItem item) {
    return item.times().enqueueAt() != null;
  }

  static boolean isReady(StoredItem item) {
    return !item.isLeased() && !isScheduled(item);
  }

  boolean isExpired(StoredItem item) {
    return !Objects.requireNonNull(item.times().expireDeadline()).isAfter(now());
  }

  boolean isLapsed(StoredItem item) {
    return item.isLeased() && !Objects.requireNonNull(item.times().leaseDeadline()).isAfter(now());
  }

  /** Names of stored items, beginning at the {@code from}-th. */
  List<String> names(String queue, int partition, Predicate<StoredItem> which, int from) {
    List<String> names =
        new ArrayList<>(
            items(queue, partition).stream()
                .filter(which)
                .map(item -> memory.name(item.id()))
                .toList());
    if (!names.isEmpty()) {
      Collections.rotate(names, -from % names.size());
    }
    return names;
  }

  /** The name of an id that was replaced or whose item is gone; an unknown one before there is. */
  String old(int n) {
    Set<String> current =
        QUEUES.stream()
            .flatMap(queue -> all(queue).stream())
            .map(item -> memory.name(item.id()))
            .collect(Collectors.toSet());
    List<String> old = memory.names().stream().filter(name -> !current.contains(name)).toList();
    return old.isEmpty() ? unknown(n) : old.get(old.size() - 1 - n % old.size());
  }

  Optional<StoredItem> item(String queue, int partition, String name) {
    return items(queue, partition).stream()
        .filter(item -> memory.name(item.id()).equals(name))
        .findFirst();
  }

  /** What a retry of a leased item comes to. */
  String step(String queue, StoredItem item, Retry retry) {
    int most = info(queue).orElseThrow().settings().maxAttempts();
    if (retry.dead()) {
      return "dead";
    } else if (most != 0 && item.attempts() >= most) {
      return "exhausted";
    } else if (retry.retryAt() != null && !retry.retryAt().isBefore(now().plusMillis(100))) {
      return "later";
    }
    return isExpired(item) ? "expired" : "again";
  }

  boolean hasDeadQueue(String queue) {
    return info(queue).map(info -> !info.settings().deadQueue().isEmpty()).orElse(false);
  }

  /** Keeps what a scan found, for later. */
  void keep(Page page) {
    if (!page.due().isEmpty()) {
      pages.add(page);
    }
  }

  /** An earlier page, maybe overtaken by events. */
  Optional<Page> kept(int n) {
    return pages.isEmpty()
        ? Optional.empty()
        : Optional.of(pages.get(pages.size() - 1 - n % Math.min(3, pages.size())));
  }

  /** The moments after now at which something stored changes its meaning, or nearly. */
  List<Instant> instants(String queue, boolean ofLeases) {
    TreeSet<Instant> instants = new TreeSet<>();
    List<StoredItem> items = all(queue);
    boolean all = !ofLeases || items.stream().noneMatch(StoredItem::isLeased);
    for (StoredItem item : items.stream().filter(item -> all || item.isLeased()).toList()) {
      boundaries(item)
          .map(at -> at.truncatedTo(ChronoUnit.MILLIS))
          .forEach(at -> OFFSETS.forEach(offset -> instants.add(at.plusMillis(offset))));
    }
    return List.copyOf(instants.tailSet(now(), false));
  }

  private static Stream<Instant> boundaries(StoredItem item) {
    StoredItem.Times times = item.times();
    return Stream.of(
            item.isLeased() ? times.leaseDeadline() : null,
            times.enqueueAt(),
            times.expireDeadline())
        .filter(Objects::nonNull)
        .map(Instant.class::cast);
  }

  /** Where now is relative to a moment of each item, if that is one of the special places. */
  List<String> places(
      String what, List<StoredItem> items, Function<StoredItem, @Nullable Instant> moment) {
    List<String> places = new ArrayList<>();
    for (StoredItem item : items) {
      Instant at = moment.apply(item);
      if (at != null) {
        long offset = at.until(now(), ChronoUnit.MILLIS);
        if (OFFSETS.contains(offset) && at.plusMillis(offset).equals(now())) {
          places.add("%s %+d".formatted(what, offset));
        }
      }
    }
    return places;
  }
}
