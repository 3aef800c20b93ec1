package io.holdfast.testkit.job;

import io.holdfast.job.Job;
import io.holdfast.job.JobOptions;
import io.holdfast.job.JobPage;
import io.holdfast.job.JobQuery;
import io.holdfast.job.JobQueueInfo;
import io.holdfast.job.JobService;
import io.holdfast.job.JobState;
import io.holdfast.job.JobWorker;
import io.holdfast.job.Jobs;
import io.holdfast.job.Middleware;
import io.holdfast.job.RetryPolicy;
import io.holdfast.job.Schedule;
import io.holdfast.memory.MemoryStore;
import io.holdfast.testkit.ManualTime;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Jobs for tests of code that enqueues and handles them: no threads, no sleeping, and a clock that
 * only moves when told to. <em>Inline</em>, a job runs inside its enqueue, with its retries in
 * virtual time. <em>Manual</em>, jobs wait until the test runs them. Used by one thread.
 */
public final class JobsTest implements AutoCloseable {
  private static final long SEED = 1;
  private static final int MOST_STEPS = 1_000_000;
  private static final Duration LEASE = Duration.ofSeconds(30);

  private final JobService service;
  private final ManualTime time;
  private final Jobs door;
  private final boolean isInline;
  private @Nullable JobWorker worker;
  private @Nullable Mishap mishap;
  private boolean isRunning;

  /** What is to happen to the next run. */
  private enum Mishap {
    CRASH,
    LOSS
  }

  private JobsTest(Jobs jobs, ManualTime time, boolean isInline) {
    if (!(jobs instanceof JobService stepped) || !stepped.options().isStepped()) {
      throw new IllegalArgumentException("jobs of a test must be stepped: JobOptions.stepped()");
    }
    this.service = stepped;
    this.time = time;
    this.isInline = isInline;
    this.door = isInline ? new InlineJobs(service, this::runInline) : service;
    if (isInline) {
      service.afterSpread(this::drain); // work of a transaction runs after its commit
    }
  }

  /** Jobs in memory that run inside their enqueue. */
  public static JobsTest inline() {
    ManualTime time = new ManualTime();
    return inline(inMemory(time), time);
  }

  /** The same over another store: stepped jobs on {@code time}. */
  public static JobsTest inline(Jobs jobs, ManualTime time) {
    return new JobsTest(jobs, time, true);
  }

  /** Jobs in memory that run when the test says so. */
  public static JobsTest manual() {
    ManualTime time = new ManualTime();
    return manual(inMemory(time), time);
  }

  /** The same over another store: stepped jobs on {@code time}. */
  public static JobsTest manual(Jobs jobs, ManualTime time) {
    return new JobsTest(jobs, time, false);
  }

  private static JobService inMemory(ManualTime time) {
    return JobService.over(new MemoryStore(time).jobs(), JobOptions.DEFAULTS.stepped());
  }

  /** Describes the worker: its queues and handlers. Its retries are repeatable. */
  public JobsTest worker(Consumer<JobWorker.Builder> description) {
    if (worker != null) {
      worker.close();
    }
    JobWorker.Builder builder =
        service
            .worker()
            .concurrency(1)
            .prefetch(0)
            .lease(LEASE)
            .retry(RetryPolicy.DEFAULT.seeded(SEED))
            .middleware((context, next) -> around(next));
    description.accept(builder);
    worker = builder.start();
    return this;
  }

  /** What the code under test gets. */
  public Jobs jobs() {
    return door;
  }

  /** The virtual clock. */
  public Instant now() {
    return Instant.ofEpochMilli(time.nowMs());
  }

  /** Runs the next job that is due; false when there is none. */
  public boolean runNext() {
    JobWorker own = worker;
    if (own == null) {
      throw new IllegalStateException("describe a worker first: JobsTest.worker(..)");
    }
    boolean wasRunning = isRunning;
    isRunning = true;
    try {
      return own.step() > 0;
    } finally {
      isRunning = wasRunning;
    }
  }

  /** Runs jobs until none is due; answers how many that were. */
  public int drain() {
    if (isRunning || worker == null) {
      return 0; // enqueued by a handler: it runs when that has ended
    }
    int runs = 0;
    while (runNext()) {
      bounded(++runs);
    }
    return runs;
  }

  /**
   * Moves the clock on. On the way schedules fire, leases expire and jobs become due, each at its
   * moment and in order, and what is due runs.
   */
  public void advance(Duration by) {
    long untilMs = time.nowMs() + by.toMillis();
    int steps = 0;
    happen();
    while (time.nowMs() < untilMs) {
      long nextMs = Math.min(untilMs, nextMoment().map(JobsTest::ceilMs).orElse(untilMs));
      time.advanceMs(Math.max(1, nextMs - time.nowMs()));
      happen();
      bounded(++steps);
    }
  }

