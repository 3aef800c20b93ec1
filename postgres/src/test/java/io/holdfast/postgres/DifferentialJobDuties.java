package io.holdfast.postgres;

import static io.holdfast.postgres.DifferentialJobOp.outcome;
import static io.holdfast.postgres.DifferentialJobSide.CALL;

import io.holdfast.job.Effects;
import io.holdfast.job.Job;
import io.holdfast.job.JobQueueConfig;
import io.holdfast.job.JobState;
import io.holdfast.job.JobUpkeep;
import io.holdfast.job.QueueKey;
import io.holdfast.postgres.DifferentialJobOp.Question;
import java.time.Duration;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;

/** Settings, limits, and what happens in the background. */
final class DifferentialJobDuties {
  private DifferentialJobDuties() {}

  static Question configure(DifferentialJobDice dice, DifferentialJobModel model) {
    JobQueueConfig config =
        new JobQueueConfig(
            DifferentialJobAdmin.queue(dice),
            dice.one(
                null, dice.about(5_000), Duration.ZERO, dice.about(5_000), Duration.ofHours(24)),
            dice.one(null, dice.about(5_000), JobQueueConfig.FOR_EVER, dice.about(5_000)),
            dice.one(null, null, 1, 2, 20),
            dice.one(null, null, "", "", "k", "m"),
            List.of());
    int many = dice.one(1, 0, 2);
    for (int i = 0; i < many; i++) {
      config = config.limit(dice.one("k", "l", "m", "*"), dice.one(1, 2, null, 3));
    }
    return configure(config);
  }

  private static Question configure(JobQueueConfig config) {
    return new Question(
        "configure " + config,
        side -> side.process(1).limits().configure(config, CALL),
        outcome("configure", answer -> config.limits().isEmpty() ? "settings" : "limits"));
  }

  static Question admit(DifferentialJobDice dice, DifferentialJobModel model) {
    Set<QueueKey> keys = new HashSet<>();
    Job gated = model.any(dice, JobState.GATED);
    if (gated != null && gated.state() == JobState.GATED) {
      keys.add(key(gated));
    }
    int many = dice.one(0, 1, 2);
    for (int i = 0; i < many || keys.isEmpty(); i++) {
      keys.add(new QueueKey(DifferentialJobAdmin.queue(dice), dice.of(DifferentialJobModel.KEYS)));
    }
    return admit(keys, dice.below(2), model);
  }

  static QueueKey key(Job job) {
    return new QueueKey(job.queue(), String.valueOf(job.spec().keys().limit()));
  }

  static Question admit(Set<QueueKey> keys, int process, DifferentialJobModel model) {
    boolean isWaiting =
        model.jobs(JobState.GATED).stream().anyMatch(job -> keys.contains(key(job)));
    return new Question(
        "admit " + keys,
        side -> side.process(process).limits().admit(keys, CALL),
        outcome(
            "admit",
            answer ->
                !((Effects) answer).runnable().isEmpty()
                    ? "some"
                    : isWaiting ? "no slot" : "none"));
  }

  static Question sweep(DifferentialJobDice dice, DifferentialJobModel model) {
    boolean isWaiting = !model.jobs(JobState.GATED).isEmpty();
    int process = dice.below(2);
    return new Question(
        "sweep",
        side -> side.process(process).upkeep().sweep(CALL),
        outcome(
            "sweep",
            answer ->
                ((JobUpkeep.Swept) answer).admitted() > 0
                    ? "some"
                    : isWaiting ? "no slot" : "none"));
  }

  /** One process ticks: the order of ids is that of their making in one process only. */
  static Question tick(DifferentialJobDice dice, DifferentialJobModel model) {
    return new Question(
        "tick",
        side -> side.first().upkeep().tick(CALL),
        answer -> ticked((JobUpkeep.Ticked) answer));
  }

  private static List<String> ticked(JobUpkeep.Ticked ticked) {
    Set<String> seen = new LinkedHashSet<>();
    seen.add("tick:" + (ticked.fired() == 0 ? "none" : ticked.fired() == 1 ? "one" : "several"));
    seen.add(ticked.nextIn() == null ? "tick:no next" : "tick:next");
    seen.add(ticked.effects().keys().isEmpty() ? "tick:no keys" : "tick:keys");
    seen.add(ticked.effects().runnable().isEmpty() ? "tick:not runnable" : "tick:runnable");
    return List.copyOf(seen);
  }

  static Question adopt(DifferentialJobDice dice, DifferentialJobModel model) {
    return new Question(
        "adopt", side -> side.first().upkeep().adopt(CALL), outcome("adopt", some()));
  }

  static Question retain(DifferentialJobDice dice, DifferentialJobModel model) {
    return new Question(
        "retain", side -> side.process(1).upkeep().retain(CALL), outcome("retain", some()));
  }

  static Question forget(DifferentialJobDice dice, DifferentialJobModel model) {
    return new Question(
        "forget workers",
        side -> side.first().upkeep().forgetWorkers(CALL),
        outcome("forget", some()));
  }

  private static Function<Object, String> some() {
    return answer -> Integer.valueOf(0).equals(answer) ? "none" : "some";
  }
}
