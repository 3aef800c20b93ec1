package io.holdfast.benchmarks;

import java.sql.SQLException;

/**
 * How many transactions a message costs from push to ack, as the server counts them. What opening
 * and closing a service costs is found by a shorter run and taken off.
 */
final class StreamCommits {
  private static final int SHORT = 20;

  private final Place place;
  private final ServerMeter meter;
  private final int cycles;

  StreamCommits(Place place, ServerMeter meter, int cycles) {
    this.place = place;
    this.meter = meter;
    this.cycles = cycles;
  }

  double perMessage() throws SQLException {
    long few = transactions(SHORT);
    long many = transactions(SHORT + cycles);
    return (double) (many - few) / (cycles * Pipelines.BATCH);
  }

  private long transactions(int batches) throws SQLException {
    long before = meter.transactions();
    try (HoldfastPipe pipe = new HoldfastPipe(place, HoldfastPipe.Shape.LANE)) {
      for (int i = 0; i < batches; i++) {
        pipe.push(Pipelines.BATCH);
        pipe.take(Pipelines.BATCH);
      }
    }
    return meter.transactions() - before;
  }
}
