package io.holdfast.benchmarks;

import java.util.List;
import java.util.Map;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * Everything one run found out, in the shape of its JSON. What was not asked for is empty or null.
 *
 * @param setting machine, server and extent
 * @param accounts what a pair costs apart from time
 * @param measures the comparisons
 * @param renewing keeping many leases
 * @param ageing one key with a long history
 * @param targets of the specification
 */
record Report(
    Setting setting,
    List<Account> accounts,
    List<Measure> measures,
    @Nullable Renewing renewing,
    @Nullable Ageing ageing,
    List<Target> targets) {

  /** Where and how much. */
  record Setting(
      Map<String, String> machine,
      Map<String, String> server,
      int rounds,
      double secondsPerRound,
      int poolSize,
      double loadAverageAtEnd) {}

  /** Round trips of acquire and release on the wire, and transactions of a pair. */
  record Account(
      String subject, double acquireRoundTrips, double releaseRoundTrips, double transactions) {}

  /** One comparison; {@code work} says what the callers work on. */
  record Measure(String id, String title, int callers, String work, List<Figure> figures) {}

  /**
   * One contender's figures.
   *
   * @param perSecond what is compared
   * @param operationsPerSecond what latency and the server's work refer to; often the same
   * @param crossingsPerSecond hand-overs from one process to another
   * @param writes transactions with a commit record, per operation
   */
  record Figure(
      String subject,
      Spread perSecond,
      double operationsPerSecond,
      double crossingsPerSecond,
      Latency latencyMicros,
      double walBytes,
      double writes) {}

  /** Percentiles in microseconds. */
  record Latency(double p50, double p99, double p999, double max) {
    static Latency of(Histogram nanos) {
      return new Latency(
          nanos.getValueAtPercentile(50) / 1e3,
          nanos.getValueAtPercentile(99) / 1e3,
          nanos.getValueAtPercentile(99.9) / 1e3,
          nanos.getMaxValue() / 1e3);
    }
  }

  /** Statements that renewed the leases, per renewal period. */
  record Renewing(int leases, int stillHeld, double periodSeconds, double statementsPerPeriod) {}

  /**
   * Pairs per second on one key.
   *
   * @param blocks over all blocks
   * @param againstFresh aged tables over fresh ones, in turns, at the end
   */
  record Ageing(
      long pairs,
      int block,
      double first,
      double last,
      Spread blocks,
      Spread againstFresh,
      Aged tables) {}

  /** The tables of the aged key at the end. */
  record Aged(long deadTuples, long autovacuums, long bytes) {}

  /** A target and what became of it; null when it was not measured. */
  record Target(
      String id, String measure, String target, String measured, @Nullable Boolean holds) {}
}
