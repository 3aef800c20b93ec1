package io.holdfast.postgres;

import static io.holdfast.postgres.DifferentialQueueOp.one;
import static io.holdfast.postgres.DifferentialQueueSide.CALL;

import io.holdfast.postgres.DifferentialQueueOp.Question;
import io.holdfast.queue.Changes;
import io.holdfast.queue.Clear;
import io.holdfast.queue.ItemAdmin.Imported;
import io.holdfast.queue.ItemAdmin.Redrive;
import io.holdfast.queue.Partition;
import io.holdfast.queue.QueueException;
import io.holdfast.queue.QueueStats.ItemCounts;
import io.holdfast.queue.StoredItem;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** What operators ask. */
final class DifferentialQueueAdmin {
  private DifferentialQueueAdmin() {}

  private static Partition partition(DifferentialQueueSide side, DifferentialQueueOp op) {
    return side.partition(op.queue(), op.partition());
  }

  private static String where(DifferentialQueueOp op) {
    return " " + op.queue() + op.partition();
  }

  static Question list(DifferentialQueueOp op, DifferentialQueueModel model) {
    String pivot = pivot(op, model);
    int limit = one(op.b(), 1000, 1, 2);
    return new Question(
        "list" + where(op) + " from " + pivot + " up to " + limit,
        side -> partition(side, op).list(side.id(pivot), limit, CALL),
        answer -> found(pivot.isEmpty() ? "list" : "list from", answer));
  }

  static Question listScheduled(DifferentialQueueOp op, DifferentialQueueModel model) {
    String pivot = pivot(op, model);
    int limit = one(op.b(), 1000, 1, 2);
    return new Question(
        "list scheduled" + where(op) + " from " + pivot + " up to " + limit,
        side -> partition(side, op).listScheduled(side.id(pivot), limit, CALL),
        answer -> found(pivot.isEmpty() ? "list scheduled" : "list scheduled from", answer));
  }

  /** From the first, or from one that is there. */
  private static String pivot(DifferentialQueueOp op, DifferentialQueueModel model) {
    List<String> names = model.names(op.queue(), op.partition(), item -> true, op.c());
    return op.a() % 2 == 0 || names.isEmpty() ? "" : names.get(0);
  }

  private static List<String> found(String what, Object answer) {
    if (answer instanceof QueueException) {
      return List.of(what + ":no queue");
    }
    return List.of(what + (((List<?>) answer).isEmpty() ? ":none" : ":some"));
  }

  static Question stats(DifferentialQueueOp op, DifferentialQueueModel model) {
    return new Question(
        "stats of" + where(op),
        side -> partition(side, op).stats(CALL),
        answer -> {
          if (!(answer instanceof ItemCounts counts)) {
            return List.of("stats:no queue");
          }
          List<String> seen = new ArrayList<>();
          seen.add(counts.leased() > 0 ? "stats:leased" : "stats:none leased");
          seen.add(counts.scheduled() > 0 ? "stats:scheduled" : "stats:none scheduled");
          seen.add(counts.total() > counts.leased() ? "stats:ready" : "stats:none ready");
          return seen;
        });
  }

  static Question countReady(DifferentialQueueOp op, DifferentialQueueModel model) {
    int cap = one(op.a(), 1000, 2);
    return new Question(
        "count ready of" + where(op) + " up to " + cap,
        side -> partition(side, op).countReady(cap, CALL),
        answer ->
            List.of(
                "count ready:"
                    + (answer instanceof QueueException
                        ? "no queue"
                        : answer.equals(0) ? "none" : answer.equals(cap) ? "capped" : "some")));
  }

  /** An item to import; its source id may be the name of an item of the other queue. */
  private record Given(StoredItem item, @Nullable String source) {
    StoredItem on(DifferentialQueueSide side) {
      StoredItem.Origin origin =
          new StoredItem.Origin(
              source == null ? null : side.id(source),
              item.origin().sourceQueue(),
              item.origin().deadReason());
      return new StoredItem(
          "",
          item.isLeased(),
          item.attempts(),
          item.maxAttempts(),
          item.times(),
          origin,
          item.content());
    }
  }

