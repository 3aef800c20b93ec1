package io.holdfast.postgres;

import static io.holdfast.postgres.DifferentialJobOp.outcome;
import static io.holdfast.postgres.DifferentialJobSide.CALL;

import io.holdfast.job.Bulk;
import io.holdfast.job.DeadQuery;
import io.holdfast.job.Job;
import io.holdfast.job.JobAdmin;
import io.holdfast.job.JobState;
import io.holdfast.job.JobStats;
import io.holdfast.job.JobStore;
import io.holdfast.job.Requeue;
import io.holdfast.postgres.DifferentialJobModel.Grip;
import io.holdfast.postgres.DifferentialJobOp.Question;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** What operators ask. */
final class DifferentialJobAdmin {
  private static final JobState[] ALIVE = {
    JobState.READY, JobState.SCHEDULED, JobState.GATED, JobState.INFLIGHT
  };
  private static final JobState[] AWAY = {JobState.DLQ, JobState.CANCELLED, JobState.SCHEDULED};

  private DifferentialJobAdmin() {}

  /** A queue, or now and then one that nobody uses. */
  static String queue(DifferentialJobDice dice) {
    return dice.once(12) ? "nowhere" : dice.one("q", "q", "r");
  }

  private static List<String> names(
      DifferentialJobDice dice, DifferentialJobModel model, JobState... states) {
    List<String> names = new ArrayList<>();
    int many = dice.one(1, 1, 2, 3);
    for (int i = 0; i < many; i++) {
      Job job = model.any(dice, states);
      names.add(job == null || dice.once(20) ? "nojob" : model.name(job));
    }
    return names;
  }

  static Question cancel(DifferentialJobDice dice, DifferentialJobModel model) {
    Grip held = dice.once(2) ? model.grip(dice, model::isHeld) : null;
    List<String> names = held == null ? names(dice, model, ALIVE) : List.of(held.job());
    int process = dice.below(2);
    return new Question(
        "cancel " + names,
        side -> side.process(process).store().cancel(side.ids(names), CALL),
        answer -> {
          JobStore.Cancellations done = (JobStore.Cancellations) answer;
          return Stream.concat(
                  Stream.of(done.effects().keys().isEmpty() ? "cancel:no keys" : "cancel:keys"),
                  done.cancelled().stream().map(each -> "cancel:" + each.result()))
              .distinct()
              .toList();
        });
  }

  static Question requeue(DifferentialJobDice dice, DifferentialJobModel model) {
    List<String> names = names(dice, model, AWAY);
    return requeue(names, dice, model);
  }

  static Question requeue(
      List<String> names, DifferentialJobDice dice, DifferentialJobModel model) {
    List<JobState> before =
        names.stream().map(name -> DifferentialJobHot.state(model, name)).toList();
    Requeue how =
        new Requeue(
            dice.maybe(4, dice.one("q", "r")),
            dice.maybe(3, dice.near(model.now())),
            dice.one(true, false));
    return new Question(
        "requeue " + names + " " + how,
        side -> side.first().admin().requeue(side.ids(names), how, CALL),
        answer -> requeued((JobAdmin.Requeues) answer, before));
  }

  private static List<String> requeued(JobAdmin.Requeues answer, List<@Nullable JobState> before) {
    List<String> seen = new ArrayList<>();
    for (int i = 0; i < before.size(); i++) {
      Object error = answer.requeued().get(i).error();
      seen.add("requeue:" + (error == null ? before.get(i) : error));
    }
    seen.add(answer.effects().keys().isEmpty() ? "requeue:no keys" : "requeue:keys");
    seen.add(answer.effects().runnable().isEmpty() ? "requeue:not runnable" : "requeue:runnable");
    return seen.stream().distinct().toList();
  }

  static Question requeueDead(DifferentialJobDice dice, DifferentialJobModel model) {
    if (isTooSoon(dice, model)) {
      return DifferentialJobSettles.fail(dice, model);
    }
    DeadQuery query = query(dice, model);
    boolean isResetting = dice.one(true, false);
    Duration spread =
        dice.once(2)
            ? Duration.ZERO
            : dice.one(dice.about(1_000), dice.about(10_000), Duration.ofNanos(7_000));
    return new Question(
        "requeue dead " + query + " over " + spread + ", resetting " + isResetting,
        side -> side.first().admin().requeueDead(query, isResetting, spread, CALL),
        outcome(
            "requeue dead",
            answer ->
                kind(((JobAdmin.Revived) answer).bulk()) + (spread.isZero() ? "" : " spread")));
  }

