package io.holdfast.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.job.JobBackend;
import io.holdfast.memory.MemoryStore;
import io.holdfast.postgres.DifferentialJobOp.Question;
import io.holdfast.testkit.ManualTime;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;

/** One sequence of operations on an empty memory store and another empty store. */
final class DifferentialJobRun {
  private final ManualTime time;
  private final DifferentialJobSide here;
  private final DifferentialJobSide there;
  private final DifferentialJobModel model;
  private final BiConsumer<String, String> counts;
  private final List<String> history = new ArrayList<>();

  /** {@code counts} hears what was met: a kind of answer, or a place in time. */
  DifferentialJobRun(List<JobBackend> other, ManualTime time, BiConsumer<String, String> counts) {
    time.stepDatabase(ManualTime.START_MS - time.nowMs());
    this.time = time;
    this.here = new DifferentialJobSide(List.of(new MemoryStore(time).jobs()));
    this.there = new DifferentialJobSide(other);
    this.model = new DifferentialJobModel(here, time);
    this.counts = counts;
  }

  void run(List<DifferentialJobOp> sequence) {
    ask(DifferentialJobAdmin.queues(null));
    for (DifferentialJobOp op : sequence) {
      Question question = op.ask(model);
      if (question != null) {
        ask(question);
      }
    }
    DifferentialJobDump.questions(model).forEach(this::compare);
  }

  private void ask(Question question) {
    Object expected = compare(question);
    question.outcome().apply(expected).forEach(kind -> counts.accept("outcome", kind));
    question.places().forEach(place -> counts.accept("place", place));
  }

  private Object compare(Question question) {
    history.add(Instant.ofEpochMilli(time.nowMs()) + " " + question.what());
    Object expected = question.answer(here);
    Object actual = question.answer(there);
    String memory = here.plain(expected);
    String database = there.plain(actual);
    if (!database.equals(memory)) {
      assertThat(database)
          .as(String.join("\n", history) + (actual instanceof Exception e ? "\n" + e : ""))
          .isEqualTo(memory);
    }
    return expected;
  }
}
