package io.holdfast.benchmarks;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

/** The measures of streams, one after the other, on one database. */
final class StreamMeasures {
  static final String CALLS = "calls";
  static final String PUSH = "push";
  static final String END_TO_END = "end-to-end";
  static final String COMMITS = "commits";
  static final String PARKED = "parked";
  static final String SEEDING = "seeding";

  /** In the order in which they run. */
  static final List<String> ALL = List.of(CALLS, PUSH, END_TO_END, COMMITS, PARKED, SEEDING);

  /** Connections of every pool: for two callers, and for what happens beside them. */
  private static final int POOL_SIZE = 4;

  private static final int COUNTED_CYCLES = 200;

  private final BenchDatabase database;
  private final StreamProfile profile;
  private final Set<String> wanted;
  private final Consumer<String> progress;
  private final Place place;
  private final List<Report.Measure> measures = new ArrayList<>();
  private final List<QueueReport.Table> tables = new ArrayList<>();
  private final StreamTargets targets = new StreamTargets();

  StreamMeasures(
      BenchDatabase database,
      StreamProfile profile,
      Set<String> wanted,
      Consumer<String> progress) {
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
      measure(new Rounds(profile.base(), meter), meter);
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

  private void measure(Rounds rounds, ServerMeter meter) throws Exception {
    if (wants(CALLS)) {
      calls(rounds);
    }
    if (wants(PUSH)) {
      String title = "push of %d over %d partitions: messages/s";
      String work = "256 bytes each, one commit per push";
      targets.push(
          add(
              PUSH,
              title.formatted(StreamPushes.BATCH, StreamPushes.BATCH),
              1,
              work,
              rounds.run(StreamPushes.all(place))));
    }
    if (wants(END_TO_END)) {
      endToEnd(rounds);
    }
    if (wants(COMMITS)) {
      targets.commits(new StreamCommits(place, meter, COUNTED_CYCLES).perMessage());
    }
    if (wants(PARKED)) {
      parked();
    }
    if (wants(SEEDING)) {
      Seeding seeding = new Seeding(profile, place);
      seeding.measure();
      targets.seeding(profile.partitions(), seeding);
    }
  }

  private boolean wants(String id) {
    boolean asked = wanted.contains(id);
    if (asked) {
      progress.accept(id);
    }
    return asked;
  }

  private void calls(Rounds rounds) throws Exception {
    StreamFillings fillings = StreamFillings.create(place, profile);
    String title = "pop, extend, ack and depth on differently filled queues: median cycles/s";
    add(CALLS, title, 1, "1 message per cycle", rounds.run(fillings.all()));
    List<List<String>> rows = new ArrayList<>();
    rows.add(StreamCalls.HEADER);
    for (StreamCall call : StreamCall.values()) {
      fillings.all().forEach(filling -> rows.add(filling.row(call)));
    }
    tables.add(new QueueReport.Table("calls: each of them", rows));
    targets.calls(fillings.pairs());
  }

  private void endToEnd(Rounds rounds) throws Exception {
    String title = "push, pop and ack: settled messages/s";
    String work =
        "batches of 100, 256 bytes each, 100 partitions, one producer and one consumer. PgQ: a"
            + " commit per 100 events pushed; the consumer calls pgq.ticker when it has read"
            + " everything and reads a tick at once; no partitions, leases or redelivery";
    List<Pipelines> all = Pipelines.all(place, profile);
    targets.endToEnd(add(END_TO_END, title, Pipelines.CALLERS, work, rounds.run(all)));
    List<List<String>> rows = new ArrayList<>();
    rows.add(TableState.HEADER);
    for (String table : List.of("message", "partition", "cursor", "counter")) {
      rows.add(TableState.of(place, "holdfast.stream_" + table).row("stream_" + table));
    }
    tables.add(new QueueReport.Table("end-to-end: the tables afterwards", rows));
    List<List<String>> statements = new ArrayList<>();
    statements.add(StatementTimes.HEADER);
    all.forEach(one -> statements.addAll(one.statements()));
    tables.add(
        new QueueReport.Table(
            "end-to-end: what was said to the server, warm-up included", statements));
  }

  private void parked() throws InterruptedException {
    ParkedConsumers parked = new ParkedConsumers(profile, place);
    parked.measure();
    String title =
        "parked: %d consumers for %d s"
            .formatted(profile.parked(), profile.parkedFor().toSeconds());
    tables.add(new QueueReport.Table(title, parked.rows()));
    targets.parked(profile, parked.perSecond());
  }

  private List<Series> add(
      String id, String title, int callers, String work, List<Series> results) {
    List<Report.Figure> figures = results.stream().map(Series::figure).toList();
    measures.add(new Report.Measure(id, title, callers, work, figures));
    return results;
  }
}
