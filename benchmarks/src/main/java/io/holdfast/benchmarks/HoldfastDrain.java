package io.holdfast.benchmarks;

import io.holdfast.job.JobQueueConfig;
import io.holdfast.job.JobWorker;
import io.holdfast.job.Jobs;
import io.holdfast.postgres.PostgresHoldfast;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Ours, by a worker with default options apart from its places. */
class HoldfastDrain implements Drained {
  private final BenchJobs jobs;
  private final String title;
  private final Duration keepDone;
  private final Places places;
  private final StatementTimes statements = new StatementTimes();
  private @Nullable Countdown countdown;
  private @Nullable PostgresHoldfast holdfast;
  private @Nullable JobWorker worker;

  /** How many handlers at once, and how many jobs ahead. */
  record Places(int concurrency, int prefetch) {
    static final Places LIKE_PEERS = new Places(CONCURRENCY, AHEAD);
  }

  HoldfastDrain(BenchJobs jobs, String title, Duration keepDone, Places places) {
    this.jobs = jobs;
    this.title = title;
    this.keepDone = keepDone;
    this.places = places;
  }

  @Override
  public String title() {
    return title;
  }

  @Override
  public String remark() {
    return keepDone.isZero() ? "deletes finished jobs" : "keeps finished jobs";
  }

  @Override
  public String table() {
    return jobs.table();
  }

  @Override
  public String unfinished() {
    return "status <> 'done'";
  }

  @Override
  public void setUp() throws Exception {
    try (PostgresHoldfast opened = jobs.open()) {
      opened.jobs().queues().configure(JobQueueConfig.of(BenchJobs.QUEUE));
    }
  }

  /** Settings are of a queue's name, which subjects may share. */
  @Override
  public void fill(int count) {
    try (PostgresHoldfast opened = jobs.open()) {
      Jobs door = opened.jobs();
      door.queues().configure(JobQueueConfig.of(BenchJobs.QUEUE).keepDone(keepDone));
      for (int from = 0; from < count; from += FILLED_AT_ONCE) {
        door.enqueue(BenchJobs.drafts(from, Math.min(FILLED_AT_ONCE, count - from)));
      }
    }
  }

  @Override
  public void start(int count) {
    Countdown calls = new Countdown(count);
    statements.reset();
    PostgresHoldfast opened = jobs.open(statements);
    countdown = calls;
    holdfast = opened;
    worker =
        opened
            .jobs()
            .worker()
            .queue(BenchJobs.QUEUE)
            .action(BenchJobs.TYPE, byte[].class, (payload, context) -> calls.call())
            .concurrency(places.concurrency())
            .prefetch(places.prefetch())
            .start();
  }

  @Override
  public long awaitHandled() throws InterruptedException {
    return Objects.requireNonNull(countdown).await();
  }

  @Override
  public void stop() {
    Objects.requireNonNull(worker).close();
    Objects.requireNonNull(holdfast).close();
  }

  /** What was said to the server in the last round. */
  StatementTimes statements() {
    return statements;
  }

  @Override
  public double cpuSeconds() {
    return Processor.own();
  }

  @Override
  public void close() {}
}
