package io.holdfast.testkit.job;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.job.JobContext.EndReason;
import io.holdfast.job.JobService;
import io.holdfast.job.JobState;
import io.holdfast.job.JobWorker;
import io.holdfast.job.WorkerStats.Outcome;
import io.holdfast.lease.Background;
import io.holdfast.testkit.Guarantee;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** How workers stop. */
public abstract class JobWorkerStopContract extends JobThreadedSuite {
  private static final Duration LONG = Duration.ofMinutes(10);

  private final BlockingHandler stubborn = new BlockingHandler();

  @AfterEach
  void openStubborn() {
    stubborn.openAll();
  }

  /** On the manual clock a second's starts are not forgotten: what is leased ahead is certain. */
  @Override
  protected JobService openHome(FaultyJobStore behind) {
    return over(behind, THREADED);
  }

  /** Stops a worker on another thread, and waits until that waits. */
  private static Thread stopping(JobWorker worker, Duration timeout) {
    return doing(() -> worker.stop(timeout));
  }

  private static Thread doing(Runnable action) {
    Thread thread = Background.daemon("job-stop", action);
    thread.start();
    eventually(
        () ->
            switch (thread.getState()) {
              case BLOCKED, WAITING, TIMED_WAITING, TERMINATED -> true;
              default -> false;
            });
    return thread;
  }

  private static void over(Thread thread) {
    eventually(() -> !thread.isAlive());
  }

  /** A worker with a run that goes on, and two jobs that wait behind it. */
  private JobWorker withTwoWaiting() {
    return withTwoWaiting(QUEUE);
  }

  private JobWorker withTwoWaiting(String queue) {
    JobWorker worker =
        home.worker()
            .queue(queue)
            .handler(TYPE, String.class, blocking)
            .concurrency(1)
            .prefetch(2)
            .stopTimeout(LONG)
            .start();
    for (int i = 1; i <= 2; i++) {
      blocking.open("warm");
      awaitState(enqueue(draft("warm").queue(queue)), JobState.DONE);
    }
    jobs.enqueue(
        Stream.of("running " + queue, "one", "two").map(t -> draft(t).queue(queue)).toList());
    awaitBegun("running " + queue);
    eventually(() -> worker.stats().buffered() == 2);
    return worker;
  }

  private int ready(String queue) {
    return jobs.queues().stats(queue).counts().get(JobState.READY).count();
  }

  @Test
  @Guarantee("W7")
  void stop_waits_for_what_runs() {
    String id = enqueue(draft("a"));
    JobWorker worker = blocked().start();
    awaitBegun("a");

    Thread stop = stopping(worker, LONG);
    enqueue("b");
    assertThat(stop.isAlive()).isTrue();
    assertThat(state(id)).isEqualTo(JobState.INFLIGHT);
    blocking.open("a");
    over(stop);

    assertThat(state(id)).isEqualTo(JobState.DONE);
    assertThat(blocking.begun()).containsExactly("a");
    assertThat(blocking.interrupted()).isEmpty();
  }

  @Test
  @Guarantee("W7")
  void at_the_deadline_stop_interrupts_and_releases() {
    String id = enqueue(draft("a"));
    JobWorker worker = blocked().start();
    awaitBegun("a");

    over(stopping(worker, Duration.ofMillis(50)));

    assertThat(blocking.interrupted()).containsExactly("a");
    assertThat(blocking.context("a").endReason()).contains(EndReason.SHUTDOWN);
    assertThat(state(id)).isEqualTo(JobState.READY);
    assertThat(history(id).attempts()).isZero();
    assertThat(history(id).excused()).isEqualTo(1);
    assertThat(ended(worker, Outcome.RELEASED)).isEqualTo(1);
  }

  @Test
  @Guarantee("W7")
  void what_ends_well_after_the_interrupt_is_done() {
    blocking.obedient();
    String id = enqueue(draft("a"));
    JobWorker worker = blocked().start();
    awaitBegun("a");

    over(stopping(worker, Duration.ZERO));

    assertThat(state(id)).isEqualTo(JobState.DONE);
    assertThat(end(id).output()).asString().isEqualTo("a");
  }

  @Test
  @Guarantee("W7")
  void runs_without_threads_are_waited_for_too() {
    List<String> ids = enqueue("a", "b");
    JobWorker worker = patient().start();
    eventually(() -> pending.begun().size() == 2);

    Thread stop = stopping(worker, Duration.ofMillis(20));
    eventually(() -> pending.context("b").endReason().isPresent());
    pending.end("a");
    pending.fail("b", new IllegalStateException());
    over(stop);

    assertThat(state(ids.get(0))).isEqualTo(JobState.DONE);
    assertThat(state(ids.get(1))).isEqualTo(JobState.READY);
  }

  @Test
  @Guarantee("W7")
  void a_later_shorter_deadline_wins() {
    enqueue("a");
    JobWorker worker = blocked().start();
    awaitBegun("a");

    Thread patiently = stopping(worker, LONG);
    Thread hurriedly = stopping(worker, Duration.ZERO);

    over(hurriedly);
    over(patiently);
    assertThat(blocking.interrupted()).containsExactly("a");
  }

  @Test
  @Guarantee("W7")
  void stopping_again_does_nothing() {
    JobWorker worker = blocked().start();

    worker.stop(LONG);
    worker.stop(Duration.ZERO);
    worker.close();
    enqueue("a");

    assertThat(worker.step()).isZero();
    assertThat(count(JobState.READY)).isEqualTo(1);
  }

