package io.holdfast.testkit.job;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.job.Job;
import io.holdfast.job.JobService;
import io.holdfast.job.JobState;
import io.holdfast.job.JobWorker;
import io.holdfast.job.RetryPolicy;
import io.holdfast.job.WorkerStats;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/**
 * What suites of workers start from: one process for them, behind a store that can be made to fail.
 * They run only when a test steps them; {@link JobThreadedSuite} has those with threads.
 */
@SuppressWarnings("NullAway.Init") // the fields are set before each test
public abstract class JobWorkerSuite extends JobSuite {
  private static final int MOST_STEPS = 10_000;

  final PendingHandler pending = new PendingHandler();
  protected final List<String> ran = new CopyOnWriteArrayList<>();
  protected FaultyJobStore store;

  private final List<FaultyJobStore> stores = new CopyOnWriteArrayList<>();

  /** The process of the workers. */
  protected JobService home;

  @BeforeEach
  void openHome() {
    store = faulty();
    home = openHome(store);
  }

  /** The store as one more process sees it, that can be made to fail. */
  protected FaultyJobStore faulty() {
    FaultyJobStore made = new FaultyJobStore(subject.process());
    stores.add(made);
    return made;
  }

  /** The process over this store. */
  protected JobService openHome(FaultyJobStore behind) {
    return over(behind, OPTIONS.withDuties(false));
  }

  @AfterEach
  void endRuns() {
    stores.forEach(FaultyJobStore::heal);
    pending.endAll();
  }

  /** A worker of {@link #QUEUE} without handlers so far; its delays are repeatable. */
  protected JobWorker.Builder worker() {
    return home.worker().queue(QUEUE).lease(LEASE).retry(RetryPolicy.DEFAULT.seeded(1));
  }

  /** One whose handler keeps the texts of what it ran. */
  protected JobWorker.Builder recording() {
    return worker().action(TYPE, String.class, (text, context) -> ran.add(text));
  }

  /** One whose runs end when the test says so. */
  JobWorker.Builder patient() {
    return worker().async(TYPE, String.class, pending);
  }

  /** Steps a worker until it has nothing to do. */
  protected static void run(JobWorker worker) {
    int steps = 0;
    while (worker.step() > 0) {
      assertThat(steps++).as("a worker comes to an end").isLessThan(MOST_STEPS);
    }
  }

  /** Steps duties, without any move of the clock, until hints have come that bring this about. */
  protected void soon(BooleanSupplier condition) {
    eventually(
        () -> {
          duties();
          return condition.getAsBoolean();
        });
  }

  /** What was settled leaves: while others run it waits two milliseconds for company. */
  protected void post() {
    pass(Duration.ofMillis(2));
  }

  /** Who holds a job, and until when; somebody must. */
  protected Job.Lease lease(String id) {
    return Objects.requireNonNull(jobs.inspect(id).lease(), "nobody runs it");
  }

  /** When a job is due; it must have a due time. */
  protected Instant dueAt(String id) {
    return Objects.requireNonNull(jobs.inspect(id).spec().runAt(), "it has no due time");
  }

  protected int count(JobState state) {
    return jobs.queues().stats(QUEUE).counts().get(state).count();
  }

  protected static long ended(JobWorker worker, WorkerStats.Outcome outcome) {
    return worker.stats().outcomes().entrySet().stream()
        .filter(entry -> entry.getKey().outcome() == outcome)
        .mapToLong(entry -> entry.getValue())
        .sum();
  }
}
