package io.holdfast.postgres;

import static io.holdfast.postgres.DifferentialStreamOp.one;
import static io.holdfast.postgres.DifferentialStreamOp.outcome;
import static io.holdfast.postgres.DifferentialStreamSide.CALL;

import io.holdfast.lease.StoreCall;
import io.holdfast.postgres.DifferentialStreamBounds.Bound;
import io.holdfast.postgres.DifferentialStreamModel.Grip;
import io.holdfast.postgres.DifferentialStreamOp.Question;
import io.holdfast.postgres.DifferentialStreamSide.Said;
import io.holdfast.postgres.DifferentialStreamText.Ordered;
import io.holdfast.stream.CursorKey;
import io.holdfast.stream.Entry;
import io.holdfast.stream.GroupInfo;
import io.holdfast.stream.PageKey;
import io.holdfast.stream.Payload;
import io.holdfast.stream.PopRequest;
import io.holdfast.stream.StreamLeases.Extension;
import io.holdfast.stream.StreamOption;
import io.holdfast.stream.StreamUpkeep;
import io.holdfast.stream.Verdict;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.function.ToIntBiFunction;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The clock, what happens in the background, and the moments where a millisecond decides: goes to
 * one, or just before or behind it, and asks what it is about.
 */
final class DifferentialStreamNear {
  private static final int ALL = 1000;
  private static final int MOST_ROUNDS = 100;

  /** By what they are about; the more often one is named, the more often it is gone to. */
  private static final List<String> KINDS =
      List.of(
          "lease",
          "lease",
          "lease",
          "lease",
          "lease",
          "delay",
          "delay",
          "window",
          "window",
          "retry",
          "retry",
          "max wait",
          "max wait",
          "age",
          "completed",
          "dedup",
          "dedup",
          "silence",
          "seen",
          "expiring",
          "idle",
          "notes",
          "drops",
          "lease");

  /** Not far away, so that not everything is over when one comes there. */
  private static final List<String> CLOSE =
      List.of(
          "delay", "window", "retry", "max wait", "completed", "age", "dedup", "silence", "lease");

  private DifferentialStreamNear() {}

  static @Nullable Question advance(DifferentialStreamOp op, DifferentialStreamModel model) {
    model.advance(one(op.a(), 1L, 100L, 500L, 1L, 1000L, 50L, 2000L));
    return null;
  }

  static @Nullable Question near(DifferentialStreamOp op, DifferentialStreamModel model) {
    long off = op.a() % 3 - 1L;
    String wanted = KINDS.get(op.b());
    List<Bound> bounds =
        Stream.concat(Stream.of(wanted), CLOSE.stream())
            .map(kind -> DifferentialStreamBounds.of(kind, model, off))
            .filter(found -> !found.isEmpty())
            .findFirst()
            .orElse(List.of());
    if (bounds.isEmpty()) {
      return advance(op, model);
    }
    Bound bound = bounds.get((op.place() + op.a()) % bounds.size());
    model.advance(bound.at().plusMillis(off).toEpochMilli() - model.now().toEpochMilli());
    return question(op, model, bound)
        .at("%s at %s %+d".formatted(verb(op, bound.kind()), bound.kind(), off));
  }

  private static String verb(DifferentialStreamOp op, String kind) {
    return switch (kind) {
      case "lease" -> one(op.c(), "pop", "ack", "extend", "release", "revoke", "explain");
      case "delay", "window", "retry" -> one(op.c(), "pop", "explain");
      case "max wait" -> one(op.c(), "pop", "retain");
      case "age", "completed" -> "retain";
      case "dedup" -> "push";
      case "silence" -> one(op.c(), "look", "push");
      case "seen" -> "pop and look";
      case "expiring" -> "look";
      default -> "purge";
    };
  }

  private static Question question(
      DifferentialStreamOp op, DifferentialStreamModel model, Bound bound) {
    return switch (verb(op, bound.kind())) {
      case "pop" -> DifferentialStreamHot.pop("pop", List.of(request(op, bound)), model);
      case "ack" -> DifferentialStreamAcks.ack(verdicts(op, model, bound));
      case "extend" -> extend(op, model, bound);
      case "release" -> release(model, bound);
      case "revoke" -> revoke(bound);
      case "explain" -> DifferentialStreamLook.explain(bound.cursor());
      case "retain" -> retain(op, model);
      case "push" -> DifferentialStreamHot.push(List.of(entry(model, bound)), model);
      case "look" -> look();
      case "pop and look" -> popAndLook(op, bound);
      default -> purge(op, model);
    };
  }

  private static PopRequest request(DifferentialStreamOp op, Bound bound) {
    PopRequest request =
        PopRequest.of(bound.cursor().queue()).group(bound.cursor().group()).batch(2);
    return op.c() % 4 < 2 ? request.partition(bound.cursor().partition()) : request.partitions(2);
  }

  private static @Nullable Grip grip(DifferentialStreamModel model, CursorKey cursor) {
    return model.grip(0, grip -> grip.cursor().equals(cursor));
  }

