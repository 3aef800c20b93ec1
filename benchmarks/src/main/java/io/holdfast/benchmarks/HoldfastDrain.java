package io.holdfast.benchmarks;

import io.holdfast.job.JobQueueConfig;
import io.holdfast.job.JobWorker;
import io.holdfast.job.Jobs;
import io.holdfast.postgres.PostgresHoldfast;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Ours, by workers of one process with default options apart from their places. */
final class HoldfastDrain implements Drained {
  private final String title;
  private final BenchJobs jobs;
  private final Terms terms;
  private final StatementTimes statements = new StatementTimes();
  private final List<JobWorker> workers = new ArrayList<>();
  private @Nullable Countdown countdown;
  private @Nullable PostgresHoldfast holdfast;

  /**
   * How many handlers at once, and how many jobs ahead, in all.
   *
   * @param workers that share them; each talks to the server in one statement at a time
   */
  record Places(int workers, int concurrency, int prefetch) {
    static final Places LIKE_PEERS = new Places(2, CONCURRENCY, AHEAD);
  }

  /**
   * Under which conditions it works.
   *
   * @param keepDone how long finished jobs stay
   * @param gated jobs in the same queue that wait for a key that is taken
   */
  record Terms(Places places, Duration keepDone, long gated) {
    /** Finished jobs are deleted. */
    static final Terms DELETING = new Terms(Places.LIKE_PEERS, Duration.ZERO, 0);

    /** Finished jobs stay for as long as they do by default. */
    static final Terms KEEPING = new Terms(Places.LIKE_PEERS, Duration.ofDays(1), 0);

    Terms with(Places value) {
      return new Terms(value, keepDone, gated);
    }

    Terms beside(long value) {
      return new Terms(places, keepDone, value);
    }
  }

  HoldfastDrain(String title, BenchJobs jobs, Terms terms) {
    this.title = title;
    this.jobs = jobs;
    this.terms = terms;
  }

  @Override
  public String title() {
    return title;
  }

  @Override
  public String remark() {
    int count = terms.places().workers();
    return "%d worker%s; %s finished jobs"
        .formatted(count, count == 1 ? "" : "s", terms.keepDone().isZero() ? "deletes" : "keeps");
  }

  @Override
  public String table() {
    return jobs.table();
  }

  @Override
  public String unfinished() {
    return "status <> 'done' AND limit_key IS NULL";
  }

  @Override
  public void setUp() throws SQLException {
    try (PostgresHoldfast opened = jobs.open()) {
      opened.jobs().queues().configure(JobQueueConfig.of(BenchJobs.QUEUE).limit(BenchJobs.KEY, 1));
    }
    if (terms.gated() > 0) {
      jobs.loadGated(terms.gated());
    }
  }

  /** Those that are blocked stay. */
  @Override
  public String clearing() {
    return (terms.gated() > 0 ? "VACUUM " : "TRUNCATE ") + table();
  }

  /** Settings are of a queue's name, which subjects share. */
  @Override
  public void fill(int count) {
    try (PostgresHoldfast opened = jobs.open()) {
      Jobs door = opened.jobs();
      door.queues().configure(JobQueueConfig.of(BenchJobs.QUEUE).keepDone(terms.keepDone()));
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
    for (int i = 0; i < terms.places().workers(); i++) {
      workers.add(worker(opened, calls));
    }
  }

  private JobWorker worker(PostgresHoldfast opened, Countdown calls) {
    Places places = terms.places();
    return opened
        .jobs()
        .worker()
        .queue(BenchJobs.QUEUE)
        .action(BenchJobs.TYPE, byte[].class, (payload, context) -> calls.call())
        .concurrency(places.concurrency() / places.workers())
        .prefetch(places.prefetch() / places.workers())
        .start();
  }

  @Override
  public long awaitHandled() throws InterruptedException {
    return Objects.requireNonNull(countdown).await();
  }

  @Override
  public void stop() {
    workers.forEach(JobWorker::close);
    workers.clear();
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
