package io.holdfast.postgres;

import static io.holdfast.postgres.DifferentialStreamOp.kindOf;
import static io.holdfast.postgres.DifferentialStreamOp.one;
import static io.holdfast.postgres.DifferentialStreamSide.CALL;

import io.holdfast.postgres.DifferentialStreamModel.Given;
import io.holdfast.postgres.DifferentialStreamModel.Grip;
import io.holdfast.postgres.DifferentialStreamOp.Question;
import io.holdfast.postgres.DifferentialStreamSide.Said;
import io.holdfast.stream.Acked;
import io.holdfast.stream.Entry;
import io.holdfast.stream.PopRequest;
import io.holdfast.stream.StreamException;
import io.holdfast.stream.StreamLeases.AckAnswer;
import io.holdfast.stream.StreamLeases.AckPopAnswer;
import io.holdfast.stream.StreamLeases.Ready;
import io.holdfast.stream.StreamLog.Settled;
import io.holdfast.stream.Transacted;
import io.holdfast.stream.Verdict;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** What consumers say. */
final class DifferentialStreamAcks {
  private static final List<Verdict> MIXED =
      List.of(
          Verdict.COMPLETED,
          Verdict.FAILED,
          Verdict.COMPLETED,
          Verdict.RETRY,
          Verdict.DEAD_LETTER,
          Verdict.FAILED,
          Verdict.PARK);

  private DifferentialStreamAcks() {}

  /** Verdicts about one batch, or two, most of them sensible. */
  static List<Said> said(DifferentialStreamOp op, DifferentialStreamModel model) {
    List<Said> said = new ArrayList<>(said(op, DifferentialStreamHot.grip(op, model)));
    if (op.b() % 6 == 5) {
      Grip other = model.grip(op.a() + 1, model::isHeld);
      said.addAll(said(op, other));
    }
    return said;
  }

  private static List<Said> said(DifferentialStreamOp op, @Nullable Grip grip) {
    if (grip == null) {
      return List.of(new Said("<none>", op.group(), "<none>", 1, null, Verdict.COMPLETED, null));
    }
    List<Said> said = new ArrayList<>();
    for (int i = 0; i < grip.given().size(); i++) {
      if (isSpokenAbout(op, i)) {
        said.add(about(op, grip, grip.given().get(i), verdict(op, i)));
      }
    }
    odd(op, grip, said);
    return said;
  }

  /** All, all but the first, all but the last, the first. */
  private static boolean isSpokenAbout(DifferentialStreamOp op, int place) {
    return switch (op.b() % 6) {
      case 1 -> place > 0;
      case 2 -> place == 0;
      case 3 -> place % 2 == 1;
      default -> true;
    };
  }

  private static Verdict verdict(DifferentialStreamOp op, int place) {
    return op.c() % 3 == 0
        ? MIXED.get(op.a() % MIXED.size())
        : MIXED.get((op.a() + op.c() / 3 + place * (1 + op.b() % 3)) % MIXED.size());
  }

  private static Verdict other(Verdict verdict) {
    return Verdict.values()[(verdict.ordinal() + 1) % Verdict.values().length];
  }

  /** Sometimes one more that does not belong there, and sometimes one twice. */
  private static void odd(DifferentialStreamOp op, Grip grip, List<Said> said) {
    Verdict verdict = verdict(op, 0);
    switch (op.b() % 12) {
      case 6 -> said.add(about(op, grip, new Given(99, "t77"), verdict));
      case 7 -> said.add(about(op, grip, new Given(0, "t0"), verdict));
      case 8 -> said.add(about(op, grip, grip.given().get(0), verdict));
      case 9 -> {
        said.add(about(op, grip, grip.given().get(0), verdict));
        said.add(about(op, grip, grip.given().get(0), other(verdict)));
      }
      case 10 -> said.add(0, about(op, grip, new Given(1, "t1"), verdict));
      case 11 -> said.add(about(op, grip, new Given(2, "t3"), verdict));
      default -> {}
    }
  }

  private static Said about(DifferentialStreamOp op, Grip grip, Given given, Verdict verdict) {
    String lease =
        switch (op.c()) {
          case 20, 21 -> null;
          case 22 -> grip.lease() + "~";
          default -> grip.lease();
        };
    String group = op.c() == 19 ? one(op.a(), "nobody", "h", "g") : grip.cursor().group();
    boolean isByTransaction = op.a() % 5 >= 3;
    return new Said(
        op.c() == 18 ? grip.partition() + "~" : grip.partition(),
        group,
        lease,
        isByTransaction ? 0 : given.offset(),
        isByTransaction ? given.transaction() : null,
        verdict,
        op.a() % 3 == 1 ? "e" + op.c() % 2 : null);
  }

  /** A pop where nothing is held, mostly. */
  static Question ack(DifferentialStreamOp op, DifferentialStreamModel model) {
    return model.grip(0, model::isHeld) == null && op.c() < 18
        ? DifferentialStreamHot.pop(op, model)
        : ack(said(op, model));
  }

  /** Gives up what is held. */
  static Question giveUp(DifferentialStreamOp op, DifferentialStreamModel model) {
    Grip held = model.grip(op.a(), model::isHeld);
    return held == null
        ? DifferentialStreamHot.pop(op, model)
        : ack(all(held, Verdict.DEAD_LETTER));
  }

