package io.holdfast.postgres;

import static io.holdfast.postgres.DifferentialQueueOp.one;
import static io.holdfast.postgres.DifferentialQueueSide.CALL;

import io.holdfast.postgres.DifferentialQueueModel.Overdue;
import io.holdfast.postgres.DifferentialQueueModel.Page;
import io.holdfast.postgres.DifferentialQueueOp.Question;
import io.holdfast.queue.Changes;
import io.holdfast.queue.ItemLifecycle.Due;
import io.holdfast.queue.ItemLifecycle.Info;
import io.holdfast.queue.ItemLifecycle.Kind;
import io.holdfast.queue.Partition;
import io.holdfast.queue.QueueException;
import io.holdfast.queue.StoredItem;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** What a sweeper asks, and what becomes of answers that events have overtaken. */
final class DifferentialQueueSweep {
  private static final int ALL = 1000;

  private DifferentialQueueSweep() {}

  /** What both scans find now, in the memory store's order. */
  private static List<Overdue> due(
      DifferentialQueueOp op, DifferentialQueueModel model, boolean scheduled) {
    try {
      return scan(model.memory, op, scheduled, ALL).stream()
          .map(
              due ->
                  new Overdue(
                      due.kind(), model.memory.name(due.id()), due.attempts(), due.deadline()))
          .toList();
    } catch (QueueException e) {
      return List.of();
    }
  }

  private static List<Due> scan(
      DifferentialQueueSide side, DifferentialQueueOp op, boolean scheduled, int limit) {
    Partition partition = side.partition(op.queue(), op.partition());
    return scheduled ? partition.scanScheduled(limit, CALL) : partition.scanActions(limit, CALL);
  }

  /**
   * A scan as something to compare. Leases that ran out at one moment have no order, so the order
   * of actions does not count, and neither does which of them a short scan finds.
   */
  private static Object compared(
      DifferentialQueueSide side, List<Due> found, boolean scheduled, int limit) {
    if (!scheduled && found.size() == limit) {
      return found.size();
    }
    List<String> plain = new ArrayList<>(found.stream().map(side::plain).toList());
    if (!scheduled) {
      Collections.sort(plain);
    }
    return plain;
  }

  private static Changes take(
      DifferentialQueueSide side, DifferentialQueueOp op, List<Overdue> page) {
    List<Due> own =
        page.stream()
            .map(due -> new Due(due.kind(), side.id(due.name()), due.attempts(), due.deadline()))
            .toList();
    return side.arrived(side.partition(op.queue(), op.partition()).takeAction(own, CALL));
  }

  static Question sweepScheduled(DifferentialQueueOp op, DifferentialQueueModel model) {
    return sweep(op, model, true, "sweep schedules");
  }

  static Question sweepActions(DifferentialQueueOp op, DifferentialQueueModel model) {
    DifferentialQueueOp there = op.c() % 3 == 2 ? op : op.where(model, model::isLapsed);
    return sweep(there, model, false, "sweep actions");
  }

  private static Question sweep(
      DifferentialQueueOp op, DifferentialQueueModel model, boolean scheduled, String what) {
    List<Overdue> page = due(op, model, scheduled);
    List<StoredItem> items = model.items(op.queue(), op.partition());
    List<String> places = new ArrayList<>();
    places.addAll(
        scheduled
            ? model.places(what + " at schedule", items, item -> item.times().enqueueAt())
            : model.places(
                what + " at deadline",
                items,
                item -> item.isLeased() ? item.times().leaseDeadline() : null));
    if (!scheduled) {
      places.addAll(
          model.places(
              what + " at expiry",
              items,
              item -> DifferentialQueueModel.isReady(item) ? item.times().expireDeadline() : null));
    }
    return new Question(
        what + " of " + op.queue() + op.partition() + ": " + page,
        side -> {
          Object found = compared(side, scan(side, op, scheduled, ALL), scheduled, ALL);
          return List.of(found, take(side, op, page));
        },
        answer -> swept(what, page, answer),
        places);
  }

  private static List<String> swept(String what, List<Overdue> page, Object answer) {
    if (answer instanceof QueueException) {
      return List.of(what + ":no queue");
    }
    Changes changes = (Changes) ((List<?>) answer).get(1);
    Set<String> seen = new TreeSet<>();
    page.forEach(due -> seen.add(what + ":" + due.kind()));
    seen.addAll(changed(what, changes));
    return List.copyOf(seen);
  }

