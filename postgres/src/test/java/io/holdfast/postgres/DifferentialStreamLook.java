package io.holdfast.postgres;

import static io.holdfast.postgres.DifferentialStreamOp.one;
import static io.holdfast.postgres.DifferentialStreamOp.outcome;
import static io.holdfast.postgres.DifferentialStreamSide.CALL;

import io.holdfast.postgres.DifferentialStreamOp.Question;
import io.holdfast.postgres.DifferentialStreamText.Ordered;
import io.holdfast.stream.CursorKey;
import io.holdfast.stream.Dropped;
import io.holdfast.stream.Explanation;
import io.holdfast.stream.MessageQuery;
import io.holdfast.stream.MessageStatus;
import io.holdfast.stream.PageKey;
import io.holdfast.stream.Payload;
import io.holdfast.stream.StoredMessage;
import io.holdfast.stream.StreamException;
import io.holdfast.stream.StreamMonitor.Tally;
import io.holdfast.stream.StuckPartition;
import io.holdfast.stream.TimeRange;
import io.holdfast.stream.Trace;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** What is asked about messages, and how it goes. */
final class DifferentialStreamLook {
  private static final int ALL = 1000;
  private static final UUID LEAST = new UUID(0, 0);

  /** A message by its partition and transaction id, with names for ids. */
  private record Target(String partition, String transaction) {}

  private DifferentialStreamLook() {}

  static PageKey key(StoredMessage stored) {
    return new PageKey(stored.message().createdAt(), stored.message().id());
  }

  private static PageKey key(Trace trace) {
    return new PageKey(trace.at(), trace.id());
  }

  private static PageKey key(Dropped dropped) {
    return new PageKey(dropped.at(), LEAST);
  }

  static Question messages(DifferentialStreamOp op, DifferentialStreamModel model) {
    MessageQuery query = query(op, model);
    List<Instant> at =
        model.info(query.queue()).isEmpty() || op.c() == 22
            ? List.of()
            : found(model, query).stream().map(m -> m.message().createdAt()).toList();
    MessageQuery whole = query.limit(DifferentialStreamDead.whole(at, one(op.c(), ALL, 1, 3)));
    return new Question(
        "messages " + whole,
        side ->
            Ordered.newestFirst(
                side.store.reader().messages(whole, CALL), DifferentialStreamLook::key),
        answer ->
            answer instanceof StreamException e
                ? List.of("messages:" + e.error())
                : statuses(answer));
  }

  /** What messages are to groups. */
  static List<String> statuses(Object answer) {
    List<?> rows = ((Ordered) answer).rows();
    Stream<String> statuses =
        rows.stream()
            .flatMap(row -> ((StoredMessage) row).status().values().stream())
            .distinct()
            .map(status -> "status:" + status);
    return Stream.concat(Stream.of("messages:" + (rows.isEmpty() ? "none" : "some")), statuses)
        .toList();
  }

  private static List<StoredMessage> found(DifferentialStreamModel model, MessageQuery query) {
    try {
      return model.memory.store.reader().messages(query.limit(ALL), CALL);
    } catch (StreamException e) {
      return List.of();
    }
  }

  private static MessageQuery query(DifferentialStreamOp op, DifferentialStreamModel model) {
    MessageQuery query = MessageQuery.of(op.c() == 23 ? "nowhere" : op.queue());
    if (op.b() % 3 == 2) {
      query = query.partition(op.c() == 22 ? "nolane" : op.partition());
    }
    if (op.a() % 3 == 2) {
      query = query.status(op.group(), one(op.b(), MessageStatus.values()));
    }
    StoredMessage some = model.message(op.queue(), op.a());
    if (some == null) {
      return query;
    }
    Instant at = some.message().createdAt();
    return switch (op.b() % 6) {
      case 1 -> query.created(new TimeRange(at, null));
      case 3 -> query.created(new TimeRange(null, at));
      case 4 -> query.after(new PageKey(at, LEAST));
      case 5 -> query.created(new TimeRange(at, at.plusMillis(1)));
      default -> query;
    };
  }

