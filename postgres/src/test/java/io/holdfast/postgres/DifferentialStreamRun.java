package io.holdfast.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.memory.MemoryStore;
import io.holdfast.postgres.DifferentialStreamOp.Question;
import io.holdfast.stream.StreamConfig;
import io.holdfast.stream.StreamException;
import io.holdfast.stream.StreamStore;
import io.holdfast.testkit.ManualTime;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;

/** One sequence of operations on an empty memory store and another empty store. */
final class DifferentialStreamRun {
  private final ManualTime time;
  private final DifferentialStreamSide here;
  private final DifferentialStreamSide there;
  private final DifferentialStreamModel model;
  private final BiConsumer<String, String> counts;
  private final List<String> history = new ArrayList<>();

  /** {@code counts} hears what was met: a kind of answer, or a place in time. */
  DifferentialStreamRun(StreamStore other, ManualTime time, BiConsumer<String, String> counts) {
    time.stepDatabase(ManualTime.START_MS - time.nowMs());
    this.time = time;
    this.here = new DifferentialStreamSide(new MemoryStore(time).streams());
    this.there = new DifferentialStreamSide(other);
    this.model = new DifferentialStreamModel(here, time);
    this.counts = counts;
  }

  /** The first operation also says how a queue is from the start. */
  void run(List<DifferentialStreamOp> sequence) {
    DifferentialStreamOp first = sequence.get(0);
    StreamConfig config =
        DifferentialStreamAdmin.first("n.t", first.a(), first.b(), first.c())
            .leaseFor(Duration.ofSeconds(5));
    compare(
        new Question(
            "configure " + config,
            side -> side.store.catalog().configure(config, DifferentialStreamSide.CALL),
            answer -> List.of()));
    sequence.forEach(this::step);
    DifferentialStreamAfterwards.questions(model).forEach(this::ask);
  }

  private void step(DifferentialStreamOp op) {
    if (op.isAboutDead()) {
      here.dead();
      there.dead();
    }
    Question question = op.ask(model);
    if (question != null) {
      ask(question);
    }
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
    assertThat(there.plain(actual))
        .as(
            () ->
                String.join("\n", history) + (actual instanceof StreamException e ? "\n" + e : ""))
        .isEqualTo(here.plain(expected));
    return expected;
  }
}