  private void happen() {
    service.runDuty(Jobs.DutyName.TICK);
    service.runDuty(Jobs.DutyName.SWEEP);
    service.step();
    drain();
  }

  private static void bounded(int count) {
    if (count > MOST_STEPS) {
      throw new AssertionError("it does not come to an end");
    }
  }

  private static long ceilMs(Instant at) {
    return at.toEpochMilli() + (at.getNano() % 1_000_000 == 0 ? 0 : 1);
  }

  /** The next slot, due time or expiry after now. */
  private Optional<Instant> nextMoment() {
    List<Instant> moments = new ArrayList<>();
    service.schedules().list().stream()
        .filter(Schedule::isEnabled)
        .forEach(schedule -> moments.add(schedule.nextAt()));
    for (JobQueueInfo queue : service.queues().list()) {
      first(queue, JobState.SCHEDULED).map(job -> job.spec().runAt()).ifPresent(moments::add);
      all(JobQuery.of(queue.queue()).state(JobState.GATED)).stream()
          .map(job -> Optional.ofNullable(job.spec().runAt()))
          .forEach(at -> at.ifPresent(moments::add));
      first(queue, JobState.INFLIGHT)
          .flatMap(job -> Optional.ofNullable(job.lease()))
          .ifPresent(lease -> moments.add(lease.expiresAt()));
    }
    return moments.stream().filter(at -> at.isAfter(now())).min(Comparator.naturalOrder());
  }

  private Optional<Job> first(JobQueueInfo queue, JobState state) {
    return service.list(JobQuery.of(queue.queue()).state(state).limit(1)).jobs().stream()
        .findFirst();
  }

  /** Runs what an enqueue made, retries included, until it is finished or waits for its time. */
  private void runInline(List<String> ids) {
    drain();
    if (isRunning || worker == null) {
      return;
    }
    for (String id : ids) {
      Job job = service.inspect(id, false);
      while (job.state() == JobState.SCHEDULED && job.history().attempts() > 0) {
        Instant due = job.spec().runAt();
        time.advanceMs(due == null ? 1 : Math.max(1, ceilMs(due) - time.nowMs()));
        drain();
        job = service.inspect(id, false);
      }
    }
  }

  /** The next run's handler ends, and then its process is gone: the job comes again later. */
  public void crashAfterHandler() {
    mishap = Mishap.CRASH;
  }

  /** The next run loses its lease before its handler begins to work. */
  public void loseLease() {
    mishap = Mishap.LOSS;
  }

  private @Nullable Object around(Middleware.Next next) throws Exception {
    Mishap now = mishap;
    mishap = null;
    if (now == Mishap.LOSS) {
      leaseEnds();
    }
    Object result = next.run();
    if (now == Mishap.CRASH) {
      leaseEnds();
    }
    return result;
  }

  private void leaseEnds() {
    time.advance(LEASE);
    service.step();
  }

  /** Fails unless a job of this type that matches is stored, whatever its state. */
  public void assertEnqueued(String type, Predicate<Job> matcher) {
    if (enqueued(type).stream().noneMatch(matcher)) {
      throw new AssertionError("no such job of type '" + type + "' among " + enqueued(type));
    }
  }

  /** Fails if a job of this type that matches is stored. */
  public void refuteEnqueued(String type, Predicate<Job> matcher) {
    List<Job> found = enqueued(type).stream().filter(matcher).toList();
    if (!found.isEmpty()) {
      throw new AssertionError("there are jobs of type '" + type + "': " + found);
    }
  }

  /** The stored jobs of a type, with their payloads. */
  public List<Job> enqueued(String type) {
    List<Job> found = new ArrayList<>();
    for (JobQueueInfo queue : service.queues().list()) {
      all(JobQuery.of(queue.queue()).type(type))
          .forEach(job -> found.add(service.inspect(job.id())));
    }
    return found;
  }

  private List<Job> all(JobQuery query) {
    List<Job> jobs = new ArrayList<>();
    JobPage page = service.list(query);
    jobs.addAll(page.jobs());
    while (page.nextCursor() != null) {
      page = service.list(query.after(page.nextCursor()));
      jobs.addAll(page.jobs());
    }
    return jobs;
  }

  @Override
  public void close() {
    if (worker != null) {
      worker.close();
    }
    service.close();
  }
}
