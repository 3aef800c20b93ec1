package io.holdfast.postgres;

import static io.holdfast.postgres.DifferentialJobOp.outcome;
import static io.holdfast.postgres.DifferentialJobSide.CALL;

import io.holdfast.job.JobSchedules.Triggered;
import io.holdfast.job.NewJob;
import io.holdfast.job.Schedule;
import io.holdfast.job.ScheduleSpec;
import io.holdfast.postgres.DifferentialJobOp.Question;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** Recurring jobs. */
final class DifferentialJobPlans {
  private DifferentialJobPlans() {}

  /** Mostly one that exists. */
  private static String name(DifferentialJobDice dice, DifferentialJobModel model) {
    List<Schedule> known = model.schedules();
    return known.isEmpty() || dice.once(4) ? dice.one("s", "s2", "S") : dice.of(known).name();
  }

  static Question put(DifferentialJobDice dice, DifferentialJobModel model) {
    String name = name(dice, model);
    boolean isNew = model.schedules().stream().noneMatch(old -> old.name().equals(name));
    String cron = dice.one("*/5 * * * * *", "@every 7s", "* * * * * *", "0 * * * *");
    ScheduleSpec spec =
        new ScheduleSpec(
            name,
            job(dice),
            cron,
            dice.one("UTC", "UTC", "Europe/Berlin"),
            dice.one(ScheduleSpec.Missed.values()),
            dice.one(ScheduleSpec.Overlap.values()));
    return new Question(
        "put " + spec + " priority " + spec.job().priority() + " under " + spec.job().limitKey(),
        side -> side.process(1).schedules().put(spec, CALL),
        outcome("put", answer -> isNew ? "new" : "replaced"));
  }

  private static NewJob job(DifferentialJobDice dice) {
    return NewJob.of(dice.one("t", "u"))
        .queue(dice.one("q", "r"))
        .payload(dice.one("", "scheduled"))
        .priority(dice.one(0, 0, 1, -1))
        .maxAttempts(dice.one(0, 3))
        .timeout(Duration.ofNanos(dice.one(0L, 1L)))
        .limitedBy(dice.maybe(3, dice.one("k", "l")));
  }

  static Question delete(DifferentialJobDice dice, DifferentialJobModel model) {
    String name = name(dice, model);
    return new Question(
        "delete " + name,
        side -> side.first().schedules().delete(name, CALL),
        outcome("delete", answer -> answer.equals(true) ? "done" : "absent"));
  }

  static Question enable(DifferentialJobDice dice, DifferentialJobModel model) {
    String name = name(dice, model);
    boolean isEnabled = dice.one(true, false, true);
    return new Question(
        (isEnabled ? "enable " : "disable ") + name,
        side -> side.first().schedules().enable(name, isEnabled, CALL),
        outcome(
            isEnabled ? "enable" : "disable",
            answer -> ((Optional<?>) answer).isPresent() ? "done" : "absent"));
  }

  static Question trigger(DifferentialJobDice dice, DifferentialJobModel model) {
    String name = name(dice, model);
    return new Question(
        "trigger " + name,
        side -> side.first().schedules().trigger(name, CALL),
        outcome(
            "trigger",
            answer ->
                ((Optional<?>) answer)
                    .map(
                        made ->
                            ((Triggered) made).effects().keys().isEmpty() ? "runnable" : "gated")
                    .orElse("absent")));
  }

  static Question list(DifferentialJobDice dice, DifferentialJobModel model) {
    return new Question(
        "schedules",
        side -> side.first().schedules().list(CALL),
        outcome("schedules", answer -> ((List<?>) answer).isEmpty() ? "none" : "some"));
  }
}
