package io.holdfast.benchmarks;

/** Compares calls by their usual duration: now and then one is slow for reasons of the machine. */
final class Medians {
  private Medians() {}

  /** How many calls of median duration fit into a second. */
  static Contender.Run of(Load.Outcome load) {
    return new Contender.Run(1e9 / load.latency().getValueAtPercentile(50), 0, load);
  }
}