  /** A message that is there, mostly. */
  private static Target target(DifferentialStreamOp op, DifferentialStreamModel model) {
    StoredMessage some = model.message(op.queue(), op.a());
    if (some == null) {
      return new Target("<none>", "t1");
    }
    String partition = model.memory.name(some.message().place().partitionId());
    String transaction = model.memory.plainText(some.message().transactionId());
    return new Target(
        op.c() == 23 ? partition + "~" : partition, op.c() == 22 ? "t77" : transaction);
  }

  private static String presence(Object answer) {
    return ((Optional<?>) answer).isPresent() ? "some" : "none";
  }

  static Question message(DifferentialStreamOp op, DifferentialStreamModel model) {
    Target target = target(op, model);
    return new Question(
        "message " + target,
        side ->
            side.store
                .reader()
                .message(side.id(target.partition), side.text(target.transaction), CALL),
        outcome("message", DifferentialStreamLook::presence));
  }

  static Question find(DifferentialStreamOp op, DifferentialStreamModel model) {
    String transaction = op.b() % 3 == 2 ? target(op, model).transaction : "t" + op.a() % 5;
    String queue = op.c() > 21 ? "nowhere" : op.queue();
    return new Question(
        "find " + transaction + " in " + queue,
        side ->
            Ordered.oldestFirst(
                side.store.reader().find(queue, side.text(transaction), CALL),
                DifferentialStreamLook::key),
        outcome("find", DifferentialStreamLook::rows));
  }

  private static String rows(Object answer) {
    return DifferentialStreamAdmin.amount(((Ordered) answer).rows());
  }

  static Question byTrace(DifferentialStreamOp op, DifferentialStreamModel model) {
    UUID trace = op.c() > 20 ? new UUID(3, 3) : DifferentialStreamModel.TRACES.get(op.a() % 2);
    List<Instant> at =
        model.memory.store.reader().byTrace(trace, ALL, CALL).stream()
            .map(stored -> stored.message().createdAt())
            .toList();
    int limit = DifferentialStreamDead.whole(at, one(op.b(), ALL, 1, 3));
    return new Question(
        "by trace " + trace + " up to " + limit,
        side ->
            Ordered.oldestFirst(
                side.store.reader().byTrace(trace, limit, CALL), DifferentialStreamLook::key),
        outcome("by trace", DifferentialStreamLook::rows));
  }

  static Question delete(DifferentialStreamOp op, DifferentialStreamModel model) {
    Target target = target(op, model);
    return new Question(
        "delete message " + target,
        side ->
            side.store
                .reader()
                .delete(side.id(target.partition), side.text(target.transaction), CALL),
        outcome("delete message", answer -> answer.equals(true) ? "done" : "absent"));
  }

  static Question record(DifferentialStreamOp op, DifferentialStreamModel model) {
    Target target = target(op, model);
    List<String> names = one(op.b(), List.of("x"), List.of(), List.of("x", "y"));
    Trace.Note note =
        new Trace.Note(
            one(op.a(), null, "g"), "e" + op.b() % 2, Payload.of(model.newLabel()), names);
    return new Question(
        "record " + target + " " + note,
        side ->
            side.store
                .reader()
                .record(side.id(target.partition), side.text(target.transaction), note, CALL),
        outcome("record", DifferentialStreamLook::presence));
  }

  static Question traces(DifferentialStreamOp op, DifferentialStreamModel model) {
    List<Trace> noted = model.memory.store.reader().tracesNamed("x", ALL, CALL);
    if (noted.isEmpty() && op.c() < 18) {
      return record(op, model);
    }
    Trace some = noted.isEmpty() ? null : noted.get(op.a() % noted.size());
    Target target =
        some == null || op.c() > 20
            ? target(op, model)
            : new Target(
                model.memory.name(some.partitionId()),
                model.memory.plainText(some.transactionId()));
    return new Question(
        "traces " + target,
        side ->
            Ordered.oldestFirst(
                side.store
                    .reader()
                    .traces(side.id(target.partition), side.text(target.transaction), CALL),
                DifferentialStreamLook::key),
        outcome("traces", DifferentialStreamLook::rows));
  }

