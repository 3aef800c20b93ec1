package io.holdfast.postgres;

import static io.holdfast.postgres.DifferentialJobSide.CALL;

import io.holdfast.job.Extended;
import io.holdfast.job.Held;
import io.holdfast.job.Job;
import io.holdfast.job.JobStore;
import io.holdfast.job.Settled;
import io.holdfast.job.WorkerInfo;
import io.holdfast.postgres.DifferentialJobModel.Grip;
import io.holdfast.postgres.DifferentialJobOp.Question;
import io.holdfast.postgres.DifferentialJobWords.Word;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/** What holders of leases say. */
final class DifferentialJobSettles {
  private DifferentialJobSettles() {}

  /** Several runs that fail. */
  static Question fail(DifferentialJobDice dice, DifferentialJobModel model) {
    return settle(dice.below(2), DifferentialJobWords.several(dice, model, "fail", 3));
  }

  static Question settle(DifferentialJobDice dice, DifferentialJobModel model) {
    return settle(
        dice.below(2), DifferentialJobWords.several(dice, model, null, dice.one(1, 1, 2, 3)));
  }

  static Question settle(int process, List<Word> words) {
    return new Question(
        "settle " + words,
        side -> side.process(process).store().settle(DifferentialJobWords.items(side, words), CALL),
        answer -> List.copyOf(settled((JobStore.Answer) answer, words)));
  }

  /** Runs of different jobs: most last, some are over, some never were. */
  static List<Grip> grips(DifferentialJobDice dice, DifferentialJobModel model, int many) {
    List<Grip> grips = new ArrayList<>();
    Set<String> jobs = new LinkedHashSet<>();
    for (int i = 0; i < many; i++) {
      Grip grip = grip(dice, model);
      if (jobs.add(grip.job())) {
        grips.add(grip);
      }
    }
    return grips;
  }

  private static Grip grip(DifferentialJobDice dice, DifferentialJobModel model) {
    Grip found = dice.once(2) ? model.grip(dice, model::isAskedToEnd) : null;
    if (found == null && !dice.once(4)) {
      found = model.grip(dice, model::isHeld);
    }
    if (found == null) {
      found = model.grip(dice, dice.once(3) ? model::isInflight : grip -> !model.isHeld(grip));
    }
    if (found == null || dice.once(40)) {
      Job job = model.any(dice);
      return dice.one(
          new Grip("nojob", "x"),
          new Grip("", ""),
          new Grip(job == null ? "" : model.name(job), ""));
    }
    return dice.once(7) ? new Grip(found.job(), found.token() + "~") : found;
  }

  private static Set<String> settled(JobStore.Answer answer, List<Word> words) {
    Set<String> seen = new LinkedHashSet<>();
    for (int i = 0; i < words.size(); i++) {
      seen.add(words.get(i).verb() + ":" + kind(answer.settled().get(i)));
    }
    seen.addAll(effects("settle", answer));
    return seen;
  }

  /** Of an exchange: acknowledgements share a statement with the reserve, others come before. */
  static Set<String> exchanged(JobStore.Answer answer, List<Word> words) {
    Set<String> seen = new LinkedHashSet<>();
    for (int i = 0; i < words.size(); i++) {
      String verb = words.get(i).verb().equals("ack") ? "ack" : "other";
      seen.add("exchange " + verb + ":" + kind(answer.settled().get(i)));
    }
    seen.addAll(effects("exchange settle", answer));
    return seen;
  }

  private static List<String> effects(String what, JobStore.Answer answer) {
    return List.of(
        what + (answer.effects().keys().isEmpty() ? ":no keys" : ":keys"),
        what + (answer.effects().runnable().isEmpty() ? ":not runnable" : ":runnable"));
  }

  private static String kind(Settled settled) {
    if (settled.error() != null) {
      return settled.error().name();
    }
    return settled.isRepeated()
        ? "repeated"
        : settled.isCancelled() ? "cancelled" : settled.isCancelRequested() ? "requested" : "done";
  }

  static Question extend(DifferentialJobDice dice, DifferentialJobModel model) {
    List<Grip> grips = grips(dice, model, dice.one(1, 2, 3));
    return extend(grips, dice);
  }

  private static Duration leaseFor(DifferentialJobDice dice) {
    return dice.about(dice.one(5_000L, 1_000L, 1L, 60_000L));
  }

  private static List<Held> held(DifferentialJobSide side, List<Grip> grips) {
    return grips.stream().map(grip -> side.held(grip.job(), grip.token())).toList();
  }

  static Question extend(List<Grip> grips, DifferentialJobDice dice) {
    Duration leaseFor = leaseFor(dice);
    int process = dice.below(2);
    return new Question(
        "extend " + grips + " for " + leaseFor,
        side -> side.process(process).store().extend(held(side, grips), leaseFor, CALL),
        answer ->
            ((List<?>) answer)
                .stream().map(each -> "extend:" + kind((Extended) each)).distinct().toList());
  }

  private static String kind(Extended extended) {
    return extended.error() != null
        ? extended.error().name()
        : extended.isCancelRequested() ? "requested" : "done";
  }

  static Question beat(DifferentialJobDice dice, DifferentialJobModel model) {
    return beat(grips(dice, model, dice.one(1, 2, 3, 0)), dice);
  }

  static Question beat(List<Grip> grips, DifferentialJobDice dice) {
    WorkerInfo worker = dice.once(2) ? worker(dice) : null;
    Duration leaseFor = leaseFor(dice);
    int process = dice.below(2);
    return new Question(
        "beat " + worker + " with " + grips + " for " + leaseFor,
        side ->
            side.process(process)
                .store()
                .beat(new JobStore.Heartbeat(worker, held(side, grips), leaseFor), CALL),
        answer ->
            Stream.concat(
                    Stream.of(worker == null ? "beat:nobody" : "beat:worker"),
                    ((List<?>) answer)
                        .stream().map(beat -> "beat:" + kind(((JobStore.Beat) beat).extended())))
                .distinct()
                .toList());
  }

  private static WorkerInfo worker(DifferentialJobDice dice) {
    return new WorkerInfo(
        dice.one("w", "v"),
        dice.one("here", "there"),
        dice.one(List.of("q"), List.of("q", "r"), List.of()),
        dice.one(List.of("t"), List.of("t", "u"), List.of()),
        dice.one(4, 1),
        null,
        null);
  }

  static Question isAcked(DifferentialJobDice dice, DifferentialJobModel model) {
    Grip grip = grips(dice, model, 1).get(0);
    return new Question(
        "is " + grip + " acked",
        side -> side.first().store().isAcked(side.held(grip.job(), grip.token()), CALL),
        answer -> List.of("is acked:" + answer));
  }
}
