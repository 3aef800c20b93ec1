package io.holdfast.benchmarks;

import io.holdfast.postgres.PostgresHoldfast;
import io.holdfast.queue.NewItem;
import io.holdfast.queue.Queue;
import io.holdfast.queue.QueueStats.ItemCounts;
import java.io.IOException;
import java.io.PrintStream;
import java.sql.Connection;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * Lets consumer processes work on one queue, kills them one after the other in the middle of
 * whatever they do, and counts at the end: every item was completed or is dead, and none twice.
 */
@Command(
    name = "soak-queues",
    mixinStandardHelpOptions = true,
    description = "Kills consumers of a queue for a while and checks that nothing went wrong.")
final class QueueSoak implements Callable<Integer> {
  private static final int CONSUMERS = 3;
  private static final int BATCH = 20;
  private static final int LOOK_EVERY = 500;
  private static final int MOST_LEFT = 2000;
  private static final Duration BETWEEN_BATCHES = Duration.ofMillis(20);

  /** How much longer it may take until a consumer was there to be killed. */
  private static final Duration STARTING = Duration.ofSeconds(60);

  private static final Duration DRAINING = Duration.ofSeconds(120);

  @Option(names = "--seconds", description = "how long items are produced (default: 300)")
  private int seconds = 300;

  @Option(names = "--kill-every", description = "seconds between kills (default: 3)")
  private double killEvery = 3;

  @Option(
      names = "--db",
      paramLabel = "URL",
      description = "jdbc:postgresql://... of a server (default: an embedded one)")
  private @Nullable String db;

  @Override
  public Integer call() throws Exception {
    Duration pause = Duration.ofMillis(Math.round(killEvery * 1000));
    return run(db, Duration.ofSeconds(seconds), pause, System.out) ? 0 : 1;
  }

  /** Runs it, prints what was found and PASS or FAIL, and answers whether it passed. */
  static boolean run(@Nullable String db, Duration time, Duration killEvery, PrintStream out)
      throws Exception {
    try (BenchDatabase database = BenchDatabase.create(db);
        PostgresHoldfast holdfast = PostgresHoldfast.open(database.url());
        Connection connection = new Place(database.url(), 1).connect()) {
      holdfast.queues().create(Soak.deadQueue());
      holdfast.queues().create(Soak.queue());
      new Place(database.url(), 1).run(Soak.COMPLETIONS);
      SoakCheck check = new SoakCheck(holdfast, connection, out);
      Exercise exercise = new Exercise(holdfast.queues().queue(Soak.QUEUE), killEvery);
      exercise.run(database.url(), time, check);
      boolean passes = check.run(exercise.produced);
      out.println(
          Targets.text(
              "%s: %d items, %d consumers killed",
              passes ? "PASS" : "FAIL", exercise.produced, exercise.kills));
      return passes;
    }
  }

  private static final class Exercise {
    private final Queue queue;
    private final long killEveryNanos;
    private final List<SoakChild> children = new ArrayList<>();
    private long produced;
    private int kills;

    Exercise(Queue queue, Duration killEvery) {
      this.queue = queue;
      this.killEveryNanos = killEvery.toNanos();
    }

    void run(String url, Duration time, SoakCheck check) throws IOException, InterruptedException {
      try {
        for (int i = 0; i < CONSUMERS; i++) {
          children.add(new SoakChild("soak-consumer", List.of(url), "consumer-" + i));
        }
        produce(System.nanoTime() + time.toNanos());
        check.check("without a kill", 0, kills == 0 ? 1 : 0);
        check.check("consumers that ended by themselves", 0, ended());
        check.check("items that were not drained in time", 0, drain());
        int unwell = 0;
        for (SoakChild child : children) {
          unwell += child.finish() ? 0 : 1;
        }
        check.check("consumers that did not end well", 0, unwell);
      } finally {
        children.forEach(SoakChild::close);
      }
    }

    private void produce(long untilNanos) throws IOException, InterruptedException {
      long killAt = System.nanoTime() + killEveryNanos;
      long latestNanos = untilNanos + STARTING.toNanos();
      while (untilNanos - System.nanoTime() > 0
          || kills == 0 && latestNanos - System.nanoTime() > 0) {
        if (produced % LOOK_EVERY != 0 || left() < MOST_LEFT) {
          produceBatch();
        }
        SoakChild next = children.get(kills % CONSUMERS);
        if (killAt - System.nanoTime() < 0 && next.isWorking()) {
          next.killAndRestart();
          kills++;
          killAt = System.nanoTime() + killEveryNanos;
        }
        TimeUnit.MILLISECONDS.sleep(BETWEEN_BATCHES.toMillis());
      }
    }

    private void produceBatch() {
      List<NewItem> items = new ArrayList<>();
      boolean later = ThreadLocalRandom.current().nextInt(10) == 0;
      for (int i = 0; i < BATCH; i++) {
        NewItem item = Soak.item(produced + i + 1);
        items.add(later ? item.at(Instant.now().plusMillis(300)) : item);
      }
      queue.produce(items, BenchQueue.TIMEOUT);
      produced += BATCH;
    }

    private long ended() {
      return children.stream().filter(child -> !child.isAlive()).count();
    }

    /** Waits until nothing is left, and answers what is left. */
    private long drain() throws InterruptedException {
      long untilNanos = System.nanoTime() + DRAINING.toNanos();
      long left = left();
      while (left > 0 && untilNanos - System.nanoTime() > 0) {
        TimeUnit.MILLISECONDS.sleep(200);
        left = left();
      }
      return left;
    }

    private long left() {
      ItemCounts counts = queue.admin().stats().partitions().get(0).counts();
      return counts.total() + counts.scheduled();
    }
  }
}
