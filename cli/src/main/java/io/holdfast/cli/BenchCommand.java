package io.holdfast.cli;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Loads a server or a database for a while, and says how fast it was. */
@Command(
    name = "bench",
    sortOptions = false,
    header = "Load a server or a database: rates and latency percentiles.",
    description = {
      "Uses names that begin with holdfast-bench and removes them afterwards; jobs are",
      "finished, and go with their queue when that has kept them for long enough.",
      "In a checkout, 'bench peers ...' compares with other libraries (benchmarks/run).",
      ""
    })
final class BenchCommand implements Callable<Integer> {
  @Parameters(
      index = "0",
      paramLabel = "queue|stream|job|lock",
      description = "What to load; peers runs the comparison.")
  private String subject;

  @Parameters(index = "1..*", hidden = true)
  private @Nullable List<String> more;

  @Option(names = "--seconds", paramLabel = "N", description = "For so long, at most 600 [10].")
  private int seconds = 10;

  @Option(names = "--callers", paramLabel = "N", description = "At once, at most 256 [8].")
  private int callers = 8;

  @Option(names = "--batch", paramLabel = "N", description = "Items per call [1].")
  private int batch = 1;

  @Option(names = "--png", paramLabel = "FILE", description = "A plot of the rate over time.")
  private @Nullable Path png;

  @Mixin private Place place;
  @Spec private CommandSpec spec;

  @Override
  public Integer call() throws IOException, InterruptedException {
    if (subject.equals("peers")) {
      return peers();
    }
    if (seconds < 1
        || seconds > 600
        || callers < 1
        || callers > 256
        || batch < 1
        || batch > 1_000) {
      throw Work.mistake(spec, "--seconds 1 to 600, --callers 1 to 256, --batch 1 to 1000");
    }
    if (png != null && !isWritable(png)) {
      throw Work.mistake(spec, "--png: cannot write " + png);
    }
    try (Capabilities on = place.open();
        Load load = Load.of(subject, on, batch).orElseThrow(() -> unknown())) {
      LoadRun run = new LoadRun(load, callers);
      run.start();
      for (int second = 1; second <= seconds; second++) {
        TimeUnit.SECONDS.sleep(1);
        progress(second, run.tick());
      }
      run.stop();
      report(run);
      if (png != null) {
        Plot.write(png, subject + ": operations per second", run.perSecond());
      }
      return run.failures() == 0 ? Exit.OK : Exit.FAILED;
    }
  }

  /** Asked before the load, which would be run for nothing. */
  private static boolean isWritable(Path file) {
    Path folder = file.toAbsolutePath().getParent();
    return Files.exists(file)
        ? Files.isRegularFile(file) && Files.isWritable(file)
        : folder != null && Files.isDirectory(folder) && Files.isWritable(folder);
  }

  private picocli.CommandLine.ParameterException unknown() {
    return Work.mistake(spec, "queue, stream, job, lock or peers");
  }

  private int peers() throws IOException, InterruptedException {
    Path script = Path.of("benchmarks", "run");
    if (!script.toFile().canExecute()) {
      throw Work.mistake(spec, "peers: only in a checkout of Holdfast, in its directory");
    }
    List<String> command = new java.util.ArrayList<>(List.of(script.toString()));
    command.addAll(more == null ? List.of() : more);
    return new ProcessBuilder(command).inheritIO().start().waitFor();
  }

  private void progress(int second, long operations) {
    String line = "%3d of %d s  %,d/s".formatted(second, seconds, operations);
    System.err.print(System.console() == null ? line + "\n" : "\r" + line + "   ");
    if (second == seconds && System.console() != null) {
      System.err.println();
    }
  }

  private void report(LoadRun run) {
    Listing listing =
        Listing.of("operation", "perSecond", "p50ms", "p90ms", "p99ms", "p999ms", "maxMs");
    for (Map.Entry<String, Histogram> entry : run.latencies().entrySet()) {
      Histogram times = entry.getValue();
      listing.add(
          entry.getKey(),
          times.getTotalCount() * batch / Math.max(1, run.elapsedSeconds()),
          millis(times, 50),
          millis(times, 90),
          millis(times, 99),
          millis(times, 99.9),
          millis(times, 100));
    }
    PrintWriter out = Work.out(spec);
    listing.print(out, place.isJson());
    if (run.failures() > 0) {
      Problem.say(run.failures() + " calls failed, the last: " + run.lastFailure());
    }
  }

  private static String millis(Histogram times, double percentile) {
    return String.format(Locale.ROOT, "%.2f", times.getValueAtPercentile(percentile) / 1e6);
  }
}
