package io.holdfast.postgres;

import io.holdfast.job.Held;
import io.holdfast.job.JobRules;
import io.holdfast.job.Settlement;
import io.holdfast.postgres.DifferentialJobModel.Grip;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** What is said about runs. */
final class DifferentialJobWords {
  private static final List<String> VERBS =
      List.of("ack", "retry", "fail", "release", "report", "fail");

  /** For a run that was asked to end, which is rare: more of what tells it so. */
  private static final List<String> VERBS_AT_THE_END =
      List.of("retry", "report", "retry", "report", "ack", "fail", "release");

  private DifferentialJobWords() {}

  /** One settlement, for each side, and what it is called. */
  record Word(String verb, Grip grip, String text, Function<DifferentialJobSide, Settlement> item) {
    @Override
    public String toString() {
      return text;
    }
  }

  /** As they come to a store: checked and completed. */
  static List<Settlement> items(DifferentialJobSide side, List<Word> words) {
    return JobRules.settlements(words.stream().map(word -> word.item().apply(side)).toList());
  }

  /** Settlements of different jobs. */
  static List<Word> several(
      DifferentialJobDice dice, DifferentialJobModel model, @Nullable String verb, int many) {
    List<Word> words = new ArrayList<>();
    for (Grip grip : DifferentialJobSettles.grips(dice, model, many)) {
      List<String> verbs = model.isAskedToEnd(grip) ? VERBS_AT_THE_END : VERBS;
      words.add(one(verb == null ? dice.of(verbs) : verb, grip, dice, model.now()));
    }
    return words;
  }

  static Word one(String verb, Grip grip, DifferentialJobDice dice, Instant now) {
    Function<Held, Settlement> said =
        switch (verb) {
          case "ack" -> ack(dice);
          case "retry" -> retry(dice, now);
          case "fail" -> fail(dice);
          case "release" -> release(dice);
          default -> report(dice);
        };
    Settlement sample = said.apply(new Held(grip.job(), grip.token()));
    return new Word(
        verb,
        grip,
        sample.toString().replaceAll("\\[B@\\w+", "bytes") + " under " + grip.token(),
        side -> said.apply(side.held(grip.job(), grip.token())));
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private static Function<Held, Settlement> ack(DifferentialJobDice dice) {
    byte[] output = dice.one(null, bytes("out"), bytes(""));
    return held -> new Settlement.Ack(held, output);
  }

  private static @Nullable Integer attempts(DifferentialJobDice dice) {
    return dice.one(null, null, null, null, 0, 7, Integer.MAX_VALUE);
  }

  private static Function<Held, Settlement> retry(DifferentialJobDice dice, Instant now) {
    Instant runAt = dice.maybe(4, dice.near(now));
    Duration delay = runAt == null ? dice.maybe(2, dice.about(dice.one(1_000L, 1L, 5_000L))) : null;
    String error = dice.one("e", "", "f");
    Integer attempts = attempts(dice);
    Instant failedAt = dice.maybe(4, dice.near(now));
    return held -> new Settlement.Retry(held, runAt, delay, error, attempts, failedAt);
  }

  private static Function<Held, Settlement> fail(DifferentialJobDice dice) {
    String reason = dice.one("boom", null, "", "  ", "other");
    String error = dice.one(null, "bad");
    Integer attempts = attempts(dice);
    return held -> new Settlement.Fail(held, reason, error, attempts);
  }

  private static Function<Held, Settlement> release(DifferentialJobDice dice) {
    Duration delay = dice.one(null, null, dice.about(1), dice.about(1_000), dice.about(5_000));
    return held -> new Settlement.Release(held, delay);
  }

  private static Function<Held, Settlement> report(DifferentialJobDice dice) {
    Integer percent = dice.one(50, null, 0, 100);
    String note = dice.one(null, "n", "");
    byte[] checkpoint = dice.one(null, bytes("c"), bytes(""));
    return held -> new Settlement.Report(held, percent, note, checkpoint);
  }
}
