package io.holdfast.benchmarks;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import java.io.IOException;
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
 * Locks: ours beside a hand-written function pair, the protocol of SyncGuard, and peers; all in one
 * run on one server. It stops by itself and leaves nothing behind.
 */
@Command(
    name = "locks",
    mixinStandardHelpOptions = true,
    description = "Measures locks beside hand-written SQL and beside peers.")
final class LocksBenchmark implements Callable<Integer> {
  @Option(names = "--quick", description = "three rounds of 3 s, for a first look")
  private boolean quick;

  @Option(names = "--long", description = "a million pairs in the measure of ageing")
  private boolean ageLong;

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
          "some of: costs, pairs-1, network, pairs-8, scaling, latency (needs pairs-8), hand-overs,"
              + " two-processes, refusals, renewals, ageing")
  private @Nullable List<String> only;

  @Override
  public Integer call() throws Exception {
    Set<String> wanted = new LinkedHashSet<>(only == null ? LockMeasures.ALL : only);
    if (!LockMeasures.ALL.containsAll(wanted)) {
      System.err.println("--only knows " + String.join(", ", LockMeasures.ALL));
      return 2;
    }
    Report report = measure(profile(), db, wanted, name -> System.err.println("... " + name));
    new ReportPrinter(System.out).print(report);
    if (json != null) {
      write(report, json);
    }
    return 0;
  }

  private Profile profile() {
    Profile profile = quick ? Profile.QUICK : Profile.FULL;
    if (rounds != null || seconds != null) {
      Duration time =
          seconds == null ? profile.time() : Duration.ofMillis(Math.round(seconds * 1000));
      profile = profile.withRounds(rounds == null ? profile.rounds() : rounds, time);
    }
    return ageLong ? profile.withAgeingPairs(1_000_000) : profile;
  }

  /** Runs the wanted measures on the server at {@code db}, or on an embedded one. */
  static Report measure(
      Profile profile, @Nullable String db, Set<String> wanted, Consumer<String> progress)
      throws Exception {
    try (BenchDatabase database = BenchDatabase.create(db)) {
      return new LockMeasures(database, profile, wanted, progress).run();
    }
  }

  static void write(Object report, Path file) throws IOException {
    new ObjectMapper().enable(SerializationFeature.INDENT_OUTPUT).writeValue(file.toFile(), report);
  }
}
