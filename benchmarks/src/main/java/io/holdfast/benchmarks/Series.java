package io.holdfast.benchmarks;

import java.util.ArrayList;
import java.util.List;
import org.HdrHistogram.Histogram;

/** What the rounds of one contender gave. */
final class Series {
  private final String title;
  private final List<Double> rates = new ArrayList<>();
  private final Histogram latency = new Histogram(3);
  private long operations;
  private long crossings;
  private double seconds;
  private long walBytes;
  private long writes;

  Series(String title) {
    this.title = title;
  }

  void add(Contender.Run run, ServerMeter.Reading server) {
    rates.add(run.perSecond());
    latency.add(run.load().latency());
    operations += run.load().operations();
    crossings += run.crossings();
    seconds += run.load().seconds();
    walBytes += server.walBytes();
    writes += server.writes();
  }

  String title() {
    return title;
  }

  Spread perSecond() {
    return Spread.of(rates);
  }

  /** How many times as fast as the other, round by round. */
  Spread over(Series other) {
    List<Double> ratios = new ArrayList<>();
    for (int i = 0; i < rates.size(); i++) {
      ratios.add(rates.get(i) / other.rates.get(i));
    }
    return Spread.of(ratios);
  }

  /** Hand-overs from one process to another, over all rounds. */
  double crossingsPerSecond() {
    return crossings / seconds;
  }

  double writesPerOperation() {
    return (double) writes / operations;
  }

  double walBytesPerOperation() {
    return (double) walBytes / operations;
  }

  Report.Figure figure() {
    return new Report.Figure(
        title,
        perSecond(),
        operations / seconds,
        crossingsPerSecond(),
        Report.Latency.of(latency),
        walBytesPerOperation(),
        writesPerOperation());
  }
}