  private static List<Said> verdicts(
      DifferentialStreamOp op, DifferentialStreamModel model, Bound bound) {
    Grip grip = grip(model, bound.cursor());
    return grip == null
        ? List.of()
        : grip.given().stream()
            .map(
                given ->
                    new Said(
                        grip.partition(),
                        grip.cursor().group(),
                        op.c() % 4 == 3 ? null : grip.lease(),
                        given.offset(),
                        null,
                        one(op.c(), Verdict.COMPLETED, Verdict.FAILED, Verdict.COMPLETED),
                        null))
            .toList();
  }

  private static Question extend(
      DifferentialStreamOp op, DifferentialStreamModel model, Bound bound) {
    Grip grip = grip(model, bound.cursor());
    String lease = grip == null ? "<none>" : grip.lease();
    Duration by = Duration.ofSeconds(one(op.c(), 1, 2));
    return new Question(
        "extend " + lease,
        side -> side.store.leases().extend(List.of(new Extension(side.id(lease), by)), CALL),
        answer -> List.of());
  }

  private static Question release(DifferentialStreamModel model, Bound bound) {
    Grip grip = grip(model, bound.cursor());
    String lease = grip == null ? "<none>" : grip.lease();
    return new Question(
        "release " + lease,
        side -> side.store.leases().release(side.id(lease), null, CALL),
        answer -> List.of());
  }

  private static Question revoke(Bound bound) {
    return new Question(
        "revoke " + bound.cursor(),
        side -> side.store.leases().revoke(bound.cursor(), null, CALL),
        answer -> List.of());
  }

  private static Entry entry(DifferentialStreamModel model, Bound bound) {
    CursorKey cursor = bound.cursor();
    return new Entry(
        cursor.queue(),
        cursor.partition(),
        Payload.of(model.newLabel()),
        model.settings(cursor.queue()).is(StreamOption.ENCRYPTION_ENABLED),
        bound.transaction(),
        null,
        null);
  }

  private static Question look() {
    return new Question(
        "groups, depths and stuck",
        side ->
            List.of(
                side.store.groups().list(null, CALL),
                side.store.monitor().depths(null, CALL),
                side.store.monitor().stuck(null, CALL)),
        answer -> List.of());
  }

  /** The answer of the pop is given up with its lease: nobody remembers it. */
  private static Question popAndLook(DifferentialStreamOp op, Bound bound) {
    PopRequest request = request(op, bound).autoAck(true);
    return new Question(
        "pop and look " + request,
        side ->
            List.of(
                side.store.leases().pop(List.of(request), CALL),
                side.store.groups().list(bound.cursor().queue(), CALL)),
        answer -> List.of());
  }

  static Question retain(DifferentialStreamOp op, DifferentialStreamModel model) {
    return new Question(
        "retain",
        side -> side.store.upkeep().retain(CALL),
        outcome("retain", answer -> answer.equals(0) ? "none" : "some"));
  }

  static Question seed(DifferentialStreamOp op, DifferentialStreamModel model) {
    if (op.c() < 18 && model.groups().stream().allMatch(GroupInfo::isSeeded)) {
      return DifferentialStreamGroups.delete(op, model);
    }
    return new Question(
        "upkeep seed",
        side -> side.store.upkeep().seed(CALL),
        outcome("upkeep seed", answer -> answer.equals(0) ? "none" : "some"));
  }

  /** How many rows a store removes is its own affair; what is left is not. */
  static Question purge(DifferentialStreamOp op, DifferentialStreamModel model) {
    return new Question(
        "purge",
        side -> {
          exhaust(side, (upkeep, call) -> upkeep.purge(1, call));
          return List.of(
              names(side),
              Ordered.newestFirst(
                  side.store.reader().tracesNamed("x", ALL, CALL),
                  trace -> new PageKey(trace.at(), trace.id())),
              Ordered.newestFirst(
                  side.store.monitor().dropped(null, ALL, CALL),
                  dropped -> new PageKey(dropped.at(), new UUID(0, 0))));
        },
        outcome("purge", answer -> "done"));
  }

  private static List<List<String>> names(DifferentialStreamSide side) {
    return DifferentialStreamModel.QUEUES.stream()
        .map(queue -> side.store.catalog().partitions(queue, null, ALL, CALL))
        .toList();
  }

  static Question count(DifferentialStreamOp op, DifferentialStreamModel model) {
    return new Question(
        "count",
        side -> {
          exhaust(side, StreamUpkeep::count);
          return side.store.monitor().depths(null, CALL);
        },
        outcome("count", answer -> "done"));
  }

  private static void exhaust(
      DifferentialStreamSide side, ToIntBiFunction<StreamUpkeep, StoreCall> duty) {
    int rounds = 0;
    while (duty.applyAsInt(side.store.upkeep(), CALL) > 0) {
      if (++rounds > MOST_ROUNDS) {
        throw new AssertionError("a duty never ends");
      }
    }
  }
}
