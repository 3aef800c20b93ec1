package io.holdfast.benchmarks;

import java.sql.SQLException;
import java.util.List;

/** Pairs of a small and a large queue, on which the same calls are compared. */
final class StreamFillings {
  private static final int LANES = 100;
  private static final int SHORT = 10_000;
  private static final int FEW = 10;

  private final List<Pair> pairs;

  /**
   * Two queues that differ in one thing.
   *
   * @param most how many times as long a call may take on the large one
   */
  record Pair(String what, double most, StreamCalls small, StreamCalls large) {}

  private StreamFillings(List<Pair> pairs) {
    this.pairs = pairs;
  }

  static StreamFillings create(Place place, StreamProfile profile) throws SQLException {
    int many = profile.partitions();
    Pair history =
        new Pair(
            Targets.text("%,d against %,d retained", profile.retained(), SHORT),
            1.3,
            of(place, "%,d retained", SHORT, LANES, SHORT / LANES, false),
            of(
                place,
                "%,d retained",
                profile.retained(),
                LANES,
                profile.retained() / LANES,
                false));
    Pair one =
        new Pair(
            Targets.text("%,d against %d partitions, one pending", many, FEW),
            2,
            of(place, "%,d partitions, one pending", FEW, FEW, 1, false),
            of(place, "%,d partitions, one pending", many, many, 1, false));
    Pair all =
        new Pair(
            Targets.text("%,d against %d partitions, all pending", many, FEW),
            2,
            of(place, "%,d partitions, all pending", FEW, FEW, 1, true),
            of(place, "%,d partitions, all pending", many, many, 1, true));
    BenchStream.settle(place);
    return new StreamFillings(List.of(history, one, all));
  }

  private static StreamCalls of(
      Place place, String title, long number, int partitions, long each, boolean isAllPending)
      throws SQLException {
    return new StreamCalls(
        place,
        new StreamCalls.Filling(Targets.text(title, number), partitions, each, isAllPending));
  }

  List<Pair> pairs() {
    return pairs;
  }

  List<StreamCalls> all() {
    return pairs.stream().flatMap(pair -> List.of(pair.small, pair.large).stream()).toList();
  }
}
