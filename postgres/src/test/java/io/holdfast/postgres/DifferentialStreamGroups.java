package io.holdfast.postgres;

import static io.holdfast.postgres.DifferentialStreamOp.one;
import static io.holdfast.postgres.DifferentialStreamOp.outcome;
import static io.holdfast.postgres.DifferentialStreamSide.CALL;

import io.holdfast.postgres.DifferentialStreamOp.Question;
import io.holdfast.stream.ActiveLease;
import io.holdfast.stream.CursorKey;
import io.holdfast.stream.Explanation;
import io.holdfast.stream.Position;
import io.holdfast.stream.StoredMessage;
import java.time.Instant;

/** What operators ask about groups and their cursors. */
final class DifferentialStreamGroups {
  private static final int ALL = 1000;

  private DifferentialStreamGroups() {}

  static Question seek(DifferentialStreamOp op, DifferentialStreamModel model) {
    CursorKey cursor = op.cursorOrNone();
    String partition = op.b() % 2 == 0 ? null : cursor.partition();
    StoredMessage some = model.message(op.queue(), op.a() / 4);
    long offset = one(op.b() / 2, 1L, 2L, 3L, 0L, 99L, 5L);
    long off = one(op.b() / 2, 0L, -1L, 1L);
    Instant at = some == null ? model.now() : some.message().createdAt();
    Position to =
        one(
            op.a(),
            Position.BEGIN,
            Position.END,
            Position.at(at.plusMillis(off)),
            Position.offset(offset));
    Question question =
        new Question(
            "seek " + cursor + " in " + partition + " to " + to,
            side -> side.store.groups().seek(cursor.queue(), cursor.group(), partition, to, CALL),
            outcome(
                "seek",
                answer ->
                    (partition == null ? "all to " : "one to ")
                        + to.kind()
                        + (answer.equals(0) ? " none" : "")));
    return some != null && to.kind() == Position.Kind.TIMESTAMP
        ? question.at("seek to a message %+d".formatted(off))
        : question;
  }

  static Question seed(DifferentialStreamOp op, DifferentialStreamModel model) {
    CursorKey cursor = op.cursorOrNone();
    return new Question(
        "seed " + cursor,
        side -> side.store.groups().seed(cursor.queue(), cursor.group(), CALL),
        outcome("seed", String::valueOf));
  }

  static Question delete(DifferentialStreamOp op, DifferentialStreamModel model) {
    String queue = op.queueOrAll();
    boolean isKept = op.a() % 2 == 0;
    return new Question(
        "delete group " + op.group() + " of " + queue + (isKept ? " keeping its start" : ""),
        side -> side.store.groups().delete(op.group(), queue, isKept, CALL),
        outcome(
            "delete group",
            answer ->
                answer.equals(0)
                    ? "none"
                    : (isKept ? "kept" : "gone") + (queue == null ? " everywhere" : "")));
  }

  static Question startAt(DifferentialStreamOp op, DifferentialStreamModel model) {
    String group = one(op.c(), "g", "h", "nobody");
    StoredMessage some = model.message(op.queue(), op.a());
    Instant at = some == null ? model.now() : some.message().createdAt();
    return new Question(
        "start of " + group + " at " + at,
        side -> side.store.groups().startAt(group, at, CALL),
        outcome("start at", answer -> answer.equals(0) ? "none" : "some"));
  }

  static Question groups(DifferentialStreamOp op, DifferentialStreamModel model) {
    String queue = op.queueOrAll();
    return new Question(
        "groups of " + queue,
        side -> side.store.groups().list(queue, CALL),
        outcome("groups", DifferentialStreamAdmin::amount));
  }

  static Question cursors(DifferentialStreamOp op, DifferentialStreamModel model) {
    CursorKey cursor = op.cursorOrNone();
    String group = op.a() % 2 == 0 ? null : cursor.group();
    CursorKey after = op.b() % 4 == 3 ? op.cursor() : null;
    int limit = one(op.a(), ALL, ALL, 2);
    return new Question(
        "cursors of %s %s after %s up to %d".formatted(cursor.queue(), group, after, limit),
        side -> side.store.groups().cursors(cursor.queue(), group, after, limit, CALL),
        outcome("cursors", DifferentialStreamAdmin::amount));
  }

  static Question park(DifferentialStreamOp op, DifferentialStreamModel model) {
    CursorKey cursor = op.cursorOrNone();
    return new Question(
        "park " + cursor,
        side -> {
          side.store.leases().park(cursor, "r" + op.a() % 2, CALL);
          return "done";
        },
        outcome("park", String::valueOf));
  }

  /** Where something is parked, mostly. */
  static Question unpark(DifferentialStreamOp op, DifferentialStreamModel model) {
    boolean isSkipping = op.a() % 2 == 1;
    CursorKey cursor =
        op.c() > 18
            ? op.cursorOrNone()
            : model.cursors().stream()
                .map(each -> each.key())
                .filter(key -> model.explain(key).state() == Explanation.State.PARKED)
                .findFirst()
                .orElse(op.cursor());
    return new Question(
        "unpark " + cursor + (isSkipping ? " skipping" : ""),
        side -> side.store.leases().unpark(cursor, isSkipping, CALL),
        outcome(
            "unpark",
            answer -> answer.equals(false) ? "not parked" : isSkipping ? "skipped" : "done"));
  }

  static Question revoke(DifferentialStreamOp op, DifferentialStreamModel model) {
    ActiveLease lease = model.leases().stream().findFirst().orElse(null);
    boolean isHeld = lease != null && op.c() < 18;
    CursorKey cursor = lease != null && isHeld ? lease.cursor() : op.cursorOrNone();
    Long fence = one(op.a(), null, lease == null ? 1L : lease.fence(), 1L);
    return new Question(
        "revoke " + cursor + " with fence " + fence,
        side -> side.store.leases().revoke(cursor, fence, CALL),
        outcome(
            "revoke",
            answer -> answer.equals(true) ? "done" : isHeld ? "another fence" : "not held"));
  }
}
