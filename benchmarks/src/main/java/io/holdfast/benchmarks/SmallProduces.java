package io.holdfast.benchmarks;

import io.holdfast.queue.NewItem;
import java.time.Duration;
import java.util.List;

/** Many callers produce one item each, again and again, through few connections. */
final class SmallProduces implements Contender {
  static final int CALLERS = 16;

  private static final List<NewItem> ITEM = BenchQueue.items(1);

  private final Fusing fusing;
  private final BenchQueue queue;

  SmallProduces(Place place, Fusing fusing) {
    this.fusing = fusing;
    this.queue = fusing.create(place, "bench-produce");
  }

  @Override
  public String title() {
    return "produce, " + fusing.title();
  }

  @Override
  public Run run(Duration time) throws Exception {
    return Run.of(
        Load.run(
            CALLERS,
            time,
            turn -> {
              long start = System.nanoTime();
              queue.queue().produce(ITEM, BenchQueue.TIMEOUT);
              return System.nanoTime() - start;
            }));
  }

  @Override
  public void close() {
    queue.close();
  }
}