  static Question importItems(DifferentialQueueOp op, DifferentialQueueModel model) {
    List<Given> given = new ArrayList<>();
    for (int i = 0; i <= op.b() % 3; i++) {
      given.add(given(op, model, op.a() + i * 5, op.c() + i));
    }
    return new Question(
        "import " + given + " to" + where(op),
        side -> partition(side, op).add(given.stream().map(item -> item.on(side)).toList(), CALL),
        answer -> imported(given, answer, model.info(op.queue()).isPresent()));
  }

  private static Given given(
      DifferentialQueueOp op, DifferentialQueueModel model, int state, int n) {
    Instant soon = model.now().plusNanos(one(n, 300_000_000L, 1_000_000_500L, -2_000_000L, 0L));
    boolean isLeased = state % 3 == 1 || state == 6;
    boolean isScheduled = state % 3 == 2 || state == 6;
    StoredItem.Times times =
        new StoredItem.Times(
            null,
            isScheduled ? soon : null,
            n % 3 == 0 ? null : isLeased || n % 5 == 1 ? soon : null,
            n % 2 == 0 ? null : soon.plusNanos(one(n, 700_000L, 900_123_456L, 0L)));
    String from = one(n, "", op.queue().equals("work") ? "dead" : "work", "nosuch");
    List<String> others = model.names(one(n, "work", "dead"), 0, item -> true, n);
    String source = one(n, null, "s" + n % 3, others.isEmpty() ? null : others.get(0));
    StoredItem item =
        new StoredItem(
            "",
            isLeased,
            n % 4,
            n % 2,
            times,
            new StoredItem.Origin(null, from, from.isEmpty() ? "" : "dead"),
            DifferentialQueueHot.content(model.newLabel()));
    return new Given(item, source);
  }

  private static List<String> imported(List<Given> given, Object answer, boolean exists) {
    if (!(answer instanceof Imported done)) {
      return List.of("import:" + (exists ? "bad" : "no queue"));
    }
    Set<String> seen = new TreeSet<>();
    for (int i = 0; i < given.size(); i++) {
      StoredItem item = done.items().get(i);
      boolean isNew = item.content().equals(given.get(i).item().content());
      seen.add(
          !isNew
              ? "import:known"
              : item.isLeased()
                  ? "import:leased"
                  : DifferentialQueueModel.isReady(item) ? "import:ready" : "import:scheduled");
    }
    return List.copyOf(seen);
  }

  static Question delete(DifferentialQueueOp op, DifferentialQueueModel model) {
    List<String> names =
        new ArrayList<>(
            model.names(op.queue(), op.partition(), item -> true, op.a()).stream()
                .limit(op.b() % 3)
                .toList());
    names.add(op.c() % 2 == 0 ? model.old(op.a()) : model.unknown(op.a()));
    return new Question(
        "delete " + names + " of" + where(op),
        side -> partition(side, op).delete(side.ids(names), CALL),
        answer -> removed("delete", answer));
  }

  static Question clear(DifferentialQueueOp given, DifferentialQueueModel model) {
    Clear what = new Clear((given.a() & 1) != 0, (given.a() & 2) != 0, (given.a() & 4) != 0);
    DifferentialQueueOp op =
        given.b() % 2 == 0
            ? given
            : given.where(model, item -> DifferentialQueueModel.isScheduled(item) != what.queue());
    String flags =
        (what.queue() ? "q" : "") + (what.scheduled() ? "s" : "") + (what.destructive() ? "d" : "");
    return new Question(
        "clear " + flags + where(op),
        side -> partition(side, op).clear(what, CALL),
        answer -> removed("clear " + flags, answer));
  }

  private static List<String> removed(String what, Object answer) {
    return List.of(
        what
            + ":"
            + (answer instanceof Changes changes
                ? changes.removed() == 0 ? "none" : "some"
                : "refused"));
  }

  static Question redrive(DifferentialQueueOp op, DifferentialQueueModel model) {
    int limit = one(op.a(), 1000, 1, 2);
    return new Question(
        "redrive" + where(op) + " up to " + limit,
        side -> {
          Redrive done = partition(side, op).redrive(limit, CALL);
          side.arrived(done.changes());
          return done;
        },
        answer -> {
          if (!(answer instanceof Redrive done)) {
            return List.of("redrive:no queue");
          }
          List<String> seen = new ArrayList<>();
          seen.add(done.result().moved() > 0 ? "redrive:moved" : "redrive:none moved");
          seen.add(done.result().skipped() > 0 ? "redrive:skipped" : "redrive:none skipped");
          return seen;
        });
  }
}
