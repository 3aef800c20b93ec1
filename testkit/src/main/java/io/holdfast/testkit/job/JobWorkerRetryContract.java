package io.holdfast.testkit.job;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.job.Backoff;
import io.holdfast.job.Job;
import io.holdfast.job.JobState;
import io.holdfast.job.JobWorker;
import io.holdfast.job.NewJob;
import io.holdfast.job.RetryPolicy;
import io.holdfast.job.Snooze;
import io.holdfast.job.Unrecoverable;
import io.holdfast.job.WorkerStats.Outcome;
import io.holdfast.testkit.Guarantee;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;

/** What becomes of a job whose handler fails. */
public abstract class JobWorkerRetryContract extends JobWorkerSuite {
  private static final RetryPolicy AT_ONCE = RetryPolicy.DEFAULT.backoff(Backoff.none());
  private static final RetryPolicy EXACT =
      RetryPolicy.DEFAULT.backoff(new Backoff(Duration.ofSeconds(1), 2, Duration.ofSeconds(10), 0));

  /** A worker whose handler always fails in this way. */
  private JobWorker failingWith(Throwable failure, RetryPolicy policy) {
    return worker()
        .retry(policy)
        .action(
            TYPE,
            String.class,
            (text, context) -> {
              ran.add(text + context.attempt());
              throwAny(failure);
            })
        .start();
  }

  @SuppressWarnings("unchecked")
  private static <T extends Throwable> void throwAny(Throwable failure) throws T {
    throw (T) failure;
  }

  @Test
  @Guarantee("W11")
  void a_failing_job_is_retried_with_growing_delays_and_dead_after_its_maximum() {
    String id = enqueue(draft("a").maxAttempts(6));
    JobWorker worker = failingWith(new IllegalStateException("no luck"), EXACT);

    for (long seconds : List.of(1L, 2L, 4L, 8L, 10L)) {
      run(worker);
      assertThat(state(id)).isEqualTo(JobState.SCHEDULED);
      assertThat(dueAt(id)).isEqualTo(instant().plusSeconds(seconds));
      assertThat(history(id).lastError()).isEqualTo("handler error: no luck");
      assertThat(history(id).failedAt()).isEqualTo(instant());
      time.advance(Duration.ofSeconds(seconds));
    }
    run(worker);

    assertThat(ran).containsExactly("a1", "a2", "a3", "a4", "a5", "a6");
    assertThat(state(id)).isEqualTo(JobState.DLQ);
    assertThat(history(id).attempts()).isEqualTo(6);
    assertThat(history(id).dead().reason()).isEqualTo("handler error: no luck");
    assertThat(end(id).outcome()).isEqualTo(Job.Outcome.FAILED);
    assertThat(ended(worker, Outcome.RETRIED)).isEqualTo(5);
    assertThat(ended(worker, Outcome.DEAD)).isEqualTo(1);
  }

  @Test
  @Guarantee("W11")
  void a_job_that_succeeds_in_the_end_is_done() {
    String id = enqueue(draft("a"));
    JobWorker worker =
        worker()
            .retry(AT_ONCE)
            .action(
                TYPE,
                String.class,
                (text, context) -> {
                  if (context.attempt() < 3) {
                    throw new IOException("not yet");
                  }
                })
            .start();

    run(worker);

    assertThat(state(id)).isEqualTo(JobState.DONE);
    assertThat(history(id).attempts()).isEqualTo(2);
    assertThat(history(id).lastError()).isEqualTo("handler error: not yet");
  }

  @Test
  @Guarantee("W12")
  void without_a_maximum_a_job_gets_twenty_five_attempts() {
    String id = enqueue(draft("a"));

    run(failingWith(new IllegalStateException("no"), AT_ONCE));

    assertThat(ran).hasSize(25);
    assertThat(state(id)).isEqualTo(JobState.DLQ);
  }

