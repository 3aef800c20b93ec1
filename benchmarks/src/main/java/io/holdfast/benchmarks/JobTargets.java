package io.holdfast.benchmarks;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** The performance targets of the specification of jobs, held against the figures of a run. */
final class JobTargets {
  private final Targets targets = new Targets();

  List<Report.Target> list() {
    return targets.list();
  }

  void drain(JobDrains found) {
    DrainSeries deleting = found.deleting();
    DrainSeries keeping = found.keeping();
    DrainSeries graphile = found.peer(JobPeer.GRAPHILE);
    targets.atLeast("1", "jobs/s against graphile-worker", 2.0, over(deleting, graphile));
    targets.atLeast("2", "the same keeping done jobs, of that", 0.6, keeping.over(deleting));
    report("2", "keeping done jobs, against graphile-worker", over(keeping, graphile));
    report("2", "keeping done jobs, against pg-boss", over(keeping, found.peer(JobPeer.PG_BOSS)));
    targets.atLeast(
        "3", "jobs/s against db-scheduler", 5.0, over(deleting, found.peer(JobPeer.DB_SCHEDULER)));
    report("3", "keeping done jobs, against JobRunr", over(keeping, found.peer(JobPeer.JOBRUNR)));
  }

  private static @Nullable Spread over(DrainSeries ours, @Nullable DrainSeries peer) {
    return peer == null ? null : ours.over(peer);
  }

  private void report(String id, String measure, @Nullable Spread ratio) {
    targets.add(id, measure, "-", ratio == null ? "not measured" : Targets.show(ratio), null);
  }

  void enqueue(List<Series> found) {
    targets.atLeast(
        "4",
        "enqueue of 1,000 against a hand-written unnest INSERT",
        0.7,
        found.get(0).over(found.get(1)));
  }

  void latency(JobLatency.Found found) {
    below("5", "ms from enqueue to handler, p50", 10, found.millis(50), found.medians());
    below("5", "ms from enqueue to handler, p99", 50, found.millis(99), null);
  }

  private void below(
      String id, String measure, double most, double value, @Nullable Spread rounds) {
    String spread =
        rounds == null ? "" : Targets.text(" (%.1f to %.1f)", rounds.min(), rounds.max());
    String measured = Targets.text("%.1f", value) + spread;
    targets.add(id, measure, Targets.text("< %.0f", most), measured, value < most);
  }

  void reserve(JobProfile profile, List<Series> found) {
    targets.atMost(
        "6",
        Targets.text(
            "time of reserve(%d), %,d to %,d ready",
            JobReserves.BATCH, profile.rows(), JobReserves.SMALL),
        1.3,
        found.get(0).over(found.get(1)));
  }

  void commits(int concurrency, DrainSeries found) {
    Spread commits = found.commits();
    targets.add(
        "7",
        "commits per job, concurrency " + concurrency,
        "<= 0.1",
        Targets.text("%.4f (%.4f to %.4f)", commits.median(), commits.min(), commits.max()),
        commits.median() <= 0.1);
  }

  /** The worker polls every second and beats every ten, give or take a tenth. */
  void idle(IdleWorker found) {
    perSecond("idle: statements/s to poll", 1.15, found.perSecond(IdleWorker.Cause.POLL));
    perSecond(
        "idle: statements/s of heartbeats", 0.15, found.perSecond(IdleWorker.Cause.HEARTBEAT));
    perSecond("idle: statements/s of duties", 2.0, found.perSecond(IdleWorker.Cause.DUTY));
  }

  private void perSecond(String measure, double most, double value) {
    targets.add(
        "8", measure, Targets.text("<= %.2f", most), Targets.text("%.2f", value), value <= most);
  }

  void blocked(long gated, List<DrainSeries> found) {
    targets.atLeast(
        "9",
        Targets.text("jobs/s beside %,d jobs of a blocked key", gated),
        0.9,
        found.get(1).over(found.get(0)));
  }
}
