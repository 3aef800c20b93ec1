package io.holdfast.testkit.job;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.job.Enqueued;
import io.holdfast.job.Extended;
import io.holdfast.job.Held;
import io.holdfast.job.Job;
import io.holdfast.job.JobBackend;
import io.holdfast.job.JobError;
import io.holdfast.job.JobException;
import io.holdfast.job.JobOptions;
import io.holdfast.job.JobPage;
import io.holdfast.job.JobQuery;
import io.holdfast.job.JobQueueConfig;
import io.holdfast.job.JobService;
import io.holdfast.job.JobState;
import io.holdfast.job.LeasedJob;
import io.holdfast.job.NewJob;
import io.holdfast.job.ReserveRequest;
import io.holdfast.job.Settled;
import io.holdfast.job.Settlement;
import io.holdfast.lease.Background;
import io.holdfast.testkit.ManualTime;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import org.assertj.core.api.Assertions;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;

/**
 * What every suite of jobs starts from: a fresh store on a manual clock, and jobs over it whose
 * duties run only when a test steps them.
 */
@Timeout(120)
@SuppressWarnings("NullAway.Init") // the fields are set before each test
public abstract class JobSuite {
  protected static final JobOptions OPTIONS = JobOptions.DEFAULTS.stepped();
  protected static final Duration LEASE = ReserveRequest.DEFAULT_LEASE;
  protected static final Duration MICRO = Duration.ofNanos(1_000);
  protected static final String QUEUE = "mail";
  protected static final String TYPE = "send";

  /** Waiting for what is on its way ends after so many seconds of real time. */
  private static final long PATIENCE = 60;

  private final List<JobService> opened = new CopyOnWriteArrayList<>();
  protected final ExecutorService crew = Background.tasks("job-suite");
  protected final ManualTime time = new ManualTime();
  protected JobSubject subject;
  protected JobService jobs;

  /** The store under test, fresh and empty, with {@code time} for its clock. */
  protected abstract JobSubject subject(ManualTime time);

  @BeforeEach
  void openJobs() {
    subject = subject(time);
    jobs = process();
  }

  @AfterEach
  void closeJobs() {
    Thread.interrupted();
    crew.shutdownNow();
    opened.forEach(JobService::close);
    subject.close();
  }

  /** Jobs as one more process has them. */
  protected JobService process() {
    return over(subject.process(), OPTIONS);
  }

  protected JobService over(JobBackend backend, JobOptions options) {
    JobService service = JobService.over(backend, options);
    opened.add(service);
    return service;
  }

  /** Steps the duties of all processes until none has anything to do. */
  protected void duties() {
    int rounds = 0;
    int done = 1;
    while (done > 0) {
      done = opened.stream().mapToInt(JobService::step).sum();
      assertThat(rounds++).as("duties come to an end").isLessThan(10_000);
    }
  }

  /** Moves the clock and lets the duties do what that made due. */
  protected void pass(Duration by) {
    time.advance(by);
    duties();
  }

  /** Changes a queue, and lets the second pass after which everybody knows. */
  protected void configure(JobQueueConfig config) {
    jobs.queues().configure(config);
    time.advance(Duration.ofSeconds(2));
  }

  /** The store's clock. */
  protected Instant instant() {
    return Instant.ofEpochMilli(time.nowMs());
  }

  /** A job of {@link #TYPE} for {@link #QUEUE}. */
  protected static NewJob draft() {
    return NewJob.of(TYPE).queue(QUEUE);
  }

  /** The same with a text to tell it by. */
  protected static NewJob draft(String text) {
    return draft().payload(text);
  }

  /** Stores a job that is not there yet; answers its id. */
  protected String enqueue(NewJob job) {
    Enqueued enqueued = jobs.enqueue(job);
    assertThat(enqueued.existed()).as("it was there").isFalse();
    return enqueued.id();
  }

  /** Stores jobs with these texts in {@link #QUEUE}, in one call; answers their ids. */
  protected List<String> enqueue(String... texts) {
    return jobs.enqueue(Arrays.stream(texts).map(JobSuite::draft).toList()).stream()
        .map(Enqueued::id)
        .toList();
  }

  /** A wish for jobs of {@link #QUEUE}. */
  protected static ReserveRequest request(int limit) {
    return ReserveRequest.of(QUEUE, limit);
  }

  /** Leases up to {@code limit} jobs of {@link #QUEUE} for {@link #LEASE}. */
  protected List<LeasedJob> reserve(int limit) {
    return jobs.reserve(request(limit)).jobs();
  }

  /** Leases the next job of {@link #QUEUE}, which must be there. */
  protected LeasedJob reserve() {
    List<LeasedJob> got = reserve(1);
    assertThat(got).as("there is a job to run").hasSize(1);
    return got.get(0);
  }

  /** A new job, leased. Nothing else may be ready in {@link #QUEUE}. */
  protected LeasedJob leased() {
    return leased(draft());
  }

