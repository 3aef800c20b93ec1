package io.holdfast.benchmarks;

import java.io.IOException;
import java.sql.SQLException;
import java.sql.Types;
import java.util.ArrayList;
import java.util.List;

/**
 * Pages that the three scans of a sweep look at: lapsed leases, due items and expired ones, each
 * among a third of the rows, of which nothing or a thousand are due.
 */
final class SweepCost {
  private static final int DUE = 1000;

  private final QueueProfile profile;
  private final Place place;
  private final List<Scans> small = new ArrayList<>();
  private final List<Scans> large = new ArrayList<>();

  SweepCost(QueueProfile profile, Place place) {
    this.profile = profile;
    this.place = place;
  }

  /** One scan of each kind. */
  private record Scans(String kind, double idle, double due) {}

  void measure() throws SQLException, IOException {
    small.addAll(scans("bench-sweep-small", Claims.SMALL));
    large.addAll(scans("bench-sweep-large", profile.rows()));
  }

  /** Pages with a thousand due, the large table against the small one, over the kinds. */
  Spread ratio() {
    List<Double> ratios = new ArrayList<>();
    for (int i = 0; i < small.size(); i++) {
      ratios.add(large.get(i).due / small.get(i).due);
    }
    return Spread.of(ratios);
  }

  /** Pages of all three scans when nothing is due, in the large table. */
  double idle() {
    return large.stream().mapToDouble(Scans::idle).sum();
  }

  List<List<String>> rows() {
    List<List<String>> rows = new ArrayList<>();
    rows.add(List.of("scan", "rows", "pages, nothing due", "pages, 1000 due"));
    small.forEach(scans -> rows.add(row(scans, Claims.SMALL)));
    large.forEach(scans -> rows.add(row(scans, profile.rows())));
    return rows;
  }

  private static List<String> row(Scans scans, long rows) {
    return List.of(
        scans.kind,
        Targets.text("%,d", rows),
        Targets.text("%.0f", scans.idle),
        Targets.text("%.0f", scans.due));
  }

  private List<Scans> scans(String name, long rows) throws SQLException, IOException {
    BenchQueue queue = BenchQueue.create(place, name);
    String table = queue.table();
    List<Double> idle;
    try (queue) {
      queue.load(BenchQueue.Stock.READY, rows / 3);
      queue.load(BenchQueue.Stock.LEASED, rows / 3);
      queue.load(BenchQueue.Stock.SCHEDULED, rows / 3);
      queue.settle();
      idle = pages(table);
    }
    // The service is closed: its sweeps would take away what is to be found.
    queue.load(BenchQueue.Stock.LAPSED, DUE);
    queue.load(BenchQueue.Stock.DUE, DUE);
    queue.load(BenchQueue.Stock.EXPIRED, DUE);
    place.run("VACUUM ANALYZE " + table);
    List<Double> due = pages(table);
    return List.of(
        new Scans("lapsed leases", idle.get(0), due.get(0)),
        new Scans("due items", idle.get(1), due.get(1)),
        new Scans("expired items", idle.get(2), due.get(2)));
  }

  private List<Double> pages(String table) throws SQLException, IOException {
    BareSql sql = new BareSql(table);
    Explain explain = new Explain(place);
    List<Double> pages = new ArrayList<>();
    for (String scan : List.of(sql.scanLeases, sql.scanScheduled, sql.scanExpired)) {
      pages.add(
          explain
              .buffers(scan, statement -> statement.setNull(1, Types.TIMESTAMP_WITH_TIMEZONE))
              .median());
    }
    return pages;
  }
}
