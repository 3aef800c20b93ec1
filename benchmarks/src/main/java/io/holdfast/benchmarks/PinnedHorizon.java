package io.holdfast.benchmarks;

import io.holdfast.queue.LeasedItems;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;

/**
 * Claims while a transaction somewhere keeps an old snapshot, so that no vacuum can take away what
 * completed items left behind. Runs with and without such a transaction take turns, each on a new
 * queue; what is compared are the claims of the last tenth.
 */
final class PinnedHorizon {
  private static final int BATCH = 100;

  private final QueueProfile profile;
  private final Place place;
  private final List<Tenths> free = new ArrayList<>();
  private final List<Tenths> pinned = new ArrayList<>();

  PinnedHorizon(QueueProfile profile, Place place) {
    this.profile = profile;
    this.place = place;
  }

  /** Items claimed per second of claiming, first and last, and the claims of the end in µs. */
  private record Tenths(double first, double last, Spread claims, TableState table) {}

  void measure() throws Exception {
    for (int round = 0; round < profile.base().rounds(); round++) {
      free.add(run("free-" + round));
      pinned.add(runPinned("pinned-" + round));
    }
  }

  /** The last tenth under the pin against the last tenth without. */
  Spread ratio() {
    List<Double> ratios = new ArrayList<>();
    for (int i = 0; i < free.size(); i++) {
      ratios.add(pinned.get(i).last / free.get(i).last);
    }
    return Spread.of(ratios);
  }

  List<List<String>> rows() {
    return List.of(
        List.of(
            "run",
            "claimed/s, first tenth",
            "last tenth",
            "claim µs, last tenth: usual",
            "slowest",
            "dead tuples",
            "vacuums"),
        row("free", free),
        row("pinned", pinned));
  }

  private static List<String> row(String title, List<Tenths> runs) {
    TableState table = runs.get(runs.size() - 1).table;
    return List.of(
        title,
        show(runs.stream().map(Tenths::first).toList()),
        show(runs.stream().map(Tenths::last).toList()),
        show(runs.stream().map(run -> run.claims.median()).toList()),
        show(runs.stream().map(run -> run.claims.max()).toList()),
        Long.toString(table.dead()),
        Long.toString(table.vacuums()));
  }

  private static String show(List<Double> rates) {
    Spread spread = Spread.of(rates);
    return Targets.text("%.0f (%.0f to %.0f)", spread.median(), spread.min(), spread.max());
  }

  private Tenths runPinned(String name) throws Exception {
    Connection pin = pin();
    try {
      return run(name);
    } finally {
      pin.close();
    }
  }

  /** A transaction that keeps its snapshot. */
  private Connection pin() throws SQLException {
    Connection connection = place.connect();
    connection.setAutoCommit(false);
    connection.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
    try (Statement statement = connection.createStatement()) {
      statement.execute("SELECT count(*) FROM pg_class");
    }
    return connection;
  }

  private Tenths run(String name) throws Exception {
    try (BenchQueue queue = BenchQueue.create(place, "bench-" + name)) {
      int cycles = (int) (profile.pinned() / BATCH);
      int tenth = Math.max(1, cycles / 10);
      List<Double> micros = new ArrayList<>();
      for (int i = 0; i < cycles; i++) {
        micros.add(cycle(queue) / 1e3);
      }
      return new Tenths(
          rate(micros.subList(0, tenth)),
          rate(micros.subList(cycles - tenth, cycles)),
          Spread.of(micros.subList(cycles - tenth, cycles)),
          TableState.of(place, queue.table()));
    }
  }

  private static double rate(List<Double> micros) {
    double sum = micros.stream().mapToDouble(Double::doubleValue).sum();
    return micros.size() * BATCH / (sum / 1e6);
  }

  private static long cycle(BenchQueue queue) {
    queue.produce(BATCH);
    long start = System.nanoTime();
    LeasedItems leased = queue.lease("pinned", BATCH);
    long took = System.nanoTime() - start;
    if (leased.items().size() != BATCH) {
      throw new IllegalStateException("a claim brought " + leased.items().size());
    }
    queue.queue().complete(leased);
    return took;
  }
}
