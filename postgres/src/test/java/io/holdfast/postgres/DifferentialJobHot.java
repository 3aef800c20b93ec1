package io.holdfast.postgres;

import static io.holdfast.postgres.DifferentialJobSide.CALL;

import io.holdfast.job.Enqueued;
import io.holdfast.job.Job;
import io.holdfast.job.JobException;
import io.holdfast.job.JobRow;
import io.holdfast.job.JobSpec;
import io.holdfast.job.JobState;
import io.holdfast.job.JobStore;
import io.holdfast.job.NewJob;
import io.holdfast.job.ReserveRequest;
import io.holdfast.job.ReserveRequest.Share;
import io.holdfast.job.Reserved;
import io.holdfast.postgres.DifferentialJobOp.Question;
import io.holdfast.postgres.DifferentialJobWords.Word;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What producers and workers ask. */
final class DifferentialJobHot {
  private DifferentialJobHot() {}

  static Question enqueue(DifferentialJobDice dice, DifferentialJobModel model) {
    List<JobRow> rows = rows(dice, model);
    return enqueue(dice.below(2), rows, model);
  }

  static Question enqueue(int process, List<JobRow> rows, DifferentialJobModel model) {
    return new Question(
        "enqueue " + rows.stream().map(DifferentialJobHot::words).toList(),
        side ->
            side.process(process)
                .store()
                .enqueue(rows.stream().map(row -> idOn(side, row)).toList(), CALL),
        answer -> enqueued(answer, rows, model));
  }

  private static JobRow idOn(DifferentialJobSide side, JobRow row) {
    return new JobRow(side.id(row.id()), row.queue(), row.keys(), row.draft());
  }

  private static String words(JobRow row) {
    NewJob draft = row.draft();
    return "%s in %s, %s, type %s, run %s/%s, priority %d, %s"
        .formatted(
            row.id(),
            row.queue(),
            row.keys(),
            draft.type(),
            draft.runAt(),
            draft.delay(),
            draft.priority(),
            draft.imported());
  }

  private static List<JobRow> rows(DifferentialJobDice dice, DifferentialJobModel model) {
    List<JobRow> rows = new ArrayList<>();
    Set<String> keys = new HashSet<>();
    int many = dice.one(1, 1, 1, 2, 3, 5);
    int wrong = dice.once(8) ? dice.below(many) : many;
    for (int i = 0; i < many; i++) {
      String queue = dice.one("q", "q", "r");
      String key = dice.maybe(4, dice.one("a", "b", "c"));
      boolean isFree = key != null && keys.add(queue + key);
      JobSpec.Keys all =
          new JobSpec.Keys(
              isFree ? key : null,
              dice.maybe(3, dice.one("k", "k", "l")),
              dice.maybe(5, dice.one("x", "y")));
      String id = i == wrong ? taken(dice, model, rows) : model.newJob();
      rows.add(new JobRow(id, queue, all, draft(dice, model.now())));
    }
    return rows;
  }

  /** One that is taken. A batch has at most one: which of several is named does not count. */
  private static String taken(
      DifferentialJobDice dice, DifferentialJobModel model, List<JobRow> before) {
    if (!before.isEmpty() && dice.once(3)) {
      return before.get(0).id();
    }
    Job taken = model.any(dice);
    return taken == null ? model.newJob() : model.name(taken);
  }

  private static NewJob draft(DifferentialJobDice dice, Instant now) {
    NewJob draft =
        NewJob.of(dice.one("t", "t", "u"))
            .payload(dice.one("", "p", "é\u0000"))
            .priority(dice.one(0, 0, 0, 0, 1, -1, 3, 100, -100))
            .timeout(Duration.ofNanos(dice.one(0L, 1L, 1_500_000_001L)))
            .maxAttempts(dice.one(0, 3, 25));
    if (dice.once(3)) {
      draft = draft.runAt(dice.near(now));
    } else if (dice.once(4)) {
      draft = draft.runIn(dice.about(dice.one(1_000L, 5_000L, 1L, 20_000L)));
    }
    return dice.once(8) ? draft.imported(past(dice, now)) : draft;
  }

  private static NewJob.Import past(DifferentialJobDice dice, Instant now) {
    return new NewJob.Import(
        dice.one(0, 2),
        dice.one("", "old"),
        dice.maybe(2, dice.near(now)),
        dice.maybe(2, dice.near(now.minus(dice.one(Duration.ZERO, Duration.ofHours(1))))));
  }

