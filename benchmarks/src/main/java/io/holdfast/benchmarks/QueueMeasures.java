package io.holdfast.benchmarks;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

/** The measures of queues, one after the other, on one database. */
final class QueueMeasures {
  static final String LIFE_CYCLE = "life-cycle";
  static final String CLAIM = "claim";
  static final String PINNED = "pinned";
  static final String SMALL_CALLS = "small-calls";
  static final String SWEEP = "sweep";
  static final String SINGLE = "single";
  static final String DELIVERY = "delivery";
  static final String IDLE = "idle";

  /** In the order in which they run. */
  static final List<String> ALL =
      List.of(LIFE_CYCLE, CLAIM, PINNED, SMALL_CALLS, SWEEP, SINGLE, DELIVERY, IDLE);

  /** Connections of every pool. */
  private static final int POOL_SIZE = 2;

  private final BenchDatabase database;
  private final QueueProfile profile;
  private final Set<String> wanted;
  private final Consumer<String> progress;
  private final Place place;
  private final List<Report.Measure> measures = new ArrayList<>();
  private final List<QueueReport.Table> tables = new ArrayList<>();
  private final QueueTargets targets = new QueueTargets();

  QueueMeasures(
      BenchDatabase database, QueueProfile profile, Set<String> wanted, Consumer<String> progress) {
    this.database = database;
    this.profile = profile;
    this.wanted = wanted;
    this.progress = progress;
    this.place = new Place(database.url(), POOL_SIZE);
  }

  QueueReport run() throws Exception {
    Map<String, String> machine = Facts.machine();
    Map<String, String> server = Facts.server(place);
    try (ServerMeter meter = new ServerMeter(database.adminUrl(), database.name())) {
      measure(new Rounds(profile.base(), meter), new Rounds(profile.shortRounds(), meter));
    }
    Report.Setting setting =
        new Report.Setting(
            machine,
            server,
            profile.base().rounds(),
            profile.base().time().toMillis() / 1e3,
            POOL_SIZE,
            Facts.loadAverage());
    return new QueueReport(setting, measures, tables, targets.list());
  }

  private void measure(Rounds rounds, Rounds shortRounds) throws Exception {
    if (wants(LIFE_CYCLE)) {
      lifeCycle(rounds);
    }
    if (wants(CLAIM)) {
      claim(rounds);
    }
    if (wants(PINNED)) {
      pinned();
    }
    if (wants(SMALL_CALLS)) {
      smallCalls(rounds);
    }
    if (wants(SWEEP)) {
      sweep();
    }
    if (wants(SINGLE)) {
      String title = "one caller, one item: median calls/s";
      targets.single(add(SINGLE, title, 1, "1 item", shortRounds.run(SingleCalls.all(place))));
    }
    if (wants(DELIVERY)) {
      String title = "from produce to the holder: median deliveries/s";
      targets.delivery(add(DELIVERY, title, 1, "1 item", shortRounds.run(Deliveries.all(place))));
    }
    if (wants(IDLE)) {
      idle();
    }
  }

  private boolean wants(String id) {
    boolean asked = wanted.contains(id);
    if (asked) {
      progress.accept(id);
    }
    return asked;
  }

  private void lifeCycle(Rounds rounds) throws Exception {
    List<LifeCycles> all = LifeCycles.all(place);
    String title = "produce, lease, complete: items/s";
    String work =
        "batches of 500, 100 bytes each. The job table is no product such as pgmq, but what users roll"
            + " by hand: status column, UPDATE .. IN (SELECT .. SKIP LOCKED), DELETE";
    targets.lifeCycle(add(LIFE_CYCLE, title, LifeCycles.CALLERS, work, rounds.run(all)));
    List<List<String>> rows = new ArrayList<>();
    rows.add(TableState.HEADER);
    for (LifeCycles contender : all) {
      rows.add(TableState.of(place, contender.table()).row(contender.title()));
    }
    tables.add(new QueueReport.Table("life-cycle: the tables afterwards", rows));
    List<List<String>> statements = new ArrayList<>();
    statements.add(StatementTimes.HEADER);
    all.forEach(one -> statements.addAll(one.statements().rows(one.title())));
    tables.add(
        new QueueReport.Table(
            "life-cycle: what was said to the server, warm-up included", statements));
  }

  private void claim(Rounds rounds) throws Exception {
    List<Claims> all = Claims.all(place, profile);
    String title = "lease of %d from differently filled tables: median leases/s";
    List<Series> series =
        add(CLAIM, title.formatted(Claims.BATCH), 1, "100 items per lease", rounds.run(all));
    List<List<String>> rows = new ArrayList<>();
    rows.add(List.of("table", "pages per claim", "min to max"));
    for (Claims contender : all) {
      Spread pages = contender.buffers();
      rows.add(
          List.of(
              contender.title(),
              Targets.text("%.0f", pages.median()),
              Targets.text("%.0f to %.0f", pages.min(), pages.max())));
    }
    tables.add(new QueueReport.Table("claim: EXPLAIN (ANALYZE, BUFFERS), no hint", rows));
    targets.claim(series, all);
  }

  private void pinned() throws Exception {
    PinnedHorizon pinned = new PinnedHorizon(profile, place);
    pinned.measure();
    String title = Targets.text("pinned: %,d life cycles per run, in turns", profile.pinned());
    tables.add(new QueueReport.Table(title, pinned.rows()));
    targets.pinned(profile.pinned(), pinned.ratio());
  }

  private void smallCalls(Rounds rounds) throws Exception {
    List<Contender> all =
        List.of(
            new SmallProduces(place, Fusing.ON),
            new SmallProduces(place, Fusing.OFF),
            new SmallCompletes(place, Fusing.ON),
            new SmallCompletes(place, Fusing.OFF));
    String title = "single-item calls of many callers through 2 connections: calls/s";
    targets.smallCalls(
        add(SMALL_CALLS, title, SmallProduces.CALLERS, "1 item per call", rounds.run(all)));
  }

  private void sweep() throws Exception {
    SweepCost sweep = new SweepCost(profile, place);
    sweep.measure();
    tables.add(
        new QueueReport.Table("sweep: EXPLAIN (ANALYZE, BUFFERS) of the scans", sweep.rows()));
    targets.sweep(sweep.ratio(), sweep.idle());
  }

  private void idle() throws InterruptedException {
    IdleQueues idle = new IdleQueues(profile, place);
    idle.measure();
    String title =
        "idle: %d queues for %d s".formatted(profile.idleQueues(), profile.idleFor().toSeconds());
    tables.add(new QueueReport.Table(title, idle.rows()));
    targets.idle(profile.idleQueues(), idle.perSecond());
  }

  private List<Series> add(
      String id, String title, int callers, String work, List<Series> results) {
    List<Report.Figure> figures = results.stream().map(Series::figure).toList();
    measures.add(new Report.Measure(id, title, callers, work, figures));
    return results;
  }
}
