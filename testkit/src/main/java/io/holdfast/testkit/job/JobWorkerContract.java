package io.holdfast.testkit.job;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.job.Job;
import io.holdfast.job.JobError;
import io.holdfast.job.JobHandler;
import io.holdfast.job.JobState;
import io.holdfast.job.JobWorker;
import io.holdfast.job.NewJob;
import io.holdfast.job.Settlement;
import io.holdfast.job.WorkerInfo;
import io.holdfast.job.WorkerStats.Outcome;
import io.holdfast.testkit.Guarantee;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A worker finds jobs, runs them, and tells who it is. */
public abstract class JobWorkerContract extends JobWorkerSuite {
  @Test
  @Guarantee("W1")
  void a_worker_runs_a_job() {
    String id = enqueue(draft("a"));
    JobWorker worker = recording().start();

    run(worker);

    assertThat(ran).containsExactly("a");
    assertThat(state(id)).isEqualTo(JobState.DONE);
    assertThat(end(id).outcome()).isEqualTo(Job.Outcome.SUCCEEDED);
    assertThat(history(id).deliveries()).isEqualTo(1);
  }

  @Test
  @Guarantee("W1")
  void jobs_run_oldest_first() {
    enqueue("a", "b", "c");

    run(recording().concurrency(1).start());

    assertThat(ran).containsExactly("a", "b", "c");
  }

  @Test
  @Guarantee("W1")
  void jobs_of_other_queues_are_left_alone() {
    String id = enqueue(draft("a").queue("other"));

    run(recording().start());

    assertThat(ran).isEmpty();
    assertThat(state(id)).isEqualTo(JobState.READY);
  }

  @Test
  @Guarantee("W1")
  void each_type_has_its_handler_and_the_one_named_last_counts() {
    JobWorker worker =
        worker()
            .action("one", String.class, (text, context) -> ran.add("never"))
            .action("one", String.class, (text, context) -> ran.add("one " + text))
            .action("two", String.class, (text, context) -> ran.add("two " + text))
            .start();
    enqueue(NewJob.of("two").queue(QUEUE).payload("a"));
    enqueue(NewJob.of("one").queue(QUEUE).payload("b"));

    run(worker);

    assertThat(ran).containsExactly("two a", "one b");
  }

  @Test
  @Guarantee("W1")
  void a_worker_without_queues_serves_the_default_one() {
    enqueue(NewJob.of(TYPE).payload("a"));
    JobWorker worker =
        home.worker().action(TYPE, String.class, (text, context) -> ran.add(text)).start();

    run(worker);

    assertThat(ran).containsExactly("a");
  }

  @Test
  @Guarantee("W1")
  void a_run_may_go_on_after_its_handler_returned() {
    String id = enqueue(draft("a"));
    JobWorker worker = patient().concurrency(1).start();

    run(worker);
    assertThat(state(id)).isEqualTo(JobState.INFLIGHT);
    assertThat(worker.stats().active()).isEqualTo(1);
    pending.end("a", "result");
    run(worker);

    assertThat(state(id)).isEqualTo(JobState.DONE);
    assertThat(end(id).output()).asString().isEqualTo("result");
    assertThat(worker.stats().active()).isZero();
  }

  @Test
  @Guarantee("W1")
  void an_idle_worker_asks_once_per_poll_and_when_something_becomes_due() {
    store.silence();
    recording().poll(Duration.ofSeconds(10)).start();
    duties();
    assertThat(store.count("reserve")).isEqualTo(1);

    pass(Duration.ofSeconds(8));
    assertThat(store.count("reserve")).isEqualTo(1);
    pass(Duration.ofSeconds(3));
    assertThat(store.count("reserve")).isEqualTo(2);

    enqueue(draft("a").runIn(Duration.ofSeconds(14)));
    pass(Duration.ofSeconds(11));
    assertThat(store.count("reserve")).isEqualTo(3);
    pass(Duration.ofMillis(3_001));

    assertThat(store.count("reserve")).isEqualTo(4);
    assertThat(count(JobState.INFLIGHT)).isEqualTo(1);
  }

  @Test
  @Guarantee("W1")
  void a_hint_ends_the_wait_for_the_next_poll() {
    recording().poll(Duration.ofSeconds(10)).start();
    duties();

    enqueue("a");

    soon(() -> count(JobState.INFLIGHT) == 1);
  }

  @Test
  @Guarantee("W1")
  void a_job_that_is_enqueued_with_a_past_due_time_is_found_at_once() {
    JobWorker worker = recording().start();
    run(worker);

    enqueue(draft("late").runAt(instant().minus(Duration.ofHours(1))));
    run(worker);

    assertThat(ran).containsExactly("late");
  }

  @Test
  @Guarantee("W10")
  void a_job_of_an_unknown_type_is_parked_and_run_by_a_worker_that_knows_it() {
    String id = enqueue(NewJob.of("new").queue(QUEUE).payload("a"));
    JobWorker old = recording().start();

    run(old);

    assertThat(state(id)).isEqualTo(JobState.SCHEDULED);
    assertThat(history(id).attempts()).isZero();
    assertThat(history(id).excused()).isEqualTo(1);
    assertThat(ended(old, Outcome.PARKED)).isEqualTo(1);

    old.close();
    time.advance(Duration.ofSeconds(6));
    run(worker().action("new", String.class, (text, context) -> ran.add(text)).start());

    assertThat(ran).containsExactly("a");
    assertThat(state(id)).isEqualTo(JobState.DONE);
  }

