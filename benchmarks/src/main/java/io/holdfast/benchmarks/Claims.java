package io.holdfast.benchmarks;

import io.holdfast.queue.LeasedItems;
import java.io.IOException;
import java.sql.SQLException;
import java.sql.Types;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Claims a hundred items from a table of a certain filling, one caller. What was claimed is
 * completed and replaced, outside of the time that counts, so the filling stays. What is compared
 * is the inverse of the median.
 */
final class Claims implements Contender {
  static final int BATCH = 100;
  static final int SMALL = 10_000;

  private final String title;
  private final BenchQueue queue;
  private final Spread buffers;

  private Claims(String title, BenchQueue queue, Spread buffers) {
    this.title = title;
    this.queue = queue;
    this.buffers = buffers;
  }

  /** A small table, a large one, and small ones behind many rows that nobody can claim. */
  static List<Claims> all(Place place, QueueProfile profile) throws SQLException, IOException {
    return List.of(
        of(place, SMALL, null, 0),
        of(place, profile.rows(), null, 0),
        of(place, SMALL, BenchQueue.Stock.LEASED, profile.heads()),
        of(place, SMALL, BenchQueue.Stock.SCHEDULED, profile.heads()));
  }

  private static Claims of(Place place, long ready, BenchQueue.@Nullable Stock head, long heads)
      throws SQLException, IOException {
    String title = Targets.text("%,d ready", ready);
    if (head != null) {
      title += Targets.text(" behind %,d %s", heads, Targets.lower(head));
    }
    BenchQueue queue = BenchQueue.create(place, "bench-" + title.replaceAll("[ ,]", "-"));
    queue.load(BenchQueue.Stock.READY, ready);
    if (head != null) {
      queue.load(head, heads);
    }
    queue.settle();
    return new Claims(title, queue, buffers(place, queue));
  }

  private static Spread buffers(Place place, BenchQueue queue) throws SQLException, IOException {
    return new Explain(place)
        .buffers(
            new BareSql(queue.table()).claim,
            statement -> {
              statement.setNull(1, Types.TIMESTAMP_WITH_TIMEZONE);
              statement.setString(2, queue.queue().name());
              statement.setString(3, "");
              statement.setInt(4, BATCH);
            });
  }

  /** Pages that one claim looks at. */
  Spread buffers() {
    return buffers;
  }

  @Override
  public String title() {
    return title;
  }

  @Override
  public Run run(Duration time) throws Exception {
    return Medians.of(
        Load.run(
            1,
            time,
            turn -> {
              long start = System.nanoTime();
              LeasedItems leased = queue.lease("claims", BATCH);
              long took = System.nanoTime() - start;
              if (leased.items().size() != BATCH) {
                throw new IllegalStateException("a claim brought " + leased.items().size());
              }
              queue.queue().complete(leased);
              queue.produce(BATCH);
              return took;
            }));
  }

  @Override
  public void close() {
    queue.close();
  }
}
