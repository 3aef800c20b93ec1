package io.holdfast.benchmarks;

import java.nio.file.Path;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * Jobs: ours beside graphile-worker, pg-boss, db-scheduler and JobRunr, and beside hand-written
 * SQL; all in one run on one server. It stops by itself and leaves nothing behind, except that npm
 * puts two peers into the build's own directory.
 */
@Command(
    name = "jobs",
    mixinStandardHelpOptions = true,
    description = "Measures jobs beside other job systems and hand-written SQL.")
final class JobsBenchmark implements Callable<Integer> {
  @Option(names = "--quick", description = "three rounds with fewer jobs, for a first look")
  private boolean quick;

  @Option(names = "--jobs", description = "to work off in a round (default: 200000, quick 30000)")
  private @Nullable Integer jobs;

  @Option(names = "--rows", description = "of the large table (default: 5000000, quick 500000)")
  private @Nullable Long rows;

  @Option(names = "--gated", description = "blocked jobs (default: 1000000, quick 100000)")
  private @Nullable Long gated;

  @Option(names = "--rounds", description = "rounds of every measure (default: 5, quick 3)")
  private @Nullable Integer rounds;

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
      description = "some of: drain, enqueue, latency, reserve, commits, idle, blocked-key")
  private @Nullable List<String> only;

  @Option(
      names = "--peers",
      split = ",",
      paramLabel = "PEER",
      description = "some of: graphile-worker, pg-boss, db-scheduler, jobrunr")
  private @Nullable List<String> peers;

  @Override
  public Integer call() throws Exception {
    Set<String> wanted = new LinkedHashSet<>(only == null ? JobMeasures.ALL : only);
    if (!JobMeasures.ALL.containsAll(wanted)) {
      System.err.println("--only knows " + String.join(", ", JobMeasures.ALL));
      return 2;
    }
    QueueReport report =
        measure(profile(), db, wanted, peers(wanted), name -> System.err.println("... " + name));
    report.print(System.out);
    if (json != null) {
      LocksBenchmark.write(report, json);
    }
    return 0;
  }

  private JobPeers peers(Set<String> measures) throws InterruptedException {
    Set<JobPeer> asked =
        peers == null ? JobPeer.all() : peers.stream().map(JobPeer::of).collect(Collectors.toSet());
    boolean needsNode =
        (measures.contains(JobMeasures.DRAIN) || measures.contains(JobMeasures.LATENCY))
            && asked.stream().anyMatch(JobPeer::needsNode);
    return new JobPeers(asked, needsNode ? NodePeers.prepare() : NodePeers.none("not asked for"));
  }

  private JobProfile profile() {
    JobProfile profile = quick ? JobProfile.QUICK : JobProfile.FULL;
    if (rounds != null) {
      profile = profile.withRounds(rounds);
    }
    if (jobs != null) {
      profile = profile.withJobs(jobs);
    }
    if (rows != null) {
      profile = profile.withRows(rows);
    }
    return gated == null ? profile : profile.withGated(gated);
  }

  /** Runs the wanted measures on the server at {@code db}, or on an embedded one. */
  static QueueReport measure(
      JobProfile profile,
      @Nullable String db,
      Set<String> wanted,
      JobPeers peers,
      Consumer<String> progress)
      throws Exception {
    try (BenchDatabase database = BenchDatabase.create(db)) {
      return new JobMeasures(database, profile, wanted, peers, progress).run();
    }
  }
}
