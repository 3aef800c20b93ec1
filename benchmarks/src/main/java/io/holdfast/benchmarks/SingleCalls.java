package io.holdfast.benchmarks;

import io.holdfast.queue.LeasedItems;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * One caller with nobody beside him: produces, leases and completes one item after the other, of
 * which one step counts. What is compared is the inverse of the median.
 */
final class SingleCalls implements Contender {
  private static final int BACKLOG = 1000;

  /** What is timed. */
  enum Step {
    PRODUCE,
    LEASE,
    COMPLETE
  }

  /** Does one life cycle and answers how long its steps took, in their order. */
  @FunctionalInterface
  private interface Cycle {
    long[] run() throws Exception;
  }

  @FunctionalInterface
  private interface Closing {
    void close() throws SQLException;
  }

  private final String title;
  private final Step step;
  private final Cycle cycle;
  private final Closing closing;

  private SingleCalls(String title, Step step, Cycle cycle, Closing closing) {
    this.title = title;
    this.step = step;
    this.cycle = cycle;
    this.closing = closing;
  }

  /** For every step ours and the bare statement, in this order. */
  static List<SingleCalls> all(Place place) throws SQLException {
    List<SingleCalls> all = new ArrayList<>();
    for (Step step : Step.values()) {
      all.add(ours(place, step));
      all.add(bare(place, step));
    }
    return all;
  }

  private static SingleCalls ours(Place place, Step step) throws SQLException {
    BenchQueue queue = queue(place, "ours", step);
    return new SingleCalls(title(step, "Holdfast"), step, () -> cycle(queue), queue::close);
  }

  private static SingleCalls bare(Place place, Step step) throws SQLException {
    BenchQueue queue = queue(place, "bare", step);
    BareStatements statements = new BareStatements(place, queue);
    return new SingleCalls(
        title(step, "bare statement"),
        step,
        () -> cycle(statements),
        () -> {
          statements.close();
          queue.close();
        });
  }

  private static BenchQueue queue(Place place, String kind, Step step) throws SQLException {
    BenchQueue queue = BenchQueue.create(place, "bench-single-%s-%s".formatted(kind, step));
    queue.load(BenchQueue.Stock.READY, BACKLOG);
    queue.settle();
    return queue;
  }

  private static String title(Step step, String kind) {
    return Targets.lower(step) + ", " + kind;
  }

  private static long[] cycle(BenchQueue queue) {
    long start = System.nanoTime();
    queue.produce(1);
    long produced = System.nanoTime();
    LeasedItems leased = queue.lease("single", 1);
    long claimed = System.nanoTime();
    queue.queue().complete(leased);
    return new long[] {produced - start, claimed - produced, System.nanoTime() - claimed};
  }

  private static long[] cycle(BareStatements statements) throws SQLException {
    long start = System.nanoTime();
    statements.produce();
    long produced = System.nanoTime();
    String[] ids = statements.claim(1);
    long claimed = System.nanoTime();
    statements.complete(ids);
    return new long[] {produced - start, claimed - produced, System.nanoTime() - claimed};
  }

  @Override
  public String title() {
    return title;
  }

  @Override
  public Run run(Duration time) throws Exception {
    return Medians.of(Load.run(1, time, turn -> cycle.run()[step.ordinal()]));
  }

  @Override
  public void close() throws SQLException {
    closing.close();
  }
}
