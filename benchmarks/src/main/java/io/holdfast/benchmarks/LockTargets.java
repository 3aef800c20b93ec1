package io.holdfast.benchmarks;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The performance targets of the specification of locks, held against the figures of a run. */
final class LockTargets {
  private static final double TIE = 0.75;

  private final Map<String, List<Series>> series;
  private final Targets targets = new Targets();

  private LockTargets(Map<String, List<Series>> series) {
    this.series = series;
  }

  static List<Report.Target> of(
      Map<String, List<Series>> series,
      Report.@Nullable Renewing renewing,
      Report.@Nullable Ageing ageing) {
    LockTargets all = new LockTargets(series);
    all.throughput();
    all.handOvers();
    all.refusals();
    all.scaling();
    all.renewing(renewing);
    all.ageing(ageing);
    return all.targets.list();
  }

  private void throughput() {
    Spread syncGuard = ratio(LockMeasures.PAIRS_1, Kind.HOLDFAST, Kind.SYNCGUARD);
    Spread handWritten = ratio(LockMeasures.PAIRS_1, Kind.HOLDFAST, Kind.HAND_WRITTEN);
    targets.atLeast("P1", "pairs/s of 1 caller against SyncGuard's protocol", 5, syncGuard);
    Spread farther = ratio(LockMeasures.NETWORK, Kind.HOLDFAST, Kind.SYNCGUARD);
    targets.atLeast("P1", "the same, with the server 0.5 ms away", 5, farther);
    targets.atLeast(
        "P2", "pairs/s of 1 caller against a hand-written function pair", 0.9, handWritten);
  }

  private void handOvers() {
    Spread shedLock = ratio(LockMeasures.TWO_PROCESSES, Kind.HOLDFAST, Kind.SHEDLOCK);
    Spread spring = ratio(LockMeasures.TWO_PROCESSES, Kind.HOLDFAST, Kind.SPRING);
    targets.atLeast(
        "P3", "hand-overs/s, 8 callers, 2 processes, against ShedLock polled", 3, shedLock);
    targets.atLeast("P3", "the same against JdbcLockRegistry", 3, spring);
    List<Series> found = series.get(LockMeasures.TWO_PROCESSES);
    if (found != null) {
      double ours = pick(found, Kind.HOLDFAST).crossingsPerSecond();
      double theirs = pick(found, Kind.SPRING).crossingsPerSecond();
      String measure = "the same, only those from one process to the other";
      String measured = Targets.text("%.2f (%.1f/s to %.1f/s)", ours / theirs, ours, theirs);
      targets.add("P3", measure, ">= 3.0", measured, ours >= 3 * theirs);
    }
  }

  private void refusals() {
    List<Series> found = series.get(LockMeasures.REFUSALS);
    Spread ratio = found == null ? null : found.get(0).over(found.get(1));
    targets.atLeast("P4", "refusals/s against grants/s, 8 callers", 2, ratio);
    if (found != null) {
      double writes = found.get(0).writesPerOperation();
      double wal = found.get(0).walBytesPerOperation();
      String measured = Targets.text("%.5f (%.2f bytes of WAL)", writes, wal);
      targets.add("P4", "commit records per refusal", "0", measured, writes < 0.001 && wal < 1);
    }
  }

  private void scaling() {
    List<Series> found = series.get(LockMeasures.SCALING);
    String measure = "pairs/s of 16 callers against 1";
    String target = ">= 3, or the commit limit";
    if (found == null) {
      targets.add("P5", measure, target, "not measured", null);
      return;
    }
    Spread ratio = found.get(1).over(found.get(0));
    Spread limit = found.get(3).over(found.get(0));
    Spread share = found.get(1).over(found.get(3));
    targets.add(
        "P5",
        measure,
        target,
        Targets.text(
            "%s; limit %.2f, of which %.0f %%",
            Targets.show(ratio), limit.median(), share.median() * 100),
        ratio.median() >= 3 || share.median() >= TIE);
  }

  private void renewing(Report.@Nullable Renewing found) {
    String measure = "statements per period to renew 1000 leases";
    if (found == null) {
      targets.add("P6", measure, "<= 20", "not measured", null);
    } else {
      boolean holds = found.statementsPerPeriod() <= 20 && found.stillHeld() == found.leases();
      String measured =
          Targets.text("%.1f, %d still held", found.statementsPerPeriod(), found.stillHeld());
      targets.add("P6", measure, "<= 20", measured, holds);
    }
  }

  private void ageing(Report.@Nullable Ageing found) {
    if (found == null) {
      targets.add("P7", "pairs/s on one key with a history", ">= 0.8", "not measured", null);
    } else {
      double ratio = found.last() / found.first();
      String measure =
          Targets.text(
              "pairs/s on one key after %d pairs against the first %d",
              found.pairs(), found.block());
      String measured =
          Targets.text("%.2f; against fresh tables %s", ratio, Targets.show(found.againstFresh()));
      targets.add("P7", measure, ">= 0.8", measured, ratio >= 0.8);
    }
  }

  private @Nullable Spread ratio(String measure, Kind ours, Kind theirs) {
    List<Series> found = series.get(measure);
    return found == null ? null : pick(found, ours).over(pick(found, theirs));
  }

  private static Series pick(List<Series> all, Kind kind) {
    return all.stream().filter(s -> s.title().equals(kind.title())).findFirst().orElseThrow();
  }
}