  @Test
  @Guarantee("W12")
  void the_jobs_own_maximum_is_not_lowered_by_the_policys() {
    enqueue(draft("a").maxAttempts(40));

    run(failingWith(new IllegalStateException("no"), AT_ONCE));

    assertThat(ran).hasSize(40);
  }

  @Test
  @Guarantee("W12")
  void a_cap_bounds_both_maxima() {
    enqueue(draft("a").maxAttempts(40));
    enqueue(draft("b"));

    run(failingWith(new IllegalStateException("no"), AT_ONCE.atMost(3)));

    assertThat(ran).hasSize(6);
  }

  @Test
  @Guarantee("W13")
  void unrecoverable_failures_die_at_once() {
    List<Throwable> failures =
        List.of(
            new Unrecoverable("hopeless"),
            new IllegalStateException("hopeless", new Unrecoverable("deep")),
            new CompletionException(new IOException(new Unrecoverable("deeper"))));
    for (Throwable failure : failures) {
      ran.clear();
      String id = enqueue(draft("a"));
      JobWorker worker = failingWith(failure, AT_ONCE);

      run(worker);

      assertThat(ran).containsExactly("a1");
      assertThat(state(id)).isEqualTo(JobState.DLQ);
      assertThat(history(id).attempts()).isEqualTo(1);
      worker.close();
    }
  }

  @Test
  @Guarantee("W13")
  void a_payload_that_cannot_be_read_dies_at_once() {
    String id = enqueue(draft().payload(new byte[] {(byte) 0xff}));

    run(recording().start());

    assertThat(ran).isEmpty();
    assertThat(state(id)).isEqualTo(JobState.DLQ);
    assertThat(history(id).lastError()).contains("payload");
  }

  @Test
  @Guarantee("W14")
  void the_most_specific_rule_wins() {
    RetryPolicy policy =
        EXACT
            .on(Exception.class, Backoff.fixed(Duration.ofSeconds(30)))
            .on(FileNotFoundException.class, Backoff.fixed(Duration.ofSeconds(20)), 2)
            .on(IOException.class, Backoff.fixed(Duration.ofSeconds(10)))
            .deadOn(NumberFormatException.class);

    assertThat(delayAfter(new FileNotFoundException(), policy)).hasSeconds(20);
    assertThat(delayAfter(new IOException(), policy)).hasSeconds(10);
    assertThat(delayAfter(new IllegalArgumentException(), policy)).hasSeconds(30);
    assertThat(delayAfter(new AssertionError(), policy)).hasSeconds(1);

    String id = enqueue(draft("a"));
    JobWorker worker = failingWith(new NumberFormatException(), policy);
    run(worker);
    assertThat(state(id)).isEqualTo(JobState.DLQ);
    worker.close();

    ran.clear();
    id = enqueue(draft("a"));
    worker = failingWith(new FileNotFoundException(), policy);
    run(worker);
    time.advance(Duration.ofSeconds(20));
    run(worker);
    assertThat(ran).containsExactly("a1", "a2");
    assertThat(state(id)).isEqualTo(JobState.DLQ);
  }

  private Duration delayAfter(Throwable failure, RetryPolicy policy) {
    String id = enqueue(draft("a"));
    JobWorker worker = failingWith(failure, policy);
    run(worker);
    Instant due = dueAt(id);
    worker.close();
    jobs.cancel(List.of(id));
    return Duration.between(instant(), due);
  }

  @Test
  @Guarantee("W15")
  void an_error_is_a_failure_of_its_job_only() {
    String id = enqueue(draft("a").maxAttempts(1));
    JobWorker worker = failingWith(new NoClassDefFoundError("gone"), EXACT);

    run(worker);

    assertThat(state(id)).isEqualTo(JobState.DLQ);
    assertThat(history(id).lastError()).isEqualTo("handler error: gone");
    enqueue(draft("b"));
    run(worker);
    assertThat(ran).containsExactly("a1", "b1");
  }

