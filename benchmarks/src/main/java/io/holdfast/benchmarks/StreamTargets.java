package io.holdfast.benchmarks;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** The performance targets of the specification of streams, held against the figures of a run. */
final class StreamTargets {
  private final Targets targets = new Targets();

  List<Report.Target> list() {
    return targets.list();
  }

  void calls(List<StreamFillings.Pair> pairs) {
    for (StreamFillings.Pair pair : pairs) {
      for (StreamCall call : StreamCall.values()) {
        String measure = "time of " + Targets.lower(call) + ", " + pair.what();
        targets.atMost("1", measure, pair.most(), pair.large().over(pair.small(), call));
      }
    }
  }

  void push(List<Series> found) {
    targets.atLeast(
        "2",
        "push of 100 against a hand-written transaction",
        0.7,
        found.get(0).over(found.get(1)));
    Spread named = found.get(2).over(found.get(1));
    targets.add("2", "the same with transaction ids", "-", Targets.show(named), null);
  }

  /** The last one may be missing. */
  void endToEnd(List<Series> found) {
    Series ours = found.get(0);
    targets.atLeast("3", "end to end against status rows", 5, ours.over(found.get(1)));
    @Nullable Series pgq = found.size() < 4 ? null : found.get(3);
    targets.atLeast("3", "end to end against PgQ", 0.8, pgq == null ? null : ours.over(pgq));
    targets.add(
        "3",
        "the same, wanted",
        ">= 1.5",
        pgq == null ? "not measured" : Targets.show(ours.over(pgq)),
        null);
    Spread spread = found.get(2).over(ours);
    targets.add("3", "batches over 100 partitions, of that", "-", Targets.show(spread), null);
  }

  void commits(double perMessage) {
    targets.add(
        "3",
        "commits per message, batch 100",
        "<= 0.05",
        Targets.text("%.4f", perMessage),
        perMessage <= 0.05);
  }

  void parked(StreamProfile profile, double perSecond) {
    targets.add(
        "4",
        Targets.text(
            "statements/s, %,d parked consumers, %d groups", profile.parked(), profile.groups()),
        "<= 25",
        Targets.text("%.2f", perSecond),
        perSecond <= 25);
  }

  void seeding(int partitions, Seeding found) {
    String group = Targets.text("new group over %,d partitions, ", partitions);
    targets.atMost("4", group + "s to the first message", 1, found.first());
    targets.atMost("4", group + "s until it has all cursors", 30, found.whole());
  }
}
