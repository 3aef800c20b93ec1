package io.holdfast.benchmarks;

import io.holdfast.queue.Clear;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * Many callers complete one leased item each, again and again, through few connections. The leases
 * are put there before the time begins; should they run out, it ends with the last of them.
 */
final class SmallCompletes implements Contender {
  private static final int STOCK_PER_SECOND = 20_000;
  private static final int LEAST_STOCK = 5_000;

  private final Place place;
  private final Fusing fusing;
  private final BenchQueue queue;
  private List<String> ids = List.of();

  SmallCompletes(Place place, Fusing fusing) {
    this.place = place;
    this.fusing = fusing;
    this.queue = fusing.create(place, "bench-complete");
  }

  @Override
  public String title() {
    return "complete, " + fusing.title();
  }

  @Override
  public void prepare(Duration time) throws SQLException {
    queue.queue().admin().clear(Clear.EVERYTHING);
    queue.load(
        BenchQueue.Stock.LEASED, Math.max(LEAST_STOCK, time.toMillis() * STOCK_PER_SECOND / 1000));
    queue.settle();
    ids = ids();
  }

  @Override
  public Run run(Duration time) throws Exception {
    AtomicInteger next = new AtomicInteger();
    AtomicLong ended = new AtomicLong();
    long began = System.nanoTime();
    Load.Outcome done =
        Load.run(
            SmallProduces.CALLERS,
            time,
            turn -> {
              int place = next.getAndIncrement();
              if (place >= ids.size()) {
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
                return -1;
              }
              long start = System.nanoTime();
              queue.queue().complete(0, List.of(ids.get(place)), BenchQueue.TIMEOUT);
              long end = System.nanoTime();
              ended.accumulateAndGet(end - began, Math::max);
              return end - start;
            });
    return Run.of(
        new Load.Outcome(done.operations(), ended.get() / 1e9, done.busySeconds(), done.latency()));
  }

  private List<String> ids() throws SQLException {
    List<String> found = new ArrayList<>();
    try (Connection connection = place.connect();
        Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery("SELECT id FROM " + queue.table())) {
      while (rows.next()) {
        found.add(rows.getString(1));
      }
    }
    return found;
  }

  @Override
  public void close() {
    queue.close();
  }
}
