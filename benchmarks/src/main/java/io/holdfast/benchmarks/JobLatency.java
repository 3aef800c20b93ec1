package io.holdfast.benchmarks;

import com.fasterxml.jackson.databind.JsonNode;
import io.holdfast.job.JobQueueConfig;
import io.holdfast.job.JobWorker;
import io.holdfast.postgres.PostgresHoldfast;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * From before a job is enqueued until its handler is called, while the worker has nothing else to
 * do. Jobs come one at a time, each after a pause of 100 to 300 ms that is the same for all. Ours
 * is enqueued by another service than that of the worker, as by another process.
 */
final class JobLatency {
  private static final int SHORTEST = 100;
  private static final int LONGEST = 300;
  private static final long SEED = 7;

  static final List<String> HEADER =
      List.of("subject", "p50 ms", "p50 of the rounds", "p99 ms", "max ms", "jobs");

  private final BenchJobs jobs;
  private final @Nullable NodePeer graphile;
  private final JobProfile profile;
  private final Found ours = new Found("Holdfast");
  private final Found theirs = new Found("graphile-worker");

  /** What the rounds of one subject gave. */
  static final class Found {
    private final String title;
    private final Histogram all = new Histogram(3);
    private final List<Double> medians = new ArrayList<>();

    Found(String title) {
      this.title = title;
    }

    private void add(List<Long> nanos) {
      Histogram round = new Histogram(3);
      nanos.forEach(round::recordValue);
      all.add(round);
      medians.add(round.getValueAtPercentile(50) / 1e6);
    }

    double millis(double percentile) {
      return all.getValueAtPercentile(percentile) / 1e6;
    }

    Spread medians() {
      return Spread.of(medians);
    }

    private List<String> row() {
      return List.of(
          title,
          Targets.text("%.1f", millis(50)),
          Targets.text("%.1f to %.1f", medians().min(), medians().max()),
          Targets.text("%.1f", millis(99)),
          Targets.text("%.1f", millis(100)),
          Long.toString(all.getTotalCount()));
    }
  }

  JobLatency(BenchJobs jobs, @Nullable NodePeer graphile, JobProfile profile) {
    this.jobs = jobs;
    this.graphile = graphile;
    this.profile = profile;
  }

  void measure() throws IOException, InterruptedException {
    Random random = new Random(SEED);
    if (graphile != null) {
      graphile.order("setUp");
    }
    for (int round = 0; round < profile.rounds(); round++) {
      List<Integer> pauses =
          random.ints(profile.latencies(), SHORTEST, LONGEST + 1).boxed().toList();
      ours.add(ours(pauses));
      if (graphile != null) {
        theirs.add(graphile(graphile, pauses));
      }
    }
  }

  private List<Long> ours(List<Integer> pauses) throws InterruptedException {
    BlockingQueue<Long> calls = new LinkedBlockingQueue<>();
    List<Long> found = new ArrayList<>();
    try (PostgresHoldfast here = jobs.open();
        PostgresHoldfast there = jobs.open();
        JobWorker worker = worker(there, calls)) {
      here.jobs().queues().configure(JobQueueConfig.of(BenchJobs.QUEUE).keepDone(Duration.ZERO));
      for (int pause : pauses) {
        TimeUnit.MILLISECONDS.sleep(pause);
        long start = System.nanoTime();
        here.jobs().enqueue(BenchJobs.drafts(0, 1));
        Long called = calls.poll(1, TimeUnit.MINUTES);
        if (called == null) {
          throw new IllegalStateException(worker.id() + " does not run a job");
        }
        found.add(called - start);
      }
    }
    return found;
  }

  private static JobWorker worker(PostgresHoldfast holdfast, BlockingQueue<Long> calls) {
    return holdfast
        .jobs()
        .worker()
        .queue(BenchJobs.QUEUE)
        .action(BenchJobs.TYPE, byte[].class, (payload, context) -> calls.add(System.nanoTime()))
        .start();
  }

  private static List<Long> graphile(NodePeer peer, List<Integer> pauses) throws IOException {
    List<Long> found = new ArrayList<>();
    for (JsonNode millis : peer.order("latencies", pauses, Drained.CONCURRENCY, Drained.AHEAD)) {
      found.add(Math.round(millis.asDouble() * 1e6));
    }
    return found;
  }

  Found found() {
    return ours;
  }

  List<List<String>> rows() {
    List<List<String>> rows = new ArrayList<>();
    rows.add(HEADER);
    rows.add(ours.row());
    if (graphile != null) {
      rows.add(theirs.row());
    }
    return rows;
  }
}
