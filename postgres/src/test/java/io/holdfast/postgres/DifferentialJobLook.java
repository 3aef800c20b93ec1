package io.holdfast.postgres;

import static io.holdfast.postgres.DifferentialJobOp.outcome;
import static io.holdfast.postgres.DifferentialJobSide.CALL;

import io.holdfast.job.Job;
import io.holdfast.job.JobParts;
import io.holdfast.job.JobParts.Answer;
import io.holdfast.job.JobParts.Facts;
import io.holdfast.job.JobParts.Part;
import io.holdfast.job.JobParts.Position;
import io.holdfast.job.JobParts.Request;
import io.holdfast.job.JobState;
import io.holdfast.postgres.DifferentialJobOp.Question;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Looking at jobs. */
final class DifferentialJobLook {
  private static final int MOST_PAGES = 1_000;

  private DifferentialJobLook() {}

  static JobParts parts(DifferentialJobSide side) {
    return (JobParts) side.first().reader();
  }

  private static String name(DifferentialJobDice dice, DifferentialJobModel model) {
    Job job = model.any(dice, dice.one(JobState.values()));
    return job == null || dice.once(15) ? "nojob" : model.name(job);
  }

  static Question find(DifferentialJobDice dice, DifferentialJobModel model) {
    return find(name(dice, model), dice.one(true, false));
  }

  static Question find(String name, boolean withPayload) {
    return new Question(
        "find " + name,
        side -> side.process(1).reader().find(side.id(name), withPayload, CALL),
        outcome(
            "find",
            answer ->
                ((Optional<?>) answer).map(job -> ((Job) job).state().name()).orElse("nothing")));
  }

  static Question facts(DifferentialJobDice dice, DifferentialJobModel model) {
    return facts(name(dice, model));
  }

  static Question facts(String name) {
    return new Question(
        "facts of " + name,
        side -> parts(side).facts(side.id(name), CALL),
        answer -> ((Optional<?>) answer).map(facts -> kinds((Facts) facts)).orElse(List.of()));
  }

  private static List<String> kinds(Facts facts) {
    List<String> seen = new ArrayList<>();
    seen.add("facts:" + facts.job().state());
    seen.add(facts.pausedAt() == null ? "facts:not paused" : "facts:paused");
    seen.add(facts.keyLimit() == null ? "facts:no limit" : "facts:limit");
    seen.add(facts.keyHolders().isEmpty() ? "facts:no holders" : "facts:holders");
    seen.add(facts.hasWorker() ? "facts:worker" : "facts:no worker");
    seen.add(facts.knowsType() ? "facts:known type" : "facts:unknown type");
    seen.add(facts.ahead() == 0 ? "facts:none ahead" : "facts:ahead");
    return seen;
  }

  static Question trace(DifferentialJobDice dice, DifferentialJobModel model) {
    String trace = dice.one("x", "y", "z");
    return new Question(
        "trace " + trace,
        side -> side.first().reader().trace(trace, CALL),
        outcome("trace", answer -> ((List<?>) answer).isEmpty() ? "none" : "some"));
  }

  static Question list(DifferentialJobDice dice, DifferentialJobModel model) {
    Job job = dice.once(4) ? null : crowded(dice, model);
    Part part = job == null ? dice.one(Part.values()) : part(job, dice);
    String queue = job == null ? DifferentialJobAdmin.queue(dice) : job.queue();
    String type = dice.maybe(5, dice.one("t", "u"));
    Request request = new Request(queue, part, type, dice.one(1, 1, 1, 2, 500), null);
    return dice.once(6) ? page(request, position(dice, model, part)) : pages(request);
  }

  /** A job that is not alone where it is, if there is one; each state is as likely as another. */
  private static @Nullable Job crowded(DifferentialJobDice dice, DifferentialJobModel model) {
    List<List<Job>> states =
        Stream.of(JobState.values())
            .map(state -> crowded(model.jobs(state)))
            .filter(jobs -> !jobs.isEmpty())
            .toList();
    return states.isEmpty() ? model.any(dice) : dice.of(dice.of(states));
  }

  private static List<Job> crowded(List<Job> jobs) {
    return jobs.stream()
        .filter(job -> jobs.stream().filter(o -> o.queue().equals(job.queue())).count() > 1)
        .toList();
  }

  /** A part that the job is in. */
  private static Part part(Job job, DifferentialJobDice dice) {
    return switch (job.state()) {
      case READY -> job.spec().runAt() == null ? Part.READY : Part.DUE;
      case SCHEDULED -> Part.SCHEDULED;
      case GATED -> Part.GATED;
      case INFLIGHT -> Part.INFLIGHT;
      case DONE -> dice.one(Part.FINISHED, Part.SUCCEEDED);
      case CANCELLED -> dice.one(Part.CANCELLED, Part.FINISHED);
      case DLQ -> Part.DLQ;
    };
  }

  /** Somewhere, whether a page ended there or not. */
  private static Position position(
      DifferentialJobDice dice, DifferentialJobModel model, Part part) {
    String key = part == Part.GATED ? dice.one("k", "l", "") : null;
    return new Position(dice.near(model.now()), key, dice.one("", "j003", "~"));
  }

  private static Question page(Request request, Position after) {
    Request there =
        new Request(request.queue(), request.part(), request.type(), request.limit(), after);
    return new Question(
        "list " + there, side -> parts(side).list(there, CALL), answer -> List.of());
  }

  /** All pages, from the first to the last. */
  static Question pages(Request request) {
    return new Question(
        "list all pages of " + request,
        side -> pages(parts(side), request),
        answer -> {
          List<?> pages = (List<?>) answer;
          boolean isEmpty = ((Answer) pages.get(0)).jobs().isEmpty();
          String kind = isEmpty ? "none" : pages.size() > 1 ? "pages" : "page";
          return List.of("list " + request.part() + ":" + kind);
        });
  }

  private static List<Answer> pages(JobParts reader, Request request) {
    List<Answer> pages = new ArrayList<>();
    Position after = null;
    do {
      Answer page = reader.list(from(request, after), CALL);
      pages.add(page);
      after = page.next();
    } while (after != null && pages.size() < MOST_PAGES);
    return pages;
  }

  private static Request from(Request request, @Nullable Position after) {
    return new Request(request.queue(), request.part(), request.type(), request.limit(), after);
  }
}
