package io.holdfast.benchmarks;

import io.holdfast.queue.LeaseRequest;
import io.holdfast.queue.LeasedItems;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * From the call of produce until a lease that waits on the empty queue has the item; beside it a
 * bare produce and a bare claim, after the same pause. What is compared is the inverse of the
 * median.
 */
final class Deliveries {
  /** Long enough for a lease to look in vain and park. */
  private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(3);

  private Deliveries() {}

  static List<Contender> all(Place place) throws SQLException {
    return List.of(
        new Parked(BenchQueue.create(place, "bench-parked")),
        new Bare(place, BenchQueue.create(place, "bench-bare-delivery")));
  }

  private record Parked(BenchQueue queue) implements Contender {
    @Override
    public String title() {
      return "Holdfast, to a parked lease";
    }

    @Override
    public Run run(Duration time) throws Exception {
      return Medians.of(Load.run(1, time, turn -> deliver()));
    }

    private long deliver() throws Exception {
      CompletableFuture<LeasedItems> delivery =
          queue.queue().leaseAsync(new LeaseRequest("parked", 1, BenchQueue.TIMEOUT));
      LockSupport.parkNanos(PAUSE_NANOS);
      long start = System.nanoTime();
      queue.queue().produceAsync(BenchQueue.items(1), BenchQueue.TIMEOUT);
      LeasedItems leased = delivery.get(BenchQueue.TIMEOUT.toSeconds(), TimeUnit.SECONDS);
      long took = System.nanoTime() - start;
      queue.queue().complete(leased);
      return took;
    }

    @Override
    public void close() {
      queue.close();
    }
  }

  private static final class Bare implements Contender {
    private final BenchQueue queue;
    private final BareStatements statements;

    Bare(Place place, BenchQueue queue) throws SQLException {
      this.queue = queue;
      this.statements = new BareStatements(place, queue);
    }

    @Override
    public String title() {
      return "bare produce and claim";
    }

    @Override
    public Run run(Duration time) throws Exception {
      return Medians.of(Load.run(1, time, turn -> deliver()));
    }

    private long deliver() throws SQLException {
      LockSupport.parkNanos(PAUSE_NANOS);
      long start = System.nanoTime();
      statements.produce();
      String[] ids = statements.claim(1);
      long took = System.nanoTime() - start;
      statements.complete(ids);
      return took;
    }

    @Override
    public void close() throws SQLException {
      statements.close();
      queue.close();
    }
  }
}
