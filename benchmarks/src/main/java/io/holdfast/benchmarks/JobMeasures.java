package io.holdfast.benchmarks;

import java.io.IOException;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The measures of jobs, one after the other, on one database. */
final class JobMeasures {
  static final String DRAIN = "drain";
  static final String ENQUEUE = "enqueue";
  static final String LATENCY = "latency";
  static final String RESERVE = "reserve";
  static final String COMMITS = "commits";
  static final String IDLE = "idle";
  static final String BLOCKED_KEY = "blocked-key";

  /** In the order in which they run. */
  static final List<String> ALL =
      List.of(DRAIN, ENQUEUE, LATENCY, RESERVE, COMMITS, IDLE, BLOCKED_KEY);

  /** Connections of every pool: peers hold one for each handler. */
  private static final int POOL_SIZE = Drained.CONCURRENCY + 2;

  private static final HoldfastDrain.Places THIRTY_TWO = new HoldfastDrain.Places(1, 32, 32);

  private final BenchDatabase database;
  private final JobProfile profile;
  private final Set<String> wanted;
  private final Consumer<String> progress;
  private final JobPeers peers;
  private final Place place;
  private final BenchJobs jobs;
  private final List<Report.Measure> measures = new ArrayList<>();
  private final List<QueueReport.Table> tables = new ArrayList<>();
  private final JobTargets targets = new JobTargets();

  JobMeasures(
      BenchDatabase database,
      JobProfile profile,
      Set<String> wanted,
      JobPeers peers,
      Consumer<String> progress) {
    this.database = database;
    this.profile = profile;
    this.wanted = wanted;
    this.progress = progress;
    this.peers = peers;
    this.place = new Place(database.url(), POOL_SIZE);
    this.jobs = new BenchJobs(place, "bench_jobs");
  }

  QueueReport run() throws Exception {
    Map<String, String> machine = Facts.machine();
    Map<String, String> server = Facts.server(place);
    String missing = peers.node().missing();
    if (missing != null) {
      machine.put("graphile-worker and pg-boss", "not here: " + missing);
    }
    try (ServerMeter meter = new ServerMeter(database.adminUrl(), database.name())) {
      measure(meter);
    }
    Report.Setting setting =
        new Report.Setting(
            machine,
            server,
            profile.rounds(),
            profile.enqueueFor().toMillis() / 1e3,
            POOL_SIZE,
            Facts.loadAverage());
    return new QueueReport(setting, measures, tables, targets.list());
  }

  private void measure(ServerMeter meter) throws Exception {
    Drains drains = new Drains(place, meter);
    Rounds rounds = new Rounds(profile.timed(), meter);
    if (wants(DRAIN)) {
      drain(drains);
    }
    if (wants(ENQUEUE)) {
      enqueue(rounds);
    }
    if (wants(LATENCY)) {
      latency();
    }
    if (wants(RESERVE)) {
      String title = "reserve of %d from differently filled tables: median reserves/s";
      targets.reserve(
          profile,
          add(
              RESERVE,
              title.formatted(JobReserves.BATCH),
              "64 jobs per reserve",
              rounds.run(JobReserves.all(place, profile))));
    }
    if (wants(COMMITS)) {
      HoldfastDrain subject =
          new HoldfastDrain("Holdfast", jobs, HoldfastDrain.Terms.DELETING.with(THIRTY_TWO));
      DrainSeries found = drains.run(List.of(subject), profile).get(0);
      addDrains("commits: concurrency 32, prefetch 32", List.of(found));
      targets.commits(THIRTY_TWO.concurrency(), found);
    }
    if (wants(IDLE)) {
      idle(meter);
    }
    if (wants(BLOCKED_KEY)) {
      blockedKey(drains);
    }
  }

  private boolean wants(String id) {
    boolean asked = wanted.contains(id);
    if (asked) {
      progress.accept(id);
    }
    return asked;
  }

  private void drain(Drains drains) throws Exception {
    JobDrains all = new JobDrains(jobs);
    all.measure(drains, peers.open(place), profile);
    String title = "drain: %,d jobs, %d handlers at once, %d jobs ahead";
    addDrains(Targets.text(title, profile.jobs(), Drained.CONCURRENCY, Drained.AHEAD), all.all());
    String said = "drain: what was said to the server in the last round";
    tables.add(new QueueReport.Table(said, all.statements()));
    targets.drain(all);
  }

  private void enqueue(Rounds rounds) throws Exception {
    jobs.open().close();
    List<Series> found = rounds.run(JobEnqueues.all(jobs));
    targets.enqueue(
        add(ENQUEUE, "enqueue in batches: jobs/s", "1,000 jobs per call and commit", found));
  }

  private void latency() throws IOException, InterruptedException, SQLException {
    jobs.empty();
    try (@Nullable NodePeer graphile =
        peers.has(JobPeer.GRAPHILE) ? NodeDrain.Kind.GRAPHILE.open(peers.node(), place) : null) {
      JobLatency latency = new JobLatency(jobs, graphile, profile);
      latency.measure();
      tables.add(
          new QueueReport.Table(
              "latency: enqueue to handler, a job every 100 to 300 ms", latency.rows()));
      targets.latency(latency.found());
    }
  }

  private void idle(ServerMeter meter) throws InterruptedException, SQLException {
    IdleWorker idle = new IdleWorker(jobs, profile.idleFor());
    idle.measure(meter);
    String title =
        Targets.text("idle: a worker without work for %d s", profile.idleFor().toSeconds());
    tables.add(new QueueReport.Table(title, idle.rows()));
    targets.idle(idle);
  }

  private void blockedKey(Drains drains) throws Exception {
    HoldfastDrain.Terms terms = HoldfastDrain.Terms.DELETING;
    HoldfastDrain without =
        new HoldfastDrain("Holdfast", new BenchJobs(place, "bench_free"), terms);
    HoldfastDrain beside =
        new HoldfastDrain(
            Targets.text("beside %,d blocked jobs", profile.gated()),
            new BenchJobs(place, "bench_blocked"),
            terms.beside(profile.gated()));
    List<DrainSeries> found = drains.run(List.of(without, beside), profile);
    addDrains("blocked key", found);
    targets.blocked(profile.gated(), found);
  }

  private void addDrains(String title, List<DrainSeries> found) {
    List<List<String>> rows = new ArrayList<>();
    rows.add(DrainSeries.HEADER);
    found.forEach(series -> rows.add(series.row(found.get(0))));
    tables.add(new QueueReport.Table(title, rows));
  }

  private List<Series> add(String id, String title, String work, List<Series> results) {
    List<Report.Figure> figures = results.stream().map(Series::figure).toList();
    measures.add(new Report.Measure(id, title, 1, work, figures));
    return results;
  }
}