  @Test
  @Guarantee("W15")
  void a_failure_that_cannot_even_be_looked_at_is_one_of_its_job_only() {
    String id = enqueue(draft("a"));
    JobWorker worker = failingWith(new Evil(), EXACT);

    run(worker);

    assertThat(state(id)).isEqualTo(JobState.SCHEDULED);
    assertThat(history(id).attempts()).isEqualTo(1);
    assertThat(worker.stats().active()).isZero();
  }

  /** One whose message is a failure itself. */
  private static final class Evil extends RuntimeException {
    private static final long serialVersionUID = 1L;

    @Override
    public String getMessage() {
      throw new IllegalStateException("no message");
    }
  }

  @Test
  @Guarantee("W15")
  void an_output_that_cannot_be_written_is_left_out() {
    String id = enqueue(draft("a"));
    List<Object> circle = new ArrayList<>();
    circle.add(circle);
    JobWorker worker =
        worker()
            .codec(new OverflowingCodec())
            .handler(TYPE, String.class, (text, context) -> circle)
            .start();

    run(worker);

    assertThat(state(id)).isEqualTo(JobState.DONE);
    assertThat(end(id).output()).isNull();
  }

  @Test
  @Guarantee("W11")
  void a_snoozed_job_waits_and_nothing_counts() {
    String id = enqueue(draft("a").maxAttempts(1));
    JobWorker worker = failingWith(new Snooze(Duration.ofMinutes(7)), EXACT);

    for (int times = 1; times <= 30; times++) {
      run(worker);
      assertThat(state(id)).isEqualTo(JobState.SCHEDULED);
      assertThat(dueAt(id)).isEqualTo(instant().plus(Duration.ofMinutes(7)));
      assertThat(history(id).excused()).isEqualTo(times);
      time.advance(Duration.ofMinutes(7));
    }

    assertThat(history(id).attempts()).isZero();
    assertThat(ended(worker, Outcome.SNOOZED)).isEqualTo(30);
  }

  @Test
  @Guarantee("W11")
  void a_job_may_be_snoozed_for_ever() {
    String id = enqueue(draft("a"));

    run(failingWith(new Snooze(Duration.ofSeconds(Long.MAX_VALUE)), EXACT));

    assertThat(state(id)).isEqualTo(JobState.SCHEDULED);
    assertThat(dueAt(id)).isAfter(instant().plus(Duration.ofDays(36_500)));
  }

  @Test
  @Guarantee("W11")
  void an_error_is_stored_as_far_as_it_can_be() {
    String id = enqueue(draft("a"));
    String message = "\0 \ud800 " + "ü".repeat(10_000);

    run(failingWith(new IllegalStateException(message), EXACT));

    String stored = history(id).lastError();
    assertThat(stored).startsWith("handler error: \ufffd \ufffd üüü");
    assertThat(stored.getBytes(StandardCharsets.UTF_8).length).isBetween(8190, 8192);
  }

  @Test
  @Guarantee("W11")
  void a_failure_without_a_message_is_named_by_its_class() {
    String id = enqueue(draft("a"));

    run(failingWith(new IllegalStateException(), EXACT));

    assertThat(history(id).lastError()).isEqualTo("handler error: java.lang.IllegalStateException");
  }

  @Test
  @Guarantee("W19")
  void delays_are_repeatable_by_seed() {
    List<List<Duration>> delays = new ArrayList<>();
    for (long seed : List.of(7L, 7L, 8L)) {
      String id = enqueue(NewJob.of(TYPE).queue(QUEUE).payload("a"));
      JobWorker worker =
          failingWith(new IllegalStateException("no"), RetryPolicy.DEFAULT.seeded(seed));
      List<Duration> waits = new ArrayList<>();
      for (int i = 0; i < 5; i++) {
        run(worker);
        Duration wait = Duration.between(instant(), dueAt(id));
        waits.add(wait);
        time.advance(wait.plusMillis(1));
      }
      delays.add(waits);
      worker.close();
      jobs.cancel(List.of(id));
    }

    assertThat(delays.get(0)).isEqualTo(delays.get(1)).isNotEqualTo(delays.get(2));
  }
}