  private static List<String> enqueued(
      Object answer, List<JobRow> rows, DifferentialJobModel model) {
    if (answer instanceof JobException e) {
      return List.of("enqueue:" + e.error() + (rows.size() > 1 ? " in a batch" : ""));
    }
    JobStore.Stored stored = (JobStore.Stored) answer;
    Set<String> seen = new LinkedHashSet<>();
    for (Enqueued each : stored.jobs()) {
      JobState state = model.job(model.memory.name(each.id())).orElseThrow().state();
      seen.add("enqueue:" + (each.existed() ? "existed" : state));
    }
    if (rows.size() > 1) {
      seen.add("enqueue:batch");
    }
    seen.add(stored.effects().keys().isEmpty() ? "enqueue:no keys" : "enqueue:keys");
    seen.add(stored.effects().runnable().isEmpty() ? "enqueue:not runnable" : "enqueue:runnable");
    return List.copyOf(seen);
  }

  static Question reserve(DifferentialJobDice dice, DifferentialJobModel model) {
    return reserve(dice.below(2), request(dice, model.now()), model);
  }

  static ReserveRequest request(DifferentialJobDice dice, Instant now) {
    List<Share> shares = new ArrayList<>();
    List<String> queues =
        dice.one(List.of("q"), List.of("r"), List.of("q", "r"), List.of("r", "q", "nowhere"));
    for (String queue : queues) {
      boolean isIgnored = !shares.isEmpty() && dice.once(6);
      int max = isIgnored ? 0 : dice.one(10, 1, 2, 3);
      Duration ago = dice.about(dice.one(0L, 1_000L, 5_000L));
      shares.add(new Share(queue, max, dice.maybe(8, now.minus(ago))));
    }
    return new ReserveRequest(
        shares,
        dice.one(10, 1, 2, 3),
        dice.about(dice.one(5_000L, 5_000L, 1_000L, 2_000L, 1L, 30_000L)),
        dice.one("w", null, "v#x"));
  }

  static Question reserve(int process, ReserveRequest request, DifferentialJobModel model) {
    List<String> running = running(model);
    return new Question(
        "reserve " + request,
        side -> side.process(process).store().reserve(request, CALL),
        answer -> List.copyOf(reserved("reserve", (Reserved) answer, request, running, model)));
  }

  private static List<String> running(DifferentialJobModel model) {
    return model.jobs().stream().filter(job -> !job.state().isFinished()).map(model::name).toList();
  }

  private static Set<String> reserved(
      String what,
      Reserved reserved,
      ReserveRequest request,
      List<String> before,
      DifferentialJobModel model) {
    model.given(reserved);
    Set<String> seen = new LinkedHashSet<>();
    seen.add(what + (reserved.jobs().isEmpty() ? ":none" : ":some"));
    seen.add(what + (reserved.jobs().size() == request.limit() ? ":full" : ":short"));
    Instant next = reserved.nextAt();
    boolean isSoon = next != null && next.equals(reserved.at().plusMillis(10));
    seen.add(what + (next == null ? ":no next" : isSoon ? ":look again" : ":next"));
    if (!reserved.paused().isEmpty()) {
      seen.add(what + ":paused");
    }
    if (reserved.jobs().stream().map(job -> job.job().queue()).distinct().count() > 1) {
      seen.add(what + ":several queues");
    }
    if (reserved.jobs().stream().anyMatch(job -> job.fence() > 1)) {
      seen.add(what + ":again");
    }
    if (reserved.more()) {
      before.stream()
          .flatMap(name -> model.job(name).stream())
          .filter(job -> job.state() == JobState.CANCELLED || job.state() == JobState.DLQ)
          .forEach(job -> seen.add(what + ":put away " + job.state()));
    }
    return seen;
  }

  static Question exchange(DifferentialJobDice dice, DifferentialJobModel model) {
    List<Word> words =
        DifferentialJobWords.several(dice, model, dice.once(2) ? "ack" : null, dice.one(2, 3, 1));
    ReserveRequest request = request(dice, model.now());
    List<String> running = running(model);
    int process = dice.below(2);
    return new Question(
        "settle " + words + " and reserve " + request,
        side ->
            side.process(process)
                .store()
                .settleAndReserve(DifferentialJobWords.items(side, words), request, CALL),
        answer -> {
          JobStore.Exchanged both = (JobStore.Exchanged) answer;
          Set<String> seen = new LinkedHashSet<>();
          seen.addAll(DifferentialJobSettles.exchanged(both.answer(), words));
          seen.addAll(reserved("exchange", both.reserved(), request, running, model));
          return List.copyOf(seen);
        });
  }

  /** The state that a row is in; null if it is not there. */
  static @Nullable JobState state(DifferentialJobModel model, String name) {
    return model.job(name).map(Job::state).orElse(null);
  }
}
