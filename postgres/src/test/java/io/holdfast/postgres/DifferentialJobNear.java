package io.holdfast.postgres;

import io.holdfast.job.Job;
import io.holdfast.job.JobParts.Part;
import io.holdfast.job.JobParts.Request;
import io.holdfast.job.JobState;
import io.holdfast.job.ReserveRequest;
import io.holdfast.postgres.DifferentialJobBounds.Bound;
import io.holdfast.postgres.DifferentialJobModel.Grip;
import io.holdfast.postgres.DifferentialJobOp.Question;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The clock, and the moments where a microsecond decides: goes to one, or as near as a clock of
 * milliseconds can, before or behind it, and asks what it is about.
 */
final class DifferentialJobNear {
  private static final List<String> KINDS =
      List.of(
          "lease",
          "lease",
          "lease",
          "lease",
          "lease",
          "lease",
          "due",
          "due",
          "due",
          "due",
          "gate",
          "gate",
          "gate",
          "done keep",
          "done keep",
          "dead keep",
          "dead keep",
          "dead keep",
          "minute",
          "slot",
          "late",
          "worker",
          "forgotten");

  /** Not far away, so that not everything is over when one comes there. */
  private static final List<String> CLOSE = List.of("lease", "due", "gate", "slot");

  private DifferentialJobNear() {}

  static @Nullable Question advance(DifferentialJobDice dice, DifferentialJobModel model) {
    model.advance(dice.one(1L, 1L, 10L, 100L, 999L, 1_000L, 2_000L, 12_000L));
    return null;
  }

  static @Nullable Question near(DifferentialJobDice dice, DifferentialJobModel model) {
    String wanted = dice.of(KINDS);
    List<Bound> bounds =
        Stream.concat(Stream.of(wanted), CLOSE.stream())
            .map(kind -> DifferentialJobBounds.of(kind, model))
            .filter(found -> !found.isEmpty())
            .findFirst()
            .orElse(List.of());
    if (bounds.isEmpty()) {
      return advance(dice, model);
    }
    Bound bound = bounds.get(dice.below(Math.min(3, bounds.size())));
    go(bound.at(), dice, model);
    String verb = verb(bound.kind(), dice);
    Question question = question(verb, bound, dice, model);
    return question.at("%s at %s%s".formatted(verb, bound.kind(), off(bound, model.now())));
  }

  /** To the last millisecond before or the first behind, or there, or to a neighbour. */
  private static void go(Instant at, DifferentialJobDice dice, DifferentialJobModel model) {
    Instant floor = at.truncatedTo(ChronoUnit.MILLIS);
    Instant to =
        floor.equals(at)
            ? dice.one(at, at, at.minusMillis(1), at.plusMillis(1))
            : dice.one(floor, floor.plusMillis(1));
    model.advance(Math.max(0, model.now().until(to, ChronoUnit.MILLIS)));
  }

  /** How far now is from there, if that is next to nothing. */
  private static String off(Bound bound, Instant now) {
    long micros = bound.at().until(now, ChronoUnit.MICROS);
    if (Math.abs(micros) <= 1) {
      return " %+dus".formatted(micros);
    }
    return Math.abs(micros) == 1_000 ? " %+dms".formatted(micros / 1_000) : "";
  }

  private static String verb(String kind, DifferentialJobDice dice) {
    return switch (kind) {
      case "due" -> dice.one("reserve", "list", "stats", "find", "requeue", "reserve");
      case "gate" -> dice.one("admit", "sweep");
      case "lease" ->
          dice.one(
              "reserve", "ack", "retry", "fail", "release", "report", "extend", "beat", "facts");
      case "done keep", "dead keep" -> "retain";
      case "minute" -> "stats";
      case "slot", "late" -> "tick";
      case "worker" -> "facts";
      default -> "forget";
    };
  }

  private static Question question(
      String verb, Bound bound, DifferentialJobDice dice, DifferentialJobModel model) {
    Job job = bound.job();
    return switch (verb) {
      case "tick" -> DifferentialJobDuties.tick(dice, model);
      case "sweep" -> DifferentialJobDuties.sweep(dice, model);
      case "retain" -> DifferentialJobDuties.retain(dice, model);
      case "forget" -> DifferentialJobDuties.forget(dice, model);
      case "facts" -> DifferentialJobLook.facts(job == null ? any(dice, model) : model.name(job));
      default -> about(Objects.requireNonNull(job), verb, dice, model);
    };
  }

  private static String any(DifferentialJobDice dice, DifferentialJobModel model) {
    Job job = model.any(dice, JobState.READY);
    return job == null ? "nojob" : model.name(job);
  }

  private static Question about(
      Job job, String verb, DifferentialJobDice dice, DifferentialJobModel model) {
    return switch (verb) {
      case "reserve" -> DifferentialJobHot.reserve(dice.below(2), request(job, dice), model);
      case "list" ->
          DifferentialJobLook.pages(
              new Request(job.queue(), dice.one(Part.DUE, Part.SCHEDULED), null, 2, null));
      case "stats" -> DifferentialJobAdmin.stats(job.queue());
      case "find" -> DifferentialJobLook.find(model.name(job), true);
      case "requeue" -> DifferentialJobAdmin.requeue(List.of(model.name(job)), dice, model);
      case "admit" -> DifferentialJobDuties.admit(Set.of(DifferentialJobDuties.key(job)), 0, model);
      case "extend" -> DifferentialJobSettles.extend(List.of(model.grip(job)), dice);
      case "beat" -> DifferentialJobSettles.beat(List.of(model.grip(job)), dice);
      default -> settle(verb, model.grip(job), dice, model);
    };
  }

  private static ReserveRequest request(Job job, DifferentialJobDice dice) {
    return ReserveRequest.of(job.queue(), dice.one(10, 1)).leaseFor(dice.about(5_000));
  }

  private static Question settle(
      String verb, Grip grip, DifferentialJobDice dice, DifferentialJobModel model) {
    return DifferentialJobSettles.settle(
        dice.below(2), List.of(DifferentialJobWords.one(verb, grip, dice, model.now())));
  }
}
