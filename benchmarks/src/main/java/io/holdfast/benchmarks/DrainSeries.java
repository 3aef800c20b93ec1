package io.holdfast.benchmarks;

import java.util.ArrayList;
import java.util.List;
import java.util.function.ToDoubleFunction;

/** What the rounds of one subject gave. */
final class DrainSeries {
  static final List<String> HEADER =
      List.of(
          "subject",
          "jobs/s",
          "min to max",
          "first ÷ this",
          "WAL bytes/job",
          "commits/job",
          "dead tuples/job",
          "server µs/job",
          "client µs/job",
          "remark");

  private final String title;
  private final String remark;
  private final List<DrainRun> runs = new ArrayList<>();

  DrainSeries(Drained subject) {
    this.title = subject.title();
    this.remark = subject.remark();
  }

  void add(DrainRun run) {
    runs.add(run);
  }

  Spread perSecond() {
    return spread(DrainRun::perSecond);
  }

  /** Transactions of the server per job. */
  Spread commits() {
    return spread(run -> (double) run.commits() / run.jobs());
  }

  private Spread spread(ToDoubleFunction<DrainRun> figure) {
    return Spread.of(runs.stream().map(figure::applyAsDouble).toList());
  }

  /** How many times as fast as the other, round by round. */
  Spread over(DrainSeries other) {
    List<Double> ratios = new ArrayList<>();
    for (int i = 0; i < runs.size(); i++) {
      ratios.add(runs.get(i).perSecond() / other.runs.get(i).perSecond());
    }
    return Spread.of(ratios);
  }

  List<String> row(DrainSeries first) {
    Spread rate = perSecond();
    return List.of(
        title,
        Targets.text("%.0f", rate.median()),
        Targets.text("%.0f to %.0f", rate.min(), rate.max()),
        Targets.text("%.2f", first.over(this).median()),
        Targets.text("%.0f", spread(run -> (double) run.walBytes() / run.jobs()).median()),
        Targets.text("%.4f", commits().median()),
        Targets.text("%.2f", spread(run -> (double) run.dead() / run.jobs()).median()),
        Targets.text("%.1f", spread(run -> 1e6 * run.serverSeconds() / run.jobs()).median()),
        Targets.text("%.1f", spread(run -> 1e6 * run.clientSeconds() / run.jobs()).median()),
        remark);
  }
}
