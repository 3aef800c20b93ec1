package io.holdfast.testkit.job;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.job.Backoff;
import io.holdfast.job.JobState;
import io.holdfast.job.JobWorker;
import io.holdfast.job.RetryPolicy;
import io.holdfast.job.WorkerStats.Outcome;
import io.holdfast.testkit.Guarantee;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Workers with threads of their own. */
public abstract class JobWorkerThreadsContract extends JobThreadedSuite {
  private static final RetryPolicy AT_ONCE = RetryPolicy.DEFAULT.backoff(Backoff.none());
  private static final Duration SHORT = Duration.ofSeconds(2);

  @Test
  @Guarantee("W1")
  void an_idle_worker_runs_what_another_process_enqueues() {
    recording().start();
    eventually(() -> store.count("reserve") > 0);

    for (int i = 1; i <= 20; i++) {
      int number = i;
      enqueue("j" + i);
      eventually(() -> ran.size() == number);
    }

    eventually(() -> count(JobState.DONE) == 20);
  }

  @Test
  @Guarantee("W1")
  void workers_share_jobs_and_run_each_once() {
    Map<String, AtomicInteger> runs = new ConcurrentHashMap<>();
    for (int i = 0; i < 3; i++) {
      home = openHome(faulty());
      worker()
          .action(
              TYPE,
              String.class,
              (text, context) ->
                  runs.computeIfAbsent(text, t -> new AtomicInteger()).incrementAndGet())
          .concurrency(3)
          .start();
    }

    enqueue(numbered(300));

    eventually(() -> count(JobState.DONE) == 300);
    assertThat(runs).hasSize(300);
    assertThat(runs.values()).allMatch(count -> count.get() == 1);
  }

  @Test
  @Guarantee("W1")
  void acks_travel_in_batches_and_with_the_next_reserve() {
    enqueue(numbered(400));

    JobWorker worker = recording().concurrency(8).start();
    eventually(() -> ended(worker, Outcome.SUCCEEDED) == 400);

    assertThat(store.count("settle")).isLessThan(400);
    assertThat(store.calls("settle")).as("some of them also reserve").anyMatch(c -> c.size() == 3);
    assertThat(count(JobState.DONE)).isEqualTo(400);
  }

  @Test
  @Guarantee("W2")
  void never_are_more_jobs_leased_than_there_are_places_for() {
    enqueue(numbered(300));
    AtomicInteger most = new AtomicInteger();
    AtomicInteger active = new AtomicInteger();
    AtomicInteger mostActive = new AtomicInteger();
    worker()
        .action(
            TYPE,
            String.class,
            (text, context) -> {
              mostActive.accumulateAndGet(active.incrementAndGet(), Math::max);
              most.accumulateAndGet(count(JobState.INFLIGHT), Math::max);
              active.decrementAndGet();
            })
        .concurrency(3)
        .prefetch(2)
        .start();

    eventually(() -> count(JobState.DONE) == 300);

    assertThat(mostActive.get()).isLessThanOrEqualTo(3);
    // what has ended and waits to be settled is leased, but has no place any more
    assertThat(most.get()).isLessThanOrEqualTo(3 + 2 + 5);
  }

  @Test
  @Guarantee("W6")
  void a_store_that_was_away_finds_everything_going_on() {
    List<String> ids = enqueue("a", "b", "c");
    JobWorker worker = blocked().concurrency(2).start();
    awaitBegun("a");
    awaitBegun("b");

    store.cutOff();
    blocking.open("a");
    int settles = store.count("settle");
    eventually(() -> store.count("settle") > settles + 1);
    assertThat(state(ids.get(0))).isEqualTo(JobState.INFLIGHT);
    store.heal();
    awaitState(ids.get(0), JobState.DONE);
    awaitBegun("c");
    blocking.open("b");
    blocking.open("c");

    awaitState(ids.get(1), JobState.DONE);
    awaitState(ids.get(2), JobState.DONE);
    eventually(() -> ended(worker, Outcome.SUCCEEDED) == 3);
    assertThat(blocking.interrupted()).isEmpty();
  }

  @Test
  @Guarantee("W6")
  void lost_answers_lose_and_repeat_nothing() {
    enqueue(numbered(200));
    JobWorker worker = recording().retry(AT_ONCE).concurrency(4).start();
    for (int i = 0; i < 4; i++) {
      store.loseNext("reserve");
      store.loseNext("settle");
    }

    eventually(() -> count(JobState.READY) == 0);
    int asked = store.count("reserve");
    eventually(() -> store.count("reserve") > asked + 1);
    eventually(() -> worker.stats().active() + worker.stats().buffered() == 0);
    eventually(() -> ended(worker, Outcome.SUCCEEDED) == ran.size());
    time.advance(LEASE); // for the leases that were granted without an answer
    eventually(() -> count(JobState.DONE) == 200);

    assertThat(ran).doesNotHaveDuplicates().hasSize(200);
    assertThat(worker.stats().refusals()).isEmpty();
  }

  @Test
  @Guarantee("W26")
  void what_is_on_its_way_when_a_worker_is_paused_does_not_start() {
    Halt halt = store.haltNext("reserve", true);
    enqueue("a");
    JobWorker worker = recording().start();
    halt.awaitReached();

    worker.pause();
    halt.open();
    eventually(() -> count(JobState.READY) == 1);

    assertThat(ran).isEmpty();
    worker.resume();
    eventually(() -> count(JobState.DONE) == 1);
  }

  @Test
  @Guarantee("W27")
  void heartbeats_do_not_grow_with_the_number_of_jobs() {
    enqueue(numbered(20));
    JobWorker worker = patient().concurrency(20).lease(SHORT).start();
    eventually(() -> pending.begun().size() == 20);

    int beats = store.count("beat");
    long beganNanos = System.nanoTime();
    eventually(() -> store.count("beat") >= beats + 4);
    Duration took = Duration.ofNanos(System.nanoTime() - beganNanos);

    assertThat(took).isGreaterThanOrEqualTo(SHORT.dividedBy(3).multipliedBy(2));
    assertThat(worker.stats().active()).isEqualTo(20);
    pending.endAll();
    eventually(() -> count(JobState.DONE) == 20);
  }

  @Test
  @Guarantee("W1")
  void runs_that_hold_no_thread_keep_their_places() {
    enqueue(numbered(6));
    JobWorker worker = patient().concurrency(2).prefetch(0).start();
    eventually(() -> pending.begun().size() == 2);

    for (int i = 1; i <= 6; i++) {
      pending.end("j" + i);
      int begun = Math.min(6, i + 2);
      eventually(() -> pending.begun().size() == begun);
      assertThat(worker.stats().active()).isLessThanOrEqualTo(2);
    }

    eventually(() -> count(JobState.DONE) == 6);
  }

  @Test
  @Guarantee("W15")
  void an_error_costs_no_thread() {
    enqueue(numbered(50));
    JobWorker worker =
        worker()
            .retry(AT_ONCE.maxAttempts(2))
            .codec(new OverflowingCodec())
            .handler(
                TYPE,
                String.class,
                (text, context) -> {
                  if (context.attempt() == 1) {
                    throw new StackOverflowError();
                  }
                  return text;
                })
            .concurrency(2)
            .start();

    eventually(() -> count(JobState.DONE) == 50);

    assertThat(ended(worker, Outcome.RETRIED)).isEqualTo(50);
  }
}
