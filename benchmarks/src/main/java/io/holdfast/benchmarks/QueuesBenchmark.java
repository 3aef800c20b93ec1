package io.holdfast.benchmarks;

import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * Queues: ours beside hand-written SQL and beside the job table that people roll by hand; all in
 * one run on one server. It stops by itself and leaves nothing behind.
 */
@Command(
    name = "queues",
    mixinStandardHelpOptions = true,
    description = "Measures queues beside hand-written SQL.")
final class QueuesBenchmark implements Callable<Integer> {
  @Option(names = "--quick", description = "three rounds of 3 s and small tables, for a first look")
  private boolean quick;

  @Option(
      names = "--long",
      description = "a million life cycles under a pinned horizon, idle queues for 90 s")
  private boolean isLong;

  @Option(names = "--rows", description = "of the large tables (default: 2000000, quick 200000)")
  private @Nullable Long rows;

  @Option(names = "--rounds", description = "rounds of every measure (default: 5)")
  private @Nullable Integer rounds;

  @Option(names = "--seconds", description = "of each subject in each round (default: 15)")
  private @Nullable Double seconds;

  @Option(
      names = "--db",
      paramLabel = "URL",
      description = "jdbc:postgresql://... of a server (default: an embedded one)")
  private @Nullable String db;

  @Option(names = "--json", paramLabel = "FILE", description = "where to write the figures as JSON")
  private @Nullable Path json;

  @Option(
      names = "--only",
      split = ",",
      paramLabel = "MEASURE",
      description =
          "some of: life-cycle, claim, pinned, small-calls, sweep, single, delivery, idle")
  private @Nullable List<String> only;

  @Override
  public Integer call() throws Exception {
    Set<String> wanted = new LinkedHashSet<>(only == null ? QueueMeasures.ALL : only);
    if (!QueueMeasures.ALL.containsAll(wanted)) {
      System.err.println("--only knows " + String.join(", ", QueueMeasures.ALL));
      return 2;
    }
    QueueReport report = measure(profile(), db, wanted, name -> System.err.println("... " + name));
    report.print(System.out);
    if (json != null) {
      LocksBenchmark.write(report, json);
    }
    return 0;
  }

  private QueueProfile profile() {
    QueueProfile profile = quick ? QueueProfile.QUICK : QueueProfile.FULL;
    if (rounds != null || seconds != null) {
      Duration time =
          seconds == null ? profile.base().time() : Duration.ofMillis(Math.round(seconds * 1000));
      profile = profile.withRounds(rounds == null ? profile.base().rounds() : rounds, time);
    }
    if (rows != null) {
      profile = profile.withRows(rows);
    }
    return isLong ? profile.lengthened() : profile;
  }

  /** Runs the wanted measures on the server at {@code db}, or on an embedded one. */
  static QueueReport measure(
      QueueProfile profile, @Nullable String db, Set<String> wanted, Consumer<String> progress)
      throws Exception {
    try (BenchDatabase database = BenchDatabase.create(db)) {
      return new QueueMeasures(database, profile, wanted, progress).run();
    }
  }
}
