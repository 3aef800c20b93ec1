package io.holdfast.benchmarks;

import io.holdfast.stream.Ack;
import io.holdfast.stream.Acked;
import io.holdfast.stream.NewMessage;
import io.holdfast.stream.PopRequest;
import io.holdfast.stream.Streams;
import io.holdfast.stream.Verdict;
import java.time.Duration;
import java.util.List;

/** Ours, through its public door; verdicts ride with the next pop, as those of a consumer do. */
final class HoldfastPipe implements Pipe {
  private static final int LANES = 100;
  private static final Duration PATIENCE = Duration.ofMillis(200);

  private final StatementTimes statements = new StatementTimes();
  private final Shape shape;
  private final BenchStream stream;
  private final List<NewMessage> spread;
  private List<Ack> open = List.of();
  private int turns;

  /** How a batch lies over partitions. */
  enum Shape {
    /** In one of a hundred, the next batch in the next. */
    LANE("Holdfast"),
    /** One message in each of a hundred. */
    SPREAD("Holdfast, each batch over 100 partitions");

    private final String title;

    Shape(String title) {
      this.title = title;
    }
  }

  HoldfastPipe(Place place, Shape shape) {
    this.shape = shape;
    this.stream =
        BenchStream.create(
            place,
            "bench-pipe-" + Targets.lower(shape),
            BenchQueue.options(place).withListener(statements));
    this.spread = stream.spread(LANES);
    // All partitions are there: making them is not what is measured.
    stream.streams().push(spread);
    stream
        .streams()
        .ack(stream.streams().pop(stream.request(LANES, LANES)).ackAll(Verdict.COMPLETED));
  }

  @Override
  public String title() {
    return shape.title;
  }

  /** What was said to the server so far. */
  StatementTimes statements() {
    return statements;
  }

  @Override
  public void push(int batch) {
    stream
        .streams()
        .push(
            shape == Shape.SPREAD
                ? spread
                : stream.messages(Integer.toString(turns++ % LANES + 1), batch));
  }

  @Override
  public int take(int batch) {
    PopRequest request = stream.request(batch, shape == Shape.SPREAD ? LANES : 1).waiting(PATIENCE);
    if (open.isEmpty()) {
      open = stream.streams().pop(request).ackAll(Verdict.COMPLETED);
      return 0;
    }
    Streams.AckedAndPopped next = stream.streams().ackAndPop(open, request).join();
    if (!next.acked().stream().allMatch(Acked::isSuccess)) {
      throw new IllegalStateException("a verdict was refused");
    }
    int settled = open.size();
    open = next.popped().ackAll(Verdict.COMPLETED);
    return settled;
  }

  @Override
  public void close() {
    try {
      stream.streams().ack(open);
    } finally {
      stream.close();
    }
  }
}
