package io.holdfast.postgres;

import static io.holdfast.postgres.DifferentialStreamOp.kindOf;
import static io.holdfast.postgres.DifferentialStreamOp.one;
import static io.holdfast.postgres.DifferentialStreamOp.outcome;
import static io.holdfast.postgres.DifferentialStreamSide.CALL;

import io.holdfast.postgres.DifferentialStreamOp.Question;
import io.holdfast.postgres.DifferentialStreamText.Ordered;
import io.holdfast.stream.DeadLetter;
import io.holdfast.stream.DeadLetterQuery;
import io.holdfast.stream.PageKey;
import io.holdfast.stream.Payload;
import io.holdfast.stream.Redrive;
import io.holdfast.stream.Redriven;
import io.holdfast.stream.StreamException;
import io.holdfast.stream.TimeRange;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.Stream;

/** What is asked about dead letters. */
final class DifferentialStreamDead {
  private static final UUID LEAST = new UUID(0, 0);
  private static final UUID GREATEST = new UUID(-1, -1);

  private DifferentialStreamDead() {}

  static PageKey key(DeadLetter letter) {
    return new PageKey(letter.failure().at(), letter.id());
  }

  /**
   * Letters of one instant are in the order of chance, so a page neither begins nor ends among
   * them.
   */
  private static DeadLetterQuery query(DifferentialStreamOp op, DifferentialStreamModel model) {
    DeadLetterQuery query =
        DeadLetterQuery.of(op.queueOrAll())
            .group(one(op.a(), null, null, op.group()))
            .partition(one(op.b(), null, null, op.partition()));
    List<DeadLetter> all = model.dead();
    if (!all.isEmpty()) {
      Instant at = all.get(op.a() % all.size()).failure().at();
      query =
          switch (op.b() % 5) {
            case 1 -> query.failed(new TimeRange(at, null));
            case 2 -> query.failed(new TimeRange(null, at));
            case 3 -> query.failed(new TimeRange(at, at.plusMillis(1)));
            case 4 -> query.after(new PageKey(at, one(op.a(), LEAST, GREATEST)));
            default -> query;
          };
    }
    return query.limit(
        whole(
            model.memory.store.deadLetters().list(query, CALL).stream()
                .map(letter -> letter.failure().at())
                .toList(),
            one(op.c(), 100, 1, 3)));
  }

  /** The first limit from {@code limit} on that does not cut between rows of one instant. */
  static int whole(List<Instant> at, int limit) {
    int whole = limit;
    while (whole < at.size() && at.get(whole).equals(at.get(whole - 1))) {
      whole++;
    }
    return whole;
  }

  /** Whether there is no letter yet; but now and then that is asked about, too. */
  private static boolean isTooEarly(DifferentialStreamOp op, DifferentialStreamModel model) {
    return op.c() < 20 && model.dead().isEmpty();
  }

  static Question list(DifferentialStreamOp op, DifferentialStreamModel model) {
    if (isTooEarly(op, model)) {
      return DifferentialStreamAcks.giveUp(op, model);
    }
    DeadLetterQuery query = query(op, model);
    return new Question(
        "list dead " + query,
        side ->
            Ordered.newestFirst(
                side.store.deadLetters().list(query, CALL), DifferentialStreamDead::key),
        answer -> {
          List<String> seen = new ArrayList<>(reasons(answer));
          seen.add("list dead:" + (seen.isEmpty() ? "none" : "some"));
          return seen;
        });
  }

  /** Why each was given up. */
  static List<String> reasons(Object answer) {
    return ((Ordered) answer)
        .rows().stream().map(row -> "dead:" + ((DeadLetter) row).failure().reason()).toList();
  }

  private static String letter(DifferentialStreamOp op, DifferentialStreamModel model) {
    List<String> names =
        model.dead().stream().map(each -> model.memory.name(each.id())).sorted().toList();
    if (names.isEmpty() || op.c() == 23) {
      return "<none>";
    }
    String name = names.get((op.a() * 24 + op.b()) % names.size());
    return op.c() == 22 ? name + "~" : name;
  }

  static Question get(DifferentialStreamOp op, DifferentialStreamModel model) {
    if (isTooEarly(op, model)) {
      return DifferentialStreamAcks.giveUp(op, model);
    }
    String name = op.c() > 18 ? "<none>" : letter(op, model);
    return new Question(
        "get dead " + name,
        side -> side.store.deadLetters().get(side.id(name), CALL),
        outcome("get dead", answer -> ((Optional<?>) answer).isPresent() ? "some" : "none"));
  }

  static Question purge(DifferentialStreamOp op, DifferentialStreamModel model) {
    if (isTooEarly(op, model)) {
      return DifferentialStreamAcks.giveUp(op, model);
    }
    DeadLetterQuery query = query(op, model);
    return new Question(
        "purge dead " + query,
        side -> side.store.deadLetters().purge(query, CALL),
        outcome("purge dead", answer -> answer.equals(0) ? "none" : "some"));
  }

  static Question redrive(DifferentialStreamOp op, DifferentialStreamModel model) {
    if (isTooEarly(op, model)) {
      return DifferentialStreamAcks.giveUp(op, model);
    }
    String name = letter(op, model);
    boolean isEdited = op.c() % 6 == 5;
    boolean isToOther = op.b() % 6 == 5;
    Redrive how =
        new Redrive(
            op.c() % 4 == 3,
            isToOther ? op.otherQueue() : op.b() % 6 == 4 ? op.queue() : null,
            op.a() % 4 == 3 ? op.partition() : null,
            isEdited ? Payload.of(model.newLabel()) : null);
    boolean isEncrypted = isEdited && op.a() % 2 == 1;
    return new Question(
        "redrive " + name + " " + how,
        side -> side.store.deadLetters().redrive(side.id(name), how, isEncrypted, CALL),
        answer -> {
          String kind = kindOf(answer, done -> ((Redriven) done).outcome().name());
          boolean isMoved = kind.equals("MOVED");
          return answer instanceof StreamException || !isMoved
              ? List.of("redrive:" + kind)
              : Stream.of(
                      kind,
                      isEdited ? "edited" : "as it was",
                      how.toAllGroups() ? "to all groups" : "to its group",
                      how.queue() == null ? "back" : "to a queue")
                  .map(each -> "redrive:" + each)
                  .toList();
        });
  }
}
