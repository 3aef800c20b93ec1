package io.holdfast.testkit.job;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.job.Effects;
import io.holdfast.job.JobError;
import io.holdfast.job.JobRow;
import io.holdfast.job.JobService;
import io.holdfast.job.JobSpec;
import io.holdfast.job.JobState;
import io.holdfast.job.LeasedJob;
import io.holdfast.job.Reserved;
import io.holdfast.lease.StoreCall;
import io.holdfast.testkit.Guarantee;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Wishes for jobs that wait until there is one. */
@SuppressWarnings("NullAway.Init") // the fields are set before each test
public abstract class JobWaitContract extends JobSuite {
  private static final Duration LONG = Duration.ofHours(1);

  private WatchedBackend backend;
  private JobService waiter;

  @BeforeEach
  void openWaiter() {
    backend = new WatchedBackend(subject.process());
    waiter = over(backend, OPTIONS);
  }

  private CompletableFuture<Reserved> parked() {
    return parked(LONG);
  }

  /** A wish that found nothing and waits, for so much of manual time. */
  private CompletableFuture<Reserved> parked(Duration wait) {
    int before = backend.wishes();
    CompletableFuture<Reserved> future = waiter.reserveAsync(request(1), wait);
    eventually(() -> backend.wishes() > before);
    // Looks come one after the other: when another one begins, everything about the first is done.
    int first = backend.wishes();
    waiter.spread(new Effects(Set.of(), Set.of(QUEUE)));
    eventually(() -> backend.answers() > first);
    assertThat(future).as("there was nothing to run").isNotDone();
    return future;
  }

  /** The jobs that come without any further move of the clock. */
  private List<LeasedJob> arrived(CompletableFuture<Reserved> future) {
    eventually(
        () -> {
          duties();
          return future.isDone();
        });
    return now(future).jobs();
  }

  @Test
  @Guarantee("J40")
  void what_is_there_comes_at_once() {
    enqueue("a");

    assertThat(texts(now(waiter.reserveAsync(request(1), LONG)).jobs())).containsExactly("a");
    assertThat(now(waiter.reserveAsync(request(1), Duration.ZERO)).jobs()).isEmpty();
  }

  @Test
  @Guarantee("J40")
  void a_wish_waits_for_a_job_of_the_same_process() {
    CompletableFuture<Reserved> future = parked();

    waiter.enqueue(draft("a"));

    assertThat(texts(arrived(future))).containsExactly("a");
  }

  @Test
  @Guarantee("J40")
  void a_wish_waits_for_a_job_of_another_process() {
    CompletableFuture<Reserved> future = parked();

    enqueue("a");

    assertThat(texts(arrived(future))).containsExactly("a");
  }

  @Test
  @Guarantee("J40")
  void a_job_that_nobody_told_about_is_found_within_a_second() {
    CompletableFuture<Reserved> future = parked();
    JobRow row = new JobRow("id-1", QUEUE, JobSpec.NO_KEYS, draft("a"));
    subject.process().store().enqueue(List.of(row), StoreCall.plain());

    pass(Duration.ofSeconds(1));

    assertThat(texts(arrived(future))).containsExactly("a");
  }

  @Test
  @Guarantee({"J20", "J40"})
  void a_wish_waits_for_a_due_time() {
    enqueue(draft("a").runIn(Duration.ofMillis(100)));
    CompletableFuture<Reserved> future = parked();
    pass(Duration.ofMillis(99));
    assertThat(future).isNotDone();

    pass(Duration.ofMillis(2));

    assertThat(texts(arrived(future))).containsExactly("a");
  }

  @Test
  @Guarantee({"J26", "J40"})
  void a_wish_waits_for_the_end_of_a_lease() {
    LeasedJob job = leased();
    extend(job.held(), Duration.ofMillis(100));
    CompletableFuture<Reserved> future = parked();

    pass(Duration.ofMillis(101));

    List<LeasedJob> got = arrived(future);
    assertThat(got).extracting(LeasedJob::id).containsExactly(job.id());
    assertThat(got.get(0).fence()).isEqualTo(2);
  }

  @Test
  @Guarantee({"J39", "J40"})
  void a_wish_waits_for_the_end_of_a_pause() {
    jobs.queues().pause(QUEUE);
    enqueue("a");
    CompletableFuture<Reserved> future = parked();

    waiter.queues().resume(QUEUE);

    assertThat(texts(arrived(future))).containsExactly("a");
  }

  @Test
  @Guarantee("J40")
  void a_job_that_came_back_is_given_to_who_waits() {
    LeasedJob job = leased();
    CompletableFuture<Reserved> future = parked();

    waiter.release(job.held(), null);

    assertThat(arrived(future)).extracting(LeasedJob::id).containsExactly(job.id());
  }

  @Test
  @Guarantee("J40")
  void a_wish_ends_with_its_time() {
    CompletableFuture<Reserved> future = parked(Duration.ofSeconds(5));
    for (int second = 0; second < 4; second++) {
      pass(Duration.ofSeconds(1));
    }
    assertThat(future).isNotDone();

    pass(Duration.ofSeconds(1));

    assertThat(arrived(future)).isEmpty();
    String id = enqueue("a").get(0);
    assertThat(state(id)).isEqualTo(JobState.READY);
  }

  @Test
  @Guarantee("J24")
  void a_wish_that_was_called_off_takes_nothing() {
    CompletableFuture<Reserved> future = parked();
    future.cancel(true);

    waiter.enqueue(draft("a"));
    pass(Duration.ofSeconds(2));

    assertThat(reserve().fence()).isEqualTo(1);
  }

  @Test
  @Guarantee({"J24", "J31"})
  void what_comes_too_late_goes_back_to_its_place() {
    enqueue("a", "b");
    CountDownLatch gate = backend.holdAnswers();
    CompletableFuture<Reserved> future = waiter.reserveAsync(request(1), LONG);
    eventually(() -> backend.answers() == 1);
    future.cancel(true);
    assertThat(texts(reserve(1))).containsExactly("b");

    gate.countDown();

    eventually(() -> !texts(reserve(1)).isEmpty());
  }

  @Test
  @Guarantee("J4")
  void closing_ends_the_waiting() {
    CompletableFuture<Reserved> future = parked();

    waiter.close();

    failing(JobError.STORE_CLOSED, () -> now(future));
  }

  @Test
  @Guarantee("J2")
  void a_wish_cannot_wait_for_less_than_nothing() {
    failing(
        JobError.INVALID_ARGUMENT,
        () -> now(waiter.reserveAsync(request(1), Duration.ofNanos(-1))));
  }
}