  private static List<String> changed(String what, Changes changes) {
    List<String> seen = new ArrayList<>();
    if (changes.ready() > 0) {
      seen.add(what + ":ready");
    }
    if (!changes.dead().isEmpty()) {
      seen.add(what + ":moved");
    }
    if (changes.removed() > 0 && changes.dead().isEmpty()) {
      seen.add(what + ":removed");
    }
    if (seen.isEmpty()) {
      seen.add(what + ":nothing");
    }
    return seen;
  }

  /** A scan whose answer is kept. */
  static Question scan(DifferentialQueueOp given, DifferentialQueueModel model) {
    boolean scheduled = given.a() % 3 == 2;
    DifferentialQueueOp op =
        scheduled || given.c() % 4 == 3 ? given : given.where(model, model::isLapsed);
    int limit = one(op.b(), ALL, 1, 2);
    model.keep(new Page(op, due(op, model, scheduled)));
    String what = scheduled ? "scan schedules" : "scan actions";
    return new Question(
        what + " of " + op.queue() + op.partition() + " up to " + limit,
        side -> compared(side, scan(side, op, scheduled, limit), scheduled, limit),
        answer -> {
          if (answer instanceof QueueException) {
            return List.of(what + ":no queue");
          }
          boolean none = answer instanceof List<?> list && list.isEmpty();
          return List.of(what + (none ? ":none" : ":some"));
        });
  }

  /** Takes action on what an earlier scan found. */
  static @Nullable Question takeKept(DifferentialQueueOp op, DifferentialQueueModel model) {
    return model.kept(op.a()).map(page -> take("take kept", page.op(), page.due())).orElse(null);
  }

  /** Takes action on what no scan has found: removals, and what is not due, or not like that. */
  static @Nullable Question takeForged(DifferentialQueueOp given, DifferentialQueueModel model) {
    DifferentialQueueOp op = given.a() % 3 == 2 ? given : given.where(model, model::isLapsed);
    List<StoredItem> items = model.items(op.queue(), op.partition());
    if (op.a() % 3 != 2 && items.stream().anyMatch(model::isLapsed)) {
      items = items.stream().filter(model::isLapsed).toList();
    }
    if (items.isEmpty()) {
      return null;
    }
    StoredItem item = items.get(op.a() % items.size());
    Kind kind =
        one(
            op.b(),
            Kind.DELETE,
            Kind.LEASE_EXPIRED,
            Kind.ITEM_EXPIRED,
            Kind.QUEUE_SCHEDULED,
            Kind.MAX_ATTEMPTS);
    Instant deadline =
        one(
            op.c(),
            item.times().leaseDeadline(),
            item.times().expireDeadline(),
            item.times().enqueueAt(),
            model.now(),
            null);
    String name = model.memory.name(item.id());
    return take("take forged", op, List.of(new Overdue(kind, name, item.attempts(), deadline)));
  }

  private static Question take(String what, DifferentialQueueOp op, List<Overdue> page) {
    return new Question(
        what + " of " + op.queue() + op.partition() + ": " + page,
        side -> take(side, op, page),
        answer ->
            answer instanceof Changes changes
                ? changed(what, changes)
                : List.of(what + ":no queue"));
  }

  static Question lifecycleInfo(DifferentialQueueOp op, DifferentialQueueModel model) {
    return new Question(
        "lifecycle info of " + op.queue() + op.partition(),
        side -> side.partition(op.queue(), op.partition()).lifecycleInfo(CALL),
        answer -> answer instanceof Info info ? infos("info", info) : List.of("info:no queue"));
  }

  private static List<String> infos(String what, Info info) {
    List<String> seen = new ArrayList<>();
    Stream.of(
            info.lease().isPresent() ? "lease" : "",
            info.expiry().isPresent() ? "expiry" : "",
            info.schedule().isPresent() ? "schedule" : "",
            info.equals(Info.NOTHING) ? "nothing" : "")
        .filter(kind -> !kind.isEmpty())
        .forEach(kind -> seen.add(what + ":" + kind));
    return seen;
  }

  private static List<Partition> several(DifferentialQueueSide side) {
    return List.of(
        side.partition("wide", 0),
        side.partition("work", 0),
        side.partition("wide", 1),
        side.partition("dead", 0));
  }

  static Question lifecycleInfos(DifferentialQueueOp op, DifferentialQueueModel model) {
    return new Question(
        "lifecycle info of several",
        side -> side.backend.partitions().lifecycleInfo(several(side), CALL),
        answer ->
            ((List<?>) answer)
                .stream().flatMap(info -> infos("infos", (Info) info).stream()).toList());
  }

  static Question probe(DifferentialQueueOp op, DifferentialQueueModel model) {
    return new Question(
        "probe several",
        side -> side.backend.partitions().probe(several(side), CALL),
        answer -> ((List<?>) answer).stream().map(found -> "probe:" + found).toList());
  }
}
