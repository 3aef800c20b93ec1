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
 * Streams: ours beside hand-written SQL on the same tables, beside a status row per message and
 * group, and beside PgQ where the server has it; all in one run on one server. It stops by itself
 * and leaves nothing behind.
 */
@Command(
    name = "streams",
    mixinStandardHelpOptions = true,
    description = "Measures streams beside hand-written SQL and PgQ.")
final class StreamsBenchmark implements Callable<Integer> {
  @Option(names = "--quick", description = "three rounds of 3 s, for a first look")
  private boolean quick;

  @Option(names = "--retained", description = "messages of the long history (default: 1000000)")
  private @Nullable Long retained;

  @Option(names = "--partitions", description = "of the wide queue (default: 50000)")
  private @Nullable Integer partitions;

  @Option(names = "--rounds", description = "rounds of every measure (default: 5)")
  private @Nullable Integer rounds;

  @Option(names = "--seconds", description = "of each subject in each round (default: 15)")
  private @Nullable Double seconds;

  @Option(
      names = "--db",
      paramLabel = "URL",
      description = "jdbc:postgresql://... of a server (default: an embedded one, without PgQ)")
  private @Nullable String db;

  @Option(names = "--json", paramLabel = "FILE", description = "where to write the figures as JSON")
  private @Nullable Path json;

  @Option(
      names = "--only",
      split = ",",
      paramLabel = "MEASURE",
      description = "some of: calls, push, end-to-end, commits, parked, seeding")
  private @Nullable List<String> only;

  @Override
  public Integer call() throws Exception {
    Set<String> wanted = new LinkedHashSet<>(only == null ? StreamMeasures.ALL : only);
    if (!StreamMeasures.ALL.containsAll(wanted)) {
      System.err.println("--only knows " + String.join(", ", StreamMeasures.ALL));
      return 2;
    }
    QueueReport report = measure(profile(), db, wanted, name -> System.err.println("... " + name));
    report.print(System.out);
    if (json != null) {
      LocksBenchmark.write(report, json);
    }
    return 0;
  }

  private StreamProfile profile() {
    StreamProfile profile = quick ? StreamProfile.QUICK : StreamProfile.FULL;
    if (rounds != null || seconds != null) {
      Duration time =
          seconds == null ? profile.base().time() : Duration.ofMillis(Math.round(seconds * 1000));
      profile = profile.withRounds(rounds == null ? profile.base().rounds() : rounds, time);
    }
    if (retained != null) {
      profile = profile.withRetained(retained);
    }
    return partitions == null ? profile : profile.withPartitions(partitions);
  }

  /** Runs the wanted measures on the server at {@code db}, or on an embedded one. */
  static QueueReport measure(
      StreamProfile profile, @Nullable String db, Set<String> wanted, Consumer<String> progress)
      throws Exception {
    try (BenchDatabase database = BenchDatabase.create(db)) {
      return new StreamMeasures(database, profile, wanted, progress).run();
    }
  }
}
