package io.holdfast.benchmarks;

import io.holdfast.postgres.PostgresHoldfast;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * Lets consumer processes of three groups read one stream while it is written, kills them one after
 * the other in the middle of whatever they do, and then reads what they wrote down: every group got
 * every message of every partition in order, each partition was one consumer's at a time, and
 * nothing was lost.
 */
@Command(
    name = "soak-streams",
    mixinStandardHelpOptions = true,
    description = "Kills consumers of a stream for a while and checks that nothing went wrong.")
final class StreamSoak implements Callable<Integer> {
  private static final int CONSUMERS = 4;

  /** Pushed at most so many per second, so that there is something to kill in between. */
  private static final int RATE = 1000;

  /** How long reading may take after everything is pushed. */
  private static final Duration DRAINING = Duration.ofMinutes(5);

  @Option(names = "--messages", description = "how many are pushed (default: 100000)")
  private int messages = 100_000;

  @Option(names = "--partitions", description = "over how many (default: 1000)")
  private int partitions = 1000;

  @Option(names = "--seconds-between-kills", description = "(default: 3)")
  private double killEvery = 3;

  @Option(
      names = "--db",
      paramLabel = "URL",
      description = "jdbc:postgresql://... of a server (default: an embedded one)")
  private @Nullable String db;

  @Override
  public Integer call() throws Exception {
    Size size =
        new Size(messages, partitions, Duration.ofMillis(Math.round(killEvery * 1000)), RATE);
    return run(db, size, System.out) ? 0 : 1;
  }

  /**
   * How much.
   *
   * @param rate messages per second, at most
   */
  record Size(int messages, int partitions, Duration killEvery, int rate) {}

  /** Runs it, prints what was found and PASS or FAIL, and answers whether it passed. */
  static boolean run(@Nullable String db, Size size, PrintStream out) throws Exception {
    Path notes = Files.createTempDirectory("holdfast-soak");
    try (BenchDatabase database = BenchDatabase.create(db);
        PostgresHoldfast holdfast = PostgresHoldfast.open(database.url())) {
      StreamSoakPlan.prepare(holdfast.streams());
      StreamSoakProducer producer = new StreamSoakProducer(holdfast.streams(), size.partitions);
      StreamSoakCheck check = new StreamSoakCheck(holdfast.streams(), out);
      long start = System.nanoTime();
      Exercise exercise = new Exercise(producer, check, size);
      exercise.run(List.of(database.url(), notes.toString()));
      boolean passes = check.run(producer, notes);
      out.println(
          Targets.text(
              "%s: %,d messages, %,d partitions, %d groups, %d consumers killed, %.0f s",
              passes ? "PASS" : "FAIL",
              producer.pushed(),
              size.partitions,
              StreamSoakPlan.GROUPS.size(),
              exercise.kills,
              (System.nanoTime() - start) / 1e9));
      return passes;
    } finally {
      delete(notes);
    }
  }

  private static void delete(Path directory) throws IOException {
    try (Stream<Path> files = Files.walk(directory)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    }
  }

  private static final class Exercise {
    private final StreamSoakProducer producer;
    private final StreamSoakCheck check;
    private final Size size;
    private final List<SoakChild> children = new ArrayList<>();
    private long killAt;
    private int kills;

    Exercise(StreamSoakProducer producer, StreamSoakCheck check, Size size) {
      this.producer = producer;
      this.check = check;
      this.size = size;
    }

    void run(List<String> orders) throws IOException, InterruptedException {
      try {
        for (int i = 0; i < CONSUMERS; i++) {
          children.add(new SoakChild("stream-soak-consumer", orders, "consumer-" + i));
        }
        killAt = System.nanoTime() + size.killEvery.toNanos();
        produce();
        long left = drain();
        check.check("without a kill", 0, kills == 0 ? 1 : 0);
        check.check("consumers that ended by themselves", 0, ended());
        check.check("messages that were not read in time", 0, left);
        int unwell = 0;
        for (SoakChild child : children) {
          unwell += child.finish() ? 0 : 1;
        }
        check.check("consumers that did not end well", 0, unwell);
      } finally {
        children.forEach(SoakChild::close);
      }
    }

    private void produce() throws IOException, InterruptedException {
      long start = System.nanoTime();
      while (producer.pushed() < size.messages) {
        producer.push(Math.min(StreamSoakProducer.BATCH, size.messages - producer.pushed()));
        killOne();
        long due = start + producer.pushed() * TimeUnit.SECONDS.toNanos(1) / size.rate;
        TimeUnit.NANOSECONDS.sleep(Math.max(0, due - System.nanoTime()));
      }
    }

    private void killOne() throws IOException, InterruptedException {
      SoakChild next = children.get(kills % CONSUMERS);
      if (killAt - System.nanoTime() < 0 && next.isWorking()) {
        next.killAndRestart();
        kills++;
        killAt = System.nanoTime() + size.killEvery.toNanos();
      }
    }

    private long ended() {
      return children.stream().filter(child -> !child.isAlive()).count();
    }

    /** Waits until everything is read and somebody was killed, and answers what is left. */
    private long drain() throws IOException, InterruptedException {
      long untilNanos = System.nanoTime() + DRAINING.toNanos();
      long left = check.pending();
      while ((left > 0 || kills == 0) && untilNanos - System.nanoTime() > 0) {
        if (kills == 0) {
          killOne();
        }
        TimeUnit.MILLISECONDS.sleep(200);
        left = check.pending();
      }
      return left;
    }
  }
}
