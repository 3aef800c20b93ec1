package io.holdfast.benchmarks;

import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * One thread pushes, another reads and settles, both as fast as they can; what counts are settled
 * messages. The producer is never far ahead, so that nobody is measured by pushes alone.
 */
final class Pipelines implements Contender {
  static final int BATCH = 100;
  static final int CALLERS = 2;

  /** Messages that may wait. */
  private static final int AHEAD = 20 * BATCH;

  private static final long PAUSE_NANOS = TimeUnit.MICROSECONDS.toNanos(50);

  private final Pipe pipe;
  private final AtomicLong pushed = new AtomicLong();
  private final AtomicLong settled = new AtomicLong();

  Pipelines(Pipe pipe) {
    this.pipe = pipe;
  }

  /** Ours, a status row per message and group, PgQ if it can be had, and ours at its dearest. */
  static List<Pipelines> all(Place place, StreamProfile profile) throws SQLException {
    List<Pipelines> all = new ArrayList<>();
    all.add(new Pipelines(new HoldfastPipe(place, HoldfastPipe.Shape.LANE)));
    all.add(new Pipelines(new StatusRowPipe(place, profile.statusRows())));
    all.add(new Pipelines(new HoldfastPipe(place, HoldfastPipe.Shape.SPREAD)));
    if (PgqPipe.isAvailable(place)) {
      all.add(new Pipelines(new PgqPipe(place)));
    }
    BenchStream.settle(place);
    return all;
  }

  @Override
  public String title() {
    return pipe.title();
  }

  /** What ours said to the server; nothing of others. */
  List<List<String>> statements() {
    return pipe instanceof HoldfastPipe ours ? ours.statements().rows(title()) : List.of();
  }

  @Override
  public Run run(Duration time) throws Exception {
    long before = settled.get();
    Load.Outcome turns = Load.run(CALLERS, time, turn -> turn.caller() == 0 ? push() : take());
    return Run.of(
        new Load.Outcome(
            settled.get() - before, turns.seconds(), turns.busySeconds(), turns.latency()));
  }

  /** Not timed: latency is that of the consumer's turns. */
  private long push() throws Exception {
    if (pushed.get() - settled.get() >= AHEAD) {
      LockSupport.parkNanos(PAUSE_NANOS);
    } else {
      pipe.push(BATCH);
      pushed.addAndGet(BATCH);
    }
    return -1;
  }

  private long take() throws Exception {
    long start = System.nanoTime();
    int count = pipe.take(BATCH);
    settled.addAndGet(count);
    return count == 0 ? -1 : System.nanoTime() - start;
  }

  @Override
  public void close() throws SQLException {
    pipe.close();
  }
}