  @Test
  @Guarantee("W10")
  void a_parked_job_waits_longer_each_time_up_to_five_minutes_and_never_dies() {
    String id = enqueue(NewJob.of("new").queue(QUEUE));
    JobWorker worker = recording().start();

    for (int times = 0; times < 30; times++) {
      run(worker);
      Instant due = dueAt(id);
      double seconds = Math.min(300, 5 * Math.pow(2, times));
      assertThat(Duration.between(instant(), due).toMillis() / 1000.0)
          .as("the wait after %s times", times)
          .isBetween(seconds * 0.8 - 0.001, Math.min(300, seconds * 1.2));
      time.advance(Duration.ofMinutes(5));
    }

    assertThat(state(id)).isEqualTo(JobState.READY);
    assertThat(history(id).deliveries()).isEqualTo(30);
  }

  @Test
  @Guarantee("W23")
  void a_worker_shows_itself_every_ten_seconds() {
    JobWorker worker =
        recording().queue("other").action("b", String.class, (p, c) -> {}).concurrency(7).start();
    duties();
    Instant started = instant();

    WorkerInfo shown = jobs.queues().workers().get(0);
    assertThat(shown.id()).isEqualTo(worker.id()).matches(".+-\\d+-[0-9a-f]{8}");
    assertThat(shown.queues()).containsExactly(QUEUE, "other");
    assertThat(shown.types()).containsExactly("b", TYPE);
    assertThat(shown.slots()).isEqualTo(7);

    pass(Duration.ofSeconds(10));
    shown = jobs.queues().workers().get(0);
    assertThat(shown.seenAt()).isEqualTo(started.plusSeconds(10));
    assertThat(shown.startedAt()).isEqualTo(started);
  }

  @Test
  @Guarantee("W23")
  void the_owner_of_a_lease_is_its_worker() {
    String id = enqueue(draft("a"));
    JobWorker worker = patient().start();

    run(worker);

    String token = pending.context("a").held().token();
    assertThat(lease(id).owner()).isEqualTo(worker.id() + "#" + token.substring(0, 8));
  }

  @Test
  @Guarantee("W23")
  void figures_tell_what_a_worker_does_and_has_done() {
    JobWorker worker = patient().concurrency(2).prefetch(2).start();
    enqueue("a", "b", "c");

    run(worker);
    assertThat(worker.stats().active()).isEqualTo(2);
    assertThat(worker.stats().buffered()).isEqualTo(1);
    assertThat(worker.stats().slots()).isEqualTo(2);

    pending.end("a");
    pending.fail("b", new IllegalStateException("no"));
    run(worker);
    assertThat(ended(worker, Outcome.SUCCEEDED)).isEqualTo(1);
    assertThat(ended(worker, Outcome.RETRIED)).isEqualTo(1);
    assertThat(worker.stats().active()).isEqualTo(1);
    assertThat(worker.stats().buffered()).isZero();
  }

  @Test
  @Guarantee("W1")
  @SuppressWarnings("NullAway") // it is what a careless caller does
  void a_worker_that_cannot_work_is_refused() {
    JobHandler<String> none = null;
    failing(JobError.INVALID_ARGUMENT, () -> worker().start());
    failing(JobError.INVALID_ARGUMENT, () -> worker().handler(" ", String.class, (p, c) -> p));
    failing(JobError.INVALID_ARGUMENT, () -> worker().handler(TYPE, String.class, none));
    failing(JobError.INVALID_ARGUMENT, () -> worker().action(TYPE, String.class, null));
    failing(JobError.INVALID_ARGUMENT, () -> worker().async(TYPE, String.class, null));
    failing(JobError.INVALID_ARGUMENT, () -> worker().handler(TYPE, null, (p, c) -> p));
    failing(JobError.QUEUE_REQUIRED, () -> worker().queue(" "));
    failing(JobError.INVALID_ARGUMENT, () -> worker().queue("q", 0));
    failing(JobError.INVALID_ARGUMENT, () -> worker().queue("q", 1001));
    failing(JobError.INVALID_ARGUMENT, () -> worker().concurrency(0));
    failing(JobError.INVALID_ARGUMENT, () -> worker().prefetch(-1));
    failing(JobError.INVALID_LEASE_DURATION, () -> worker().lease(Duration.ZERO));
    failing(JobError.INVALID_LEASE_DURATION, () -> worker().lease(Duration.ofMillis(99)));
    failing(JobError.INVALID_ARGUMENT, () -> worker().poll(Duration.ZERO));
    failing(JobError.INVALID_ARGUMENT, () -> worker().timeout(TYPE, Duration.ofSeconds(-1)));
    failing(JobError.INVALID_ARGUMENT, () -> worker().timeoutGrace(Duration.ofSeconds(-1)));
    failing(JobError.INVALID_ARGUMENT, () -> worker().stopTimeout(Duration.ofSeconds(-1)));
    failing(JobError.INVALID_ARGUMENT, () -> worker().retry(null));
    failing(JobError.INVALID_ARGUMENT, () -> worker().codec(null));
    failing(JobError.INVALID_ARGUMENT, () -> worker().middleware(null));
  }

  @Test
  @Guarantee("W1")
  void a_closed_service_starts_no_worker() {
    JobWorker.Builder builder = recording();
    home.close();

    failing(JobError.STORE_CLOSED, builder::start);
  }

  @Test
  @Guarantee("W2")
  void a_run_is_settled_once() {
    enqueue("a");
    JobWorker worker = recording().start();

    run(worker);
    duties();
    pass(Duration.ofMinutes(2));

    List<?> sent =
        store.calls("settle").stream().flatMap(call -> ((List<?>) call.get(0)).stream()).toList();
    assertThat(sent).hasSize(1).first().isInstanceOf(Settlement.Ack.class);
  }
}