  static Question tracesNamed(DifferentialStreamOp op, DifferentialStreamModel model) {
    String name = one(op.a(), "x", "y", "x", "z");
    if (op.c() < 18 && model.memory.store.reader().tracesNamed("x", ALL, CALL).isEmpty()) {
      return record(op, model);
    }
    List<Instant> at =
        model.memory.store.reader().tracesNamed(name, ALL, CALL).stream().map(Trace::at).toList();
    int limit = DifferentialStreamDead.whole(at, one(op.b(), ALL, 1, 3));
    return new Question(
        "traces named " + name + " up to " + limit,
        side ->
            Ordered.newestFirst(
                side.store.reader().tracesNamed(name, limit, CALL), DifferentialStreamLook::key),
        outcome("traces named", DifferentialStreamLook::rows));
  }

  private static Question all(
      String what, DifferentialStreamOp op, Function<DifferentialStreamSide, Object> put) {
    return new Question(
        what + " of " + op.queueOrAll(),
        put,
        outcome(what, answer -> DifferentialStreamAdmin.amount(answer)));
  }

  static Question depths(DifferentialStreamOp op, DifferentialStreamModel model) {
    return all("depths", op, side -> side.store.monitor().depths(op.queueOrAll(), CALL));
  }

  static Question leases(DifferentialStreamOp op, DifferentialStreamModel model) {
    return all("leases", op, side -> side.store.monitor().leases(op.queueOrAll(), CALL));
  }

  static Question utilization(DifferentialStreamOp op, DifferentialStreamModel model) {
    return all("utilization", op, side -> side.store.monitor().utilization(op.queueOrAll(), CALL));
  }

  static Question stuck(DifferentialStreamOp op, DifferentialStreamModel model) {
    return stuck(op.queueOrAll());
  }

  static Question stuck(@Nullable String queue) {
    return new Question(
        "stuck of " + queue,
        side -> side.store.monitor().stuck(queue, CALL),
        answer ->
            ((List<?>) answer).isEmpty()
                ? List.of("stuck:none")
                : ((List<?>) answer)
                    .stream()
                        .map(each -> "stuck:" + ((StuckPartition) each).reason())
                        .distinct()
                        .toList());
  }

  static Question dropped(DifferentialStreamOp op, DifferentialStreamModel model) {
    String queue = op.queueOrAll();
    if (op.c() < 18 && model.memory.store.monitor().dropped(null, 1, CALL).isEmpty()) {
      return DifferentialStreamNear.retain(op, model);
    }
    return new Question(
        "dropped of " + queue,
        side ->
            Ordered.newestFirst(
                side.store.monitor().dropped(queue, ALL, CALL), DifferentialStreamLook::key),
        DifferentialStreamLook::drops);
  }

  /** Why messages were dropped, and whether somebody lost them. */
  static List<String> drops(Object answer) {
    List<?> rows = ((Ordered) answer).rows();
    return rows.isEmpty()
        ? List.of("dropped:none")
        : rows.stream()
            .map(row -> (Dropped) row)
            .map(row -> "dropped:" + row.reason() + (row.lost() > 0 ? " lost" : ""))
            .distinct()
            .toList();
  }

  static Question explain(DifferentialStreamOp op, DifferentialStreamModel model) {
    return explain(op.cursorOrNone());
  }

  static Question explain(CursorKey cursor) {
    return new Question(
        "explain " + cursor,
        side -> side.store.monitor().explain(cursor, CALL),
        outcome("explain", answer -> ((Explanation) answer).state().name()));
  }

  static Question tally(DifferentialStreamOp op, DifferentialStreamModel model) {
    CursorKey cursor = op.cursorOrNone();
    return tally(cursor.queue(), cursor.group());
  }

  static Question tally(String queue, String group) {
    return new Question(
        "tally of " + group + " in " + queue,
        side -> side.store.monitor().tally(queue, group, CALL),
        outcome(
            "tally",
            answer ->
                ((Tally) answer).lost() > 0
                    ? "lost"
                    : ((Tally) answer).expired() > 0 ? "expired" : "plain"));
  }
}
