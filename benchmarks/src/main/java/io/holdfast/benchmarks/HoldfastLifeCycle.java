package io.holdfast.benchmarks;

import io.holdfast.queue.LeasedItems;
import java.util.concurrent.atomic.AtomicInteger;

/** Ours, through its public door and with its default options. */
final class HoldfastLifeCycle implements LifeCycle {
  private final StatementTimes statements = new StatementTimes();
  private final BenchQueue queue;
  private final AtomicInteger callers = new AtomicInteger();

  HoldfastLifeCycle(Place place, int backlog) {
    this.queue =
        BenchQueue.create(
            place, "bench-life-cycle", BenchQueue.options(place).withListener(statements));
    for (int i = 0; i < backlog; i += LifeCycles.BATCH) {
      queue.produce(LifeCycles.BATCH);
    }
  }

  @Override
  public String title() {
    return "Holdfast";
  }

  @Override
  public String table() {
    return queue.table();
  }

  @Override
  public StatementTimes statements() {
    return statements;
  }

  @Override
  public Caller caller() {
    String client = "bench-" + callers.incrementAndGet();
    return batch -> {
      queue.produce(batch);
      LeasedItems leased = queue.lease(client, batch);
      if (!leased.isEmpty()) {
        queue.queue().complete(leased);
      }
      return leased.items().size();
    };
  }

  @Override
  public void close() {
    queue.close();
  }
}
