package io.holdfast.benchmarks;

import io.holdfast.postgres.PostgresHoldfast;
import io.holdfast.server.HoldfastServer;
import io.holdfast.server.ServerOptions;
import io.holdfast.server.Services;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * The server on loopback beside the library in process, on one database in one run: what HTTP
 * costs, and what a client that waits costs. It stops by itself and leaves nothing behind.
 */
@Command(
    name = "server",
    mixinStandardHelpOptions = true,
    description = "Measures the server beside the library.")
final class ServerBenchmark implements Callable<Integer> {
  private static final int POOL_SIZE = 20;

  @Option(names = "--quick", description = "three rounds of 3 s, for a first look")
  private boolean quick;

  @Option(names = "--waiters", description = "long polls that wait at once (default: 5000)")
  private int waiters = 5_000;

  @Option(
      names = "--db",
      paramLabel = "URL",
      description = "jdbc:postgresql://... of a server (default: an embedded one)")
  private @Nullable String db;

  @Option(names = "--json", paramLabel = "FILE", description = "where to write the figures as JSON")
  private @Nullable Path json;

  @Override
  public Integer call() throws Exception {
    QueueReport report = measure(quick ? Profile.QUICK : Profile.FULL, db, waiters);
    report.print(System.out);
    if (json != null) {
      LocksBenchmark.write(report, json);
    }
    return 0;
  }

  static QueueReport measure(Profile profile, @Nullable String db, int waiters) throws Exception {
    try (BenchDatabase database = BenchDatabase.create(db)) {
      Place place = new Place(database.url(), POOL_SIZE);
      try (BenchQueue queue = BenchQueue.create(place, "bench-served");
          BenchQueue waiting = BenchQueue.create(place, "bench-waiting");
          HoldfastServer server = serve(place);
          PostgresHoldfast direct = PostgresHoldfast.open(place.url(), BenchQueue.options(place));
          ServerMeter meter = new ServerMeter(database.adminUrl(), database.name())) {
        Rounds rounds = new Rounds(profile, meter);
        List<Report.Measure> measures = new ArrayList<>();
        Targets targets = new Targets();
        List<Series> single =
            rounds.run(
                List.of(new ServedQueue(queue, null), new ServedQueue(queue, server.address())));
        measures.add(
            measure(
                "single",
                "produce, lease and complete of one item: cycles/s",
                ServedQueue.CALLERS,
                single));
        List<Series> batch =
            rounds.run(
                List.of(
                    new ServedStream(direct.streams(), "bench-served", null),
                    new ServedStream(direct.streams(), "bench-served", server.address())));
        measures.add(
            measure(
                "batch",
                "push, pop and ack of 100 messages: messages/s",
                ServedStream.CALLERS,
                batch));
        ParkedPolls parked = new ParkedPolls(waiting, server.address(), waiters);
        parked.measure();
        ratio(targets, "rate of the server to that of the library, single items", single);
        ratio(targets, "the same, batches of 100", batch);
        Report.Setting setting =
            new Report.Setting(
                Facts.machine(),
                Facts.server(place),
                profile.rounds(),
                profile.time().toMillis() / 1e3,
                POOL_SIZE,
                Facts.loadAverage());
        return new QueueReport(
            setting,
            measures,
            List.of(new QueueReport.Table("parked long polls", parked.rows())),
            targets.list());
      }
    }
  }

  private static HoldfastServer serve(Place place) throws IOException {
    PostgresHoldfast holdfast = PostgresHoldfast.open(place.url(), BenchQueue.options(place));
    return HoldfastServer.start(
        new Services(
            holdfast.locks(), holdfast.queues(), holdfast.streams(), holdfast.jobs(), holdfast),
        ServerOptions.DEFAULTS.port(0).shutdownTimeout(Duration.ofSeconds(5)));
  }

  private static Report.Measure measure(String id, String title, int callers, List<Series> found) {
    return new Report.Measure(
        id, title, callers, "one cycle", found.stream().map(Series::figure).toList());
  }

  private static void ratio(Targets targets, String title, List<Series> found) {
    targets.add("server", title, "-", Targets.show(found.get(1).over(found.get(0))), null);
  }
}
