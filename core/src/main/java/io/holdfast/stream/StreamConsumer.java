package io.holdfast.stream;

import java.time.Duration;
import java.util.Map;

/** Handles messages until closed. Safe for use by many threads. */
public interface StreamConsumer extends AutoCloseable {
  /** How it has gone so far. */
  Stats stats();

  /** Claims nothing more, lets handlers finish and settles, and gives the rest back. */
  @Override
  void close();

  /**
   * How it has gone.
   *
   * @param busy share of its time that its threads spent in handlers, from 0 to 1
   * @param slowest time spent on the partitions that took the most, at most ten
   */
  record Stats(
      long pops,
      long messages,
      long failures,
      double busy,
      Duration handling,
      Map<String, Duration> slowest) {
    /** Messages per pop that brought some. */
    public double messagesPerPop() {
      return pops == 0 ? 0 : (double) messages / pops;
    }
  }
}
