package io.holdfast.benchmarks;

import java.io.PrintStream;
import java.util.List;

/**
 * Everything one run found out about queues, in the shape of its JSON.
 *
 * @param setting machine, server and extent
 * @param measures the comparisons in rounds
 * @param tables what else was counted
 * @param targets of the specification, as far as they were measured
 */
record QueueReport(
    Report.Setting setting,
    List<Report.Measure> measures,
    List<Table> tables,
    List<Report.Target> targets) {

  /** Figures of another shape; the first row has the names of the columns. */
  record Table(String title, List<List<String>> rows) {}

  void print(PrintStream out) {
    ReportPrinter printer = new ReportPrinter(out);
    printer.setting(setting);
    measures.forEach(printer::measure);
    for (Table table : tables) {
      out.println("## " + table.title);
      out.println();
      printer.table(table.rows);
    }
    printer.targets(targets);
  }
}
