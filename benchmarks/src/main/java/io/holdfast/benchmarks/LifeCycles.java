package io.holdfast.benchmarks;

import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/** Produces, leases and completes batches on two connections; what counts are completed items. */
final class LifeCycles implements Contender {
  static final int BATCH = 500;
  static final int CALLERS = 2;
  static final int BACKLOG = 10_000;

  private final LifeCycle subject;
  private final List<LifeCycle.Caller> callers = new ArrayList<>();

  LifeCycles(LifeCycle subject) throws SQLException {
    this.subject = subject;
    for (int i = 0; i < CALLERS; i++) {
      callers.add(subject.caller());
    }
  }

  /** Ours, the careful reference on the same table, and what people roll by hand. */
  static List<LifeCycles> all(Place place) throws SQLException {
    HoldfastLifeCycle ours = new HoldfastLifeCycle(place, BACKLOG);
    return List.of(
        new LifeCycles(ours),
        new LifeCycles(new HandWrittenLifeCycle(place, ours.table(), BACKLOG)),
        new LifeCycles(new JobTableLifeCycle(place, BACKLOG)));
  }

  @Override
  public String title() {
    return subject.title();
  }

  StatementTimes statements() {
    return subject.statements();
  }

  String table() {
    return subject.table();
  }

  @Override
  public Run run(Duration time) throws Exception {
    AtomicLong items = new AtomicLong();
    Load.Outcome cycles =
        Load.run(
            CALLERS,
            time,
            turn -> {
              long start = System.nanoTime();
              items.addAndGet(callers.get(turn.caller()).cycle(BATCH));
              return System.nanoTime() - start;
            });
    return Run.of(
        new Load.Outcome(items.get(), cycles.seconds(), cycles.busySeconds(), cycles.latency()));
  }

  @Override
  public void close() throws SQLException {
    for (LifeCycle.Caller caller : callers) {
      caller.close();
    }
    subject.close();
  }
}