  static Question ack(List<Said> said) {
    return new Question(
        "ack " + said,
        side -> side.store.leases().ack(side.acks(said), CALL),
        answer -> List.copyOf(acked("ack", said, (AckAnswer) answer)));
  }

  private static Set<String> acked(String what, List<Said> said, AckAnswer answer) {
    Set<String> seen = new LinkedHashSet<>();
    for (int i = 0; i < said.size(); i++) {
      kinds(answer.acked().get(i), what + " " + said.get(i).verdict(), seen);
      if (said.get(i).lease() == null) {
        kinds(answer.acked().get(i), what + " without lease", seen);
      }
      if (said.get(i).transaction() != null) {
        kinds(answer.acked().get(i), what + " by transaction id", seen);
      }
    }
    for (Ready ready : answer.ready()) {
      seen.add(what + (ready.in().isZero() ? ":ready now" : ":ready later"));
    }
    return seen;
  }

  private static void kinds(Acked acked, String what, Set<String> seen) {
    if (acked.error() != null) {
      seen.add(what + ":" + acked.error());
      return;
    }
    seen.add(what + (acked.isNoop() ? ":again" : acked.isDead() ? ":dead" : ":done"));
    if (!acked.isNoop()) {
      seen.add(what + (acked.isReleased() ? ":released" : ":still held"));
    }
  }

  static Question ackAndPop(DifferentialStreamOp op, DifferentialStreamModel model) {
    List<Said> said = said(op, model);
    List<PopRequest> requests =
        List.of(PopRequest.of(op.queue()).group(op.group()).batch(2).partitions(2));
    return new Question(
        "ack and pop " + said + " " + requests,
        side -> side.store.leases().ackAndPop(side.acks(said), requests, CALL),
        answer -> {
          AckPopAnswer both = (AckPopAnswer) answer;
          Set<String> seen = acked("ack", said, both.acks());
          both.pops()
              .forEach(
                  each -> seen.addAll(DifferentialStreamHot.popped("ack and pop", each, model)));
          return List.copyOf(seen);
        });
  }

  /** Verdicts, or entries, or both; of the leases that are named besides, mostly the right one. */
  static Question transact(DifferentialStreamOp op, DifferentialStreamModel model) {
    List<Entry> entries = op.c() % 6 == 5 ? List.of() : DifferentialStreamHot.entries(op, model);
    List<Said> said = op.c() % 6 == 4 ? List.of() : sensible(op, model);
    boolean isRequired = op.b() % 3 == 2;
    Set<String> required =
        isRequired
            ? said.stream().map(each -> String.valueOf(each.lease())).collect(Collectors.toSet())
            : Set.of();
    List<Said> own = isRequired || op.b() % 9 == 8 ? without(said) : said;
    return new Question(
        "transact " + entries + " " + own + " " + required,
        side -> {
          Set<UUID> leases = required.stream().map(side::id).collect(Collectors.toSet());
          return side.store.log().transact(entries, side.acks(own), leases, CALL);
        },
        answer -> {
          if (answer instanceof StreamException || !(answer instanceof Settled settled)) {
            return List.of("transact:" + kindOf(answer, other -> "wrong form"));
          }
          return List.copyOf(transacted(settled.transacted(), entries, own, model));
        });
  }

  private static Set<String> transacted(
      Transacted transacted, List<Entry> entries, List<Said> said, DifferentialStreamModel model) {
    if (!transacted.isCommitted()) {
      Set<String> seen = new LinkedHashSet<>();
      transacted.acked().stream()
          .filter(acked -> !acked.isSuccess())
          .forEach(acked -> seen.add("transact:refused " + acked.error()));
      return seen;
    }
    Set<String> seen =
        DifferentialStreamHot.pushed("transact", entries, transacted.pushed(), model);
    String kind = entries.isEmpty() ? "acks" : said.isEmpty() ? "entries" : "both";
    seen.add("transact:" + kind);
    if (said.stream().anyMatch(each -> each.lease() == null)) {
      seen.add("transact:without lease");
    }
    return seen;
  }

  /** Mostly such that all count. */
  private static List<Said> sensible(DifferentialStreamOp op, DifferentialStreamModel model) {
    if (op.a() % 3 == 2) {
      return said(op, model);
    }
    Grip held = model.grip(op.b(), model::isHeld);
    if (held == null) {
      return List.of();
    }
    return all(held, one(op.a(), Verdict.COMPLETED, Verdict.COMPLETED, Verdict.DEAD_LETTER));
  }

  private static List<Said> all(Grip held, Verdict verdict) {
    return held.given().stream()
        .map(
            given ->
                new Said(
                    held.partition(),
                    held.cursor().group(),
                    held.lease(),
                    given.offset(),
                    null,
                    verdict,
                    null))
        .toList();
  }

  private static List<Said> without(List<Said> said) {
    return said.stream()
        .map(
            each ->
                new Said(
                    each.partition(),
                    each.group(),
                    null,
                    each.offset(),
                    each.transaction(),
                    each.verdict(),
                    each.error()))
        .toList();
  }
}
