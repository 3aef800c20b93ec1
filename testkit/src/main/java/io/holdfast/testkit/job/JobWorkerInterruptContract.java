package io.holdfast.testkit.job;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.job.Backoff;
import io.holdfast.job.JobContext.EndReason;
import io.holdfast.job.JobState;
import io.holdfast.job.JobWorker;
import io.holdfast.job.LeasedJob;
import io.holdfast.job.RetryPolicy;
import io.holdfast.job.WorkerStats.Outcome;
import io.holdfast.testkit.Guarantee;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

/** What ends a run early also interrupts its thread. */
public abstract class JobWorkerInterruptContract extends JobThreadedSuite {
  private static final RetryPolicy AT_ONCE = RetryPolicy.DEFAULT.backoff(Backoff.none());
  private static final Duration SHORT = Duration.ofSeconds(2);

  @Test
  @Guarantee("W5")
  void losing_the_lease_interrupts_the_handler() {
    String id = enqueue(draft("a"));
    JobWorker worker = blocked().lease(SHORT).concurrency(1).prefetch(0).start();
    awaitBegun("a");

    time.advance(SHORT);
    LeasedJob taken = reserve();
    eventually(() -> blocking.interrupted().contains("a"));
    eventually(() -> worker.stats().active() == 0);

    assertThat(blocking.context("a").endReason()).contains(EndReason.LEASE_LOST);
    assertThat(ended(worker, Outcome.LOST)).isEqualTo(1);
    assertThat(history(id).attempts()).isZero();
    jobs.ack(taken.held());
  }

  @Test
  @Guarantee({"W5", "JF6"})
  void when_heartbeats_fail_for_too_long_the_handler_is_interrupted() {
    enqueue("a");
    blocked().lease(SHORT).start();
    awaitBegun("a");

    store.cutOff();

    eventually(() -> blocking.interrupted().contains("a"));
    assertThat(blocking.context("a").endReason()).contains(EndReason.LEASE_LOST);
  }

  @Test
  @Guarantee("W5")
  void a_callback_that_blocks_delays_no_heartbeat() {
    List<String> ids = enqueue("a", "b");
    CountDownLatch never = new CountDownLatch(1);
    CountDownLatch called = new CountDownLatch(1);
    blocked().lease(SHORT).concurrency(2).start();
    awaitBegun("a");
    awaitBegun("b");
    blocking
        .context("a")
        .cancellation()
        .onCancel(
            () -> {
              called.countDown();
              awaitQuietly(never);
            });

    jobs.cancel(ids.subList(0, 1));
    awaitQuietly(called);
    int beats = store.count("beat");
    eventually(() -> store.count("beat") > beats + 3);

    assertThat(blocking.context("b").endReason()).isEmpty();
    never.countDown();
  }

  private static void awaitQuietly(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Test
  @Guarantee("W5")
  void an_interrupt_does_not_reach_the_next_job() {
    enqueue(numbered(40));
    List<String> hurt = new CopyOnWriteArrayList<>();
    worker()
        .action(
            TYPE,
            String.class,
            (text, context) -> {
              if (Thread.currentThread().isInterrupted()) {
                hurt.add(text);
              }
              ran.add(text);
              Thread.currentThread().interrupt();
            })
        .concurrency(2)
        .start();

    eventually(() -> count(JobState.DONE) == 40);

    assertThat(hurt).isEmpty();
    assertThat(ran).hasSize(40);
  }

  @Test
  @Guarantee("W16")
  void a_timeout_interrupts_the_handler() {
    String id = enqueue(draft("a").maxAttempts(1));
    blocked().timeout(TYPE, Duration.ofMillis(50)).start();

    eventually(() -> blocking.interrupted().contains("a"));
    awaitState(id, JobState.DLQ);

    assertThat(blocking.context("a").endReason()).contains(EndReason.TIMEOUT);
    assertThat(history(id).lastError()).isEqualTo("timeout after PT0.05S");
  }

  @Test
  @Guarantee("W18")
  void a_stuck_handler_keeps_its_thread_and_the_others_go_on() {
    blocking.stubborn();
    String id = enqueue(draft("a"));
    JobWorker worker =
        blocked()
            .retry(RetryPolicy.DEFAULT.backoff(Backoff.fixed(Duration.ofHours(1))))
            .concurrency(2)
            .timeout(TYPE, Duration.ofMillis(20))
            .timeoutGrace(Duration.ofMillis(20))
            .start();

    awaitState(id, JobState.SCHEDULED);
    assertThat(worker.stats().stuck()).isEqualTo(1);
    assertThat(worker.stats().active()).isEqualTo(1);
    blocking.open("b");
    String other = enqueue(draft("b").timeout(Duration.ofMinutes(1)));
    awaitState(other, JobState.DONE);
    blocking.open("a");
    eventually(() -> worker.stats().active() == 0);

    assertThat(worker.stats().stuck()).isZero();
    assertThat(state(id)).isEqualTo(JobState.SCHEDULED);
  }

  @Test
  @Guarantee("W18")
  void however_closely_an_end_and_a_timeout_meet_each_job_is_settled_once() {
    JobWorker worker =
        worker()
            .retry(AT_ONCE.maxAttempts(1))
            .action(TYPE, String.class, (text, context) -> spin(Integer.parseInt(text)))
            .timeout(TYPE, Duration.ofMillis(1))
            .timeoutGrace(Duration.ofMillis(1))
            .concurrency(4)
            .start();
    for (int i = 0; i < 200; i++) {
      enqueue(Integer.toString(1_000 + i * 10));
    }

    eventually(() -> count(JobState.DONE) + count(JobState.DLQ) == 200);
    eventually(() -> worker.stats().active() == 0);

    assertThat(worker.stats().stuck()).isZero();
    assertThat(worker.stats().refusals()).isEmpty();
    eventually(() -> ended(worker, Outcome.SUCCEEDED) + ended(worker, Outcome.DEAD) == 200);
  }

  private static void spin(int micros) {
    long until = System.nanoTime() + micros * 1_000L;
    while (System.nanoTime() - until < 0) {
      Thread.onSpinWait();
    }
  }

  @Test
  @Guarantee("W24")
  void a_cancel_request_interrupts_the_handler() {
    String id = enqueue(draft("a"));
    blocked().start();
    awaitBegun("a");

    jobs.cancel(List.of(id));

    awaitState(id, JobState.CANCELLED);
    assertThat(blocking.interrupted()).containsExactly("a");
    assertThat(blocking.context("a").endReason()).contains(EndReason.CANCELLED);
  }

  @Test
  @Guarantee("W24")
  void a_cancel_request_interrupts_once() {
    blocking.stubborn();
    String id = enqueue(draft("a"));
    blocked().lease(SHORT).start();
    awaitBegun("a");

    jobs.cancel(List.of(id));
    eventually(() -> !blocking.interrupted().isEmpty());
    int beats = store.count("beat");
    eventually(() -> store.count("beat") > beats + 2);
    blocking.open("a");

    awaitState(id, JobState.DONE);
    assertThat(blocking.interrupted()).containsExactly("a");
  }
}