  /** This job, enqueued and leased. Nothing else may be ready in {@link #QUEUE}. */
  protected LeasedJob leased(NewJob job) {
    String id = enqueue(job);
    LeasedJob got = reserve();
    assertThat(got.id()).isEqualTo(id);
    return got;
  }

  /** A new job that succeeded. */
  protected LeasedJob done() {
    LeasedJob job = leased();
    jobs.ack(job.held());
    return job;
  }

  /** A new job that was given up. */
  protected LeasedJob dead(String reason) {
    LeasedJob job = leased();
    jobs.fail(job.held(), reason);
    return job;
  }

  /** Settles one run, whether that is refused or not. */
  protected Settled settle(Settlement item) {
    List<Settled> settled = jobs.settle(List.of(item));
    assertThat(settled).extracting(Settled::id).containsExactly(item.held().id());
    return settled.get(0);
  }

  /** More time for one run, or why there is none. */
  protected Extended extend(Held held, Duration leaseFor) {
    List<Extended> extended = jobs.extend(List.of(held), leaseFor);
    assertThat(extended).extracting(Extended::id).containsExactly(held.id());
    return extended.get(0);
  }

  /** The same run under a token that nobody gave. */
  protected static Held stranger(LeasedJob job) {
    return new Held(job.id(), "0".repeat(32));
  }

  protected JobState state(String id) {
    return jobs.inspect(id).state();
  }

  protected Job.History history(String id) {
    return jobs.inspect(id).history();
  }

  /** How a job ended, which it must have. */
  protected Job.End end(String id) {
    return Objects.requireNonNull(history(id).end(), "it has not ended");
  }

  /** Runs {@code call} and checks that it leaves everything about the job as it was. */
  protected void unchanged(String id, ThrowingCallable call) {
    Job before = jobs.inspect(id);
    try {
      call.call();
    } catch (Throwable e) {
      throw new AssertionError("failed in an unexpected way", e);
    }
    same(jobs.inspect(id), before);
  }

  /** Two jobs are equal in everything, bytes included. */
  protected static void same(Job job, Job other) {
    assertThat(job).usingRecursiveComparison().isEqualTo(other);
  }

  /** How many jobs {@link #QUEUE} has, in whatever state. */
  protected int count() {
    return count(QUEUE);
  }

  protected int count(String queue) {
    int count = 0;
    String cursor = null;
    do {
      JobPage page = jobs.list(JobQuery.of(queue).limit(500).after(cursor));
      count += page.jobs().size();
      cursor = page.nextCursor();
    } while (cursor != null);
    return count;
  }

  /** How many jobs there are in all queues. */
  protected int stored() {
    return jobs.queues().list().stream().mapToInt(info -> count(info.queue())).sum();
  }

  protected static String text(Job job) {
    return new String(job.spec().payload(), StandardCharsets.UTF_8);
  }

  /** The texts of leased jobs, in their order. */
  protected static List<String> texts(List<LeasedJob> leased) {
    return leased.stream().map(one -> text(one.job())).toList();
  }

  /** So many texts that can be told apart. */
  protected static String[] numbered(int count) {
    return IntStream.rangeClosed(1, count).mapToObj(i -> "j" + i).toArray(String[]::new);
  }

  /** Does something in so many threads, all at once; answers what each brought. */
  protected <T> List<T> atOnce(int threads, IntFunction<Callable<T>> work) {
    CyclicBarrier start = new CyclicBarrier(threads);
    List<CompletableFuture<T>> futures = new ArrayList<>();
    for (int i = 0; i < threads; i++) {
      Callable<T> mine = work.apply(i);
      CompletableFuture<T> future = new CompletableFuture<>();
      futures.add(future);
      crew.execute(
          () -> {
            try {
              start.await();
              future.complete(mine.call());
            } catch (Throwable e) {
              future.completeExceptionally(e);
            }
          });
    }
    return futures.stream().map(JobSuite::now).toList();
  }

  /** Waits, in real time and without any move of the clock, for something that is on its way. */
  protected static void eventually(BooleanSupplier condition) {
    long until = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE);
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() - until > 0) {
        throw new AssertionError("it did not happen");
      }
      LockSupport.parkNanos(100_000);
    }
  }

  /** The result of something that is about to be done, without any move of the clock. */
  protected static <T> T now(CompletableFuture<T> future) {
    try {
      return future.get(PATIENCE, TimeUnit.SECONDS);
    } catch (ExecutionException e) {
      if (e.getCause() instanceof JobException failure) {
        throw failure;
      }
      throw new AssertionError("failed in an unexpected way", e);
    } catch (InterruptedException | TimeoutException e) {
      throw new AssertionError("not done", e);
    }
  }

  /** Runs {@code call}, which must fail in this way. */
  protected static JobException failing(JobError error, ThrowingCallable call) {
    Throwable thrown = Assertions.catchThrowable(call);
    assertThat(thrown).isInstanceOf(JobException.class);
    JobException failure = (JobException) thrown;
    assertThat(failure.error()).as(failure.getMessage()).isEqualTo(error);
    return failure;
  }
}