  /** Whether there should be more dead letters first. */
  private static boolean isTooSoon(DifferentialJobDice dice, DifferentialJobModel model) {
    return !dice.once(4) && model.jobs(JobState.DLQ).size() < dice.one(1, 2, 4);
  }

  static Question purgeDead(DifferentialJobDice dice, DifferentialJobModel model) {
    if (isTooSoon(dice, model)) {
      return DifferentialJobSettles.fail(dice, model);
    }
    DeadQuery query = query(dice, model);
    return new Question(
        "purge dead " + query,
        side -> side.first().admin().purgeDead(query, CALL),
        outcome("purge dead", answer -> kind((Bulk) answer)));
  }

  private static String kind(Bulk bulk) {
    return (bulk.count() == 0 ? "none" : "some") + (bulk.more() ? " of more" : "");
  }

  /** With bounds at the time of a death, or a microsecond beside it. */
  private static DeadQuery query(DifferentialJobDice dice, DifferentialJobModel model) {
    Job dead = model.any(dice, JobState.DLQ);
    Instant at = dead == null ? null : dead.history().dead().failedAt();
    Instant bound = (at == null ? model.now() : at).plus(dice.about(0));
    return DeadQuery.of(dead == null ? queue(dice) : dead.queue())
        .type(dice.maybe(6, dice.one("t", "u")))
        .reason(dice.maybe(6, dice.one("bo", "delivery", "")))
        .died(dice.maybe(6, bound), dice.maybe(6, bound))
        .limit(dice.one(1, 1, 1, 1_000, 2));
  }

  static Question pause(DifferentialJobDice dice, DifferentialJobModel model) {
    String queue = queue(dice);
    boolean isPaused = model.queue(queue).pausedAt() != null;
    String by = dice.one("me", null);
    return new Question(
        "pause " + queue,
        side -> {
          side.process(1).admin().pause(queue, by, CALL);
          return "done";
        },
        outcome("pause", answer -> isPaused ? "again" : "new"));
  }

  static Question resume(DifferentialJobDice dice, DifferentialJobModel model) {
    List<String> paused =
        DifferentialJobModel.QUEUES.stream()
            .filter(name -> model.queue(name).pausedAt() != null)
            .toList();
    String queue = paused.isEmpty() || dice.once(6) ? queue(dice) : paused.get(0);
    boolean isPaused = model.queue(queue).pausedAt() != null;
    return new Question(
        "resume " + queue,
        side -> {
          side.first().admin().resume(queue, CALL);
          return "done";
        },
        outcome("resume", answer -> isPaused ? "paused" : "running"));
  }

  static Question queues(DifferentialJobDice dice, DifferentialJobModel model) {
    return queues(dice.maybe(2, queue(dice)));
  }

  /** All of them, if none is named. */
  static Question queues(@Nullable String queue) {
    return new Question(
        "queues " + queue,
        side -> side.process(1).admin().queues(queue, CALL),
        outcome(
            "queues",
            answer ->
                queue != null ? "one" : ((List<?>) answer).isEmpty() ? "all: none" : "all: some"));
  }

  static Question stats(DifferentialJobDice dice, DifferentialJobModel model) {
    return stats(queue(dice));
  }

  static Question stats(String queue) {
    return new Question(
        "stats " + queue,
        side -> side.first().admin().stats(queue, CALL),
        answer -> {
          JobStats stats = (JobStats) answer;
          List<String> seen = new ArrayList<>();
          stats.counts().forEach((state, count) -> seen.add(some("stats", state, count.count())));
          seen.add(some("stats", "finished", stats.finishedLastMinute().count()));
          seen.add(some("stats", "died", stats.diedLastMinute().count()));
          return seen;
        });
  }

  private static String some(String what, Object which, int count) {
    return what + ":" + (count == 0 ? "no " : "some ") + which;
  }

  static Question workers(DifferentialJobDice dice, DifferentialJobModel model) {
    return new Question(
        "workers",
        side -> side.first().admin().workers(CALL),
        outcome("workers", answer -> ((List<?>) answer).isEmpty() ? "none" : "some"));
  }
}