  @Test
  @Guarantee("W7")
  void closing_the_service_stops_its_workers() {
    JobWorker worker = withTwoWaiting();

    Thread close = doing(home::close);
    eventually(() -> count(JobState.READY) == 2);
    assertThat(close.isAlive()).isTrue();
    blocking.open("running " + QUEUE);
    over(close);

    assertThat(count(JobState.DONE)).isEqualTo(3);
    assertThat(worker.stats().active()).isZero();
  }

  @Test
  @Guarantee("W8")
  void closing_the_service_stops_all_its_workers_at_the_same_time() {
    withTwoWaiting();
    withTwoWaiting("other");

    Thread close = doing(home::close);
    eventually(() -> ready(QUEUE) == 2 && ready("other") == 2);
    assertThat(close.isAlive()).isTrue();
    blocking.openAll();

    over(close);
  }

  @Test
  @Guarantee("W8")
  void stop_returns_unstarted_jobs_at_once() {
    JobWorker worker = withTwoWaiting();

    Thread stop = stopping(worker, LONG);
    eventually(() -> count(JobState.READY) == 2);
    assertThat(stop.isAlive()).isTrue();
    assertThat(reserve(5)).as("others can have them").hasSize(2);
    blocking.open("running " + QUEUE);
    over(stop);

    assertThat(blocking.begun()).containsExactly("warm", "warm", "running " + QUEUE);
    assertThat(count(JobState.DONE)).isEqualTo(3);
  }

  @Test
  @Guarantee("W8")
  void what_is_on_its_way_when_a_worker_stops_goes_back_unstarted() {
    Halt halt = store.haltNext("reserve", true);
    enqueue("a", "b");
    JobWorker worker = recording().start();
    halt.awaitReached();
    assertThat(count(JobState.INFLIGHT)).isEqualTo(2);

    Thread stop = stopping(worker, LONG);
    halt.open();
    over(stop);

    assertThat(ran).isEmpty();
    assertThat(count(JobState.READY)).isEqualTo(2);
  }

  @Test
  @Guarantee("W9")
  void stop_flushes_every_settle() {
    enqueue(numbered(100));
    JobWorker worker = recording().concurrency(4).start();
    eventually(() -> ran.size() > 20);

    worker.stop(LONG);

    assertThat(count(JobState.DONE)).isEqualTo(ran.size());
    assertThat(count(JobState.INFLIGHT)).isZero();
  }

  @Test
  @Guarantee("W9")
  void stop_flushes_although_the_store_fails_for_a_while() {
    String id = enqueue(draft("a"));
    JobWorker worker = blocked().start();
    awaitBegun("a");
    store.fail("settle", 3);
    blocking.open("a");

    worker.stop(LONG);

    assertThat(state(id)).isEqualTo(JobState.DONE);
  }

  @Test
  @Guarantee("W9")
  void stop_on_an_interrupted_thread_flushes_all_the_same() {
    String id = enqueue(draft("a"));
    JobWorker worker = blocked().start();
    awaitBegun("a");
    store.fail("settle", 1);
    blocking.open("a");
    eventually(() -> worker.stats().active() == 0);

    Thread.currentThread().interrupt();
    worker.stop(LONG);

    assertThat(Thread.interrupted()).as("the interrupt is not swallowed").isTrue();
    assertThat(state(id)).isEqualTo(JobState.DONE);
  }

  @Test
  @Guarantee("W7")
  void who_is_interrupted_while_it_stops_a_worker_waits_no_longer() {
    String id = enqueue(draft("a"));
    JobWorker worker = blocked().start();
    awaitBegun("a");

    Thread.currentThread().interrupt();
    worker.stop(LONG);

    assertThat(Thread.interrupted()).isTrue();
    eventually(() -> blocking.interrupted().contains("a"));
    assertThat(state(id)).isIn(JobState.READY, JobState.INFLIGHT);
  }

  @Test
  @Guarantee({"W7", "W8", "W9", "JF17"})
  void a_stop_with_full_hands_loses_nothing() {
    List<String> ids = enqueue("stuck", "finished", "running");
    JobWorker worker =
        worker()
            .handler(
                TYPE,
                String.class,
                (text, context) -> {
                  if (text.equals("stuck")) {
                    stubborn.run(text, context);
                  }
                  return blocking.run(text, context);
                })
            .concurrency(3)
            .prefetch(3)
            .start();
    eventually(() -> stubborn.begun().contains("stuck"));
    awaitBegun("finished");
    awaitBegun("running");
    List<String> waiting = enqueue("w1", "w2", "w3");
    eventually(() -> worker.stats().buffered() == 3);
    stubborn.stubborn();

    store.fail("settle", 1);
    blocking.open("finished");
    over(stopping(worker, Duration.ofMillis(50)));

    assertThat(state(ids.get(0))).as("stuck: left to expire").isEqualTo(JobState.INFLIGHT);
    assertThat(state(ids.get(1))).as("just finished").isEqualTo(JobState.DONE);
    assertThat(state(ids.get(2))).as("running: released").isEqualTo(JobState.READY);
    waiting.forEach(id -> assertThat(state(id)).as("buffered").isEqualTo(JobState.READY));
    assertThat(history(ids.get(0)).excused()).isZero();

    stubborn.open("stuck");
    blocking.open("stuck");
    time.advance(LEASE);
    home = openHome(faulty());
    recording().start();
    eventually(() -> count(JobState.DONE) == 6);
    assertThat(ran).containsExactlyInAnyOrder("stuck", "running", "w1", "w2", "w3");
  }
}
