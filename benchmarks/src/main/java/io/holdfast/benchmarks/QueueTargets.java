package io.holdfast.benchmarks;

import java.util.List;

/** The performance targets of the specification of queues, held against the figures of a run. */
final class QueueTargets {
  private static final double LARGER = 1.2;
  private static final double CALL = 1.15;
  private static final List<String> STEPS = List.of("produce", "lease", "complete");
  private static final List<String> FILLINGS =
      List.of("large table", "leased rows at the head", "scheduled rows at the head");

  private final Targets targets = new Targets();

  List<Report.Target> list() {
    return targets.list();
  }

  void lifeCycle(List<Series> found) {
    Spread ratio = found.get(0).over(found.get(1));
    targets.atLeast("P1", "life cycles/s against hand-written batch SQL", 0.85, ratio);
    Spread jobs = found.get(0).over(found.get(2));
    targets.add("P1", "the same against a status-column job table", "-", Targets.show(jobs), null);
  }

  void claim(List<Series> found, List<Claims> claims) {
    for (int i = 1; i < found.size(); i++) {
      String filling = FILLINGS.get(i - 1);
      targets.atMost(
          "P2", "time of a lease of 100, " + filling, LARGER, found.get(0).over(found.get(i)));
      double small = claims.get(0).buffers().median();
      Spread pages = claims.get(i).buffers();
      Spread ratio = new Spread(pages.median() / small, pages.min() / small, pages.max() / small);
      targets.atMost("P2", "pages of a claim of 100, " + filling, LARGER, ratio);
    }
  }

  void pinned(long cycles, Spread ratio) {
    String measure = Targets.text("claim rate under a pinned horizon, last of %,d", cycles);
    targets.atLeast("P3", measure, 0.5, ratio);
  }

  void smallCalls(List<Series> found) {
    targets.atLeast("P4", "16 callers, produce, fused", 3, found.get(0).over(found.get(1)));
    targets.atLeast("P4", "16 callers, complete, fused", 3, found.get(2).over(found.get(3)));
  }

  void sweep(Spread ratio, double idle) {
    targets.atMost("P5", "pages of a scan with 1000 due, large table", LARGER, ratio);
    String measured = Targets.text("%.0f", idle);
    targets.add("P5", "pages of all scans, nothing due", "<= 20", measured, idle <= 20);
  }

  void single(List<Series> found) {
    for (int i = 0; i < STEPS.size(); i++) {
      Spread ratio = found.get(2 * i + 1).over(found.get(2 * i));
      targets.atMost("P6", "one " + STEPS.get(i) + " against the bare statement", CALL, ratio);
    }
  }

  void delivery(List<Series> found) {
    Spread ratio = found.get(1).over(found.get(0));
    targets.atMost("P6", "produce to a parked lease against both statements", 3, ratio);
  }

  void idle(int queues, double perSecond) {
    String measure = "statements/s with %d idle queues".formatted(queues);
    targets.add("P7", measure, "<= 5", Targets.text("%.2f", perSecond), perSecond <= 5);
  }
}
