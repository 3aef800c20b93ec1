package io.holdfast.benchmarks;

import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Prints a report as tables that are Markdown too. */
final class ReportPrinter {
  private final PrintStream out;

  ReportPrinter(PrintStream out) {
    this.out = out;
  }

  void print(Report report) {
    setting(report.setting());
    if (!report.accounts().isEmpty()) {
      accounts(report.accounts());
    }
    report.measures().forEach(this::measure);
    extras(report);
    targets(report.targets());
  }

  void setting(Report.Setting setting) {
    out.println("## Setting");
    out.println();
    facts("machine", setting.machine());
    facts("server", setting.server());
    out.println(
        Targets.text(
            "- %d rounds of %.1f s per subject, in turns; pools of %d; load average at the end %.2f",
            setting.rounds(),
            setting.secondsPerRound(),
            setting.poolSize(),
            setting.loadAverageAtEnd()));
    out.println();
  }

  private void facts(String title, Map<String, String> facts) {
    List<String> parts = new ArrayList<>();
    facts.forEach((name, value) -> parts.add(name + " " + value));
    out.println("- " + title + ": " + String.join(", ", parts));
  }

  private void accounts(List<Report.Account> accounts) {
    out.println("## What a pair costs apart from time");
    out.println();
    List<List<String>> rows = new ArrayList<>();
    rows.add(List.of("subject", "round trips acquire", "release", "transactions per pair"));
    for (Report.Account account : accounts) {
      rows.add(
          List.of(
              account.subject(),
              Targets.text("%.2f", account.acquireRoundTrips()),
              Targets.text("%.2f", account.releaseRoundTrips()),
              Targets.text("%.2f", account.transactions())));
    }
    table(rows);
  }

  void measure(Report.Measure measure) {
    out.println("## " + measure.title());
    out.println();
    out.println(
        Targets.text("%s; callers %d, %s", measure.id(), measure.callers(), measure.work()));
    out.println();
    double ours = measure.figures().get(0).perSecond().median();
    List<List<String>> rows = new ArrayList<>();
    rows.add(
        List.of(
            "subject",
            "per s",
            "min to max",
            "first ÷ this",
            "operations/s",
            "p50 µs",
            "p99 µs",
            "p99.9 µs",
            "WAL bytes",
            "commit records"));
    for (Report.Figure figure : measure.figures()) {
      rows.add(row(figure, ours));
    }
    table(rows);
    if (measure.id().equals(LockMeasures.TWO_PROCESSES)) {
      List<String> crossings = new ArrayList<>();
      measure
          .figures()
          .forEach(
              f -> crossings.add(Targets.text("%s %.1f/s", f.subject(), f.crossingsPerSecond())));
      out.println("From one process to the other: " + String.join(", ", crossings));
      out.println();
    }
  }

  private static List<String> row(Report.Figure figure, double ours) {
    Spread rate = figure.perSecond();
    return List.of(
        figure.subject(),
        Targets.text("%.0f", rate.median()),
        Targets.text("%.0f to %.0f", rate.min(), rate.max()),
        Targets.text("%.2f", ours / rate.median()),
        Targets.text("%.0f", figure.operationsPerSecond()),
        Targets.text("%.0f", figure.latencyMicros().p50()),
        Targets.text("%.0f", figure.latencyMicros().p99()),
        Targets.text("%.0f", figure.latencyMicros().p999()),
        Targets.text("%.1f", figure.walBytes()),
        Targets.text("%.3f", figure.writes()));
  }

  private void extras(Report report) {
    Report.Renewing renewing = report.renewing();
    if (renewing != null) {
      out.println(
          Targets.text(
              "Renewing: %d leases every %.1f s take %.1f statements; %d are still held.",
              renewing.leases(),
              renewing.periodSeconds(),
              renewing.statementsPerPeriod(),
              renewing.stillHeld()));
      out.println();
    }
    Report.Ageing ageing = report.ageing();
    if (ageing != null) {
      out.println(
          Targets.text(
              "Ageing: %d pairs on one key; first %d at %.0f/s, last at %.0f/s, slowest block %.0f/s;"
                  + " %d dead tuples, %d autovacuums, %d kB.",
              ageing.pairs(),
              ageing.block(),
              ageing.first(),
              ageing.last(),
              ageing.blocks().min(),
              ageing.tables().deadTuples(),
              ageing.tables().autovacuums(),
              ageing.tables().bytes() / 1024));
      out.println();
    }
  }

  void targets(List<Report.Target> targets) {
    out.println("## Targets");
    out.println();
    List<List<String>> rows = new ArrayList<>();
    rows.add(List.of("#", "measure", "target", "measured: median (min to max)", "verdict"));
    for (Report.Target target : targets) {
      Boolean holds = target.holds();
      String verdict = holds == null ? "-" : holds ? "HOLDS" : "MISSED";
      rows.add(List.of(target.id(), target.measure(), target.target(), target.measured(), verdict));
    }
    table(rows);
  }

  void table(List<List<String>> rows) {
    int columns = rows.get(0).size();
    int[] widths = new int[columns];
    for (List<String> row : rows) {
      for (int i = 0; i < columns; i++) {
        widths[i] = Math.max(widths[i], row.get(i).length());
      }
    }
    line(rows.get(0), widths);
    StringBuilder rule = new StringBuilder("|");
    for (int width : widths) {
      rule.append("-".repeat(width + 2)).append('|');
    }
    out.println(rule);
    rows.stream().skip(1).forEach(row -> line(row, widths));
    out.println();
  }

  private void line(List<String> cells, int[] widths) {
    StringBuilder line = new StringBuilder("|");
    for (int i = 0; i < widths.length; i++) {
      String cell = cells.get(i);
      line.append(' ').append(cell).append(" ".repeat(widths[i] - cell.length())).append(" |");
    }
    out.println(line);
  }
}
