package io.holdfast.testkit.job;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.job.JobContext.EndReason;
import io.holdfast.job.JobError;
import io.holdfast.job.JobQuery;
import io.holdfast.job.JobState;
import io.holdfast.job.JobStore;
import io.holdfast.job.JobWorker;
import io.holdfast.job.LeasedJob;
import io.holdfast.job.WorkerStats.Outcome;
import io.holdfast.testkit.Guarantee;
import io.holdfast.testkit.ManualTime;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** A worker keeps its leases alive, and nobody works on one that is lost. */
public abstract class JobWorkerLeaseContract extends JobWorkerSuite {
  private static final Duration BEAT = LEASE.dividedBy(3);
  private static final Duration TRUST = LEASE.minusSeconds(1);

  /** A worker with one run that goes on, and one job that waits behind it. */
  private JobWorker withOneWaiting() {
    JobWorker worker =
        patient()
            .action("quick", String.class, (text, context) -> ran.add(text))
            .concurrency(1)
            .prefetch(1)
            .start();
    enqueue(draft("first"));
    run(worker);
    enqueue("waiting");
    run(worker);
    assertThat(worker.stats().buffered()).isEqualTo(1);
    return worker;
  }

  private String waiting() {
    return jobs.list(JobQuery.of(QUEUE).state(JobState.INFLIGHT)).jobs().stream()
        .map(job -> jobs.inspect(job.id()))
        .filter(job -> text(job).equals("waiting"))
        .findFirst()
        .orElseThrow()
        .id();
  }

  @Test
  @Guarantee("W3")
  void a_job_that_waits_for_its_place_stays_leased() {
    withOneWaiting();
    String id = waiting();

    pass(BEAT);

    assertThat(lease(id).expiresAt()).isEqualTo(instant().plus(LEASE));
    assertThat(history(id).deliveries()).isEqualTo(1);
  }

  @Test
  @Guarantee("W3")
  void a_job_that_has_waited_for_half_its_lease_goes_back_to_its_place() {
    JobWorker worker = withOneWaiting();
    String id = waiting();

    pass(BEAT);
    assertThat(worker.stats().buffered()).isEqualTo(1);
    pass(BEAT);
    post();

    assertThat(worker.stats().buffered()).isZero();
    assertThat(state(id)).isEqualTo(JobState.READY);
    assertThat(history(id).excused()).isEqualTo(1);
    assertThat(pending.begun()).containsExactly("first");
  }

  @Test
  @Guarantee("W4")
  void no_handler_starts_on_a_lease_that_was_lost() {
    JobWorker worker = withOneWaiting();
    String id = waiting();
    time.advance(LEASE);
    List<LeasedJob> taken = reserve(2);
    assertThat(taken).extracting(LeasedJob::id).contains(id);

    pending.end("first");
    run(worker);

    assertThat(pending.begun()).containsExactly("first");
    assertThat(history(id).deliveries()).isEqualTo(2);
    taken.forEach(job -> jobs.ack(job.held()));
  }

  @Test
  @Guarantee("W4")
  void a_lease_that_is_about_to_end_is_made_longer_before_the_handler_starts() {
    JobWorker worker = withOneWaiting();
    String id = waiting();

    time.advance(Duration.ofSeconds(27));
    pending.end("first");
    run(worker);

    assertThat(pending.begun()).containsExactly("first", "waiting");
    assertThat(store.count("extend")).isEqualTo(1);
    assertThat(lease(id).expiresAt()).isEqualTo(instant().plus(LEASE));
  }

  @Test
  @Guarantee("W4")
  void no_handler_starts_when_its_lease_cannot_be_made_longer() {
    JobWorker worker = withOneWaiting();
    String id = waiting();
    store.fail("extend", 1);

    time.advance(Duration.ofSeconds(27));
    pending.end("first");
    worker.step();

    assertThat(pending.begun()).containsExactly("first");
    assertThat(state(id)).as("it went back").isEqualTo(JobState.READY);
    run(worker);
    assertThat(pending.begun()).containsExactly("first", "waiting");
  }

  @Test
  @Guarantee("W4")
  void a_lease_that_is_lost_while_it_is_made_longer_starts_no_handler() {
    JobWorker worker = withOneWaiting();
    Halt halt = store.haltNext("extend", true);
    time.advance(Duration.ofSeconds(28));
    pending.end("first");

    CompletableFuture<Void> step = CompletableFuture.runAsync(worker::step, crew);
    halt.awaitReached();
    pass(Duration.ofSeconds(2));
    halt.open();
    now(step);

    assertThat(pending.begun()).containsExactly("first");
    assertThat(worker.stats().active()).isZero();
  }

  @Test
  @Guarantee("W4")
  void a_lease_that_took_too_long_to_be_made_longer_starts_no_handler() {
    JobWorker worker = withOneWaiting();
    Halt halt = store.haltNext("extend", true);
    time.advance(Duration.ofSeconds(28));
    pending.end("first");

    CompletableFuture<Void> step = CompletableFuture.runAsync(worker::step, crew);
    halt.awaitReached();
    time.advance(LEASE);
    halt.open();
    now(step);

    assertThat(pending.begun()).containsExactly("first");
    assertThat(worker.stats().active()).isZero();
  }

  @Test
  @Guarantee("W5")
  void losing_the_lease_cancels_the_run_and_discards_its_result() {
    String id = enqueue(draft("a"));
    JobWorker worker = patient().start();
    run(worker);
    time.advance(LEASE);
    LeasedJob taken = reserve();

    duties();
    assertThat(pending.context("a").endReason()).contains(EndReason.LEASE_LOST);
    assertThat(pending.context("a").cancellation().isCancelled()).isTrue();
    int settled = store.count("settle");
    pending.end("a", "too late");
    run(worker);

    assertThat(store.count("settle")).isEqualTo(settled);
    assertThat(ended(worker, Outcome.LOST)).isEqualTo(1);
    assertThat(worker.stats().active()).isZero();
    jobs.ack(taken.held());
    assertThat(end(id).output()).isNull();
  }

  @Test
  @Guarantee("W5")
  void a_run_is_told_before_its_lease_ends() {
    enqueue("a");
    JobWorker worker = patient().start();
    run(worker);
    store.fail("beat", 1_000);

    pass(TRUST.minusMillis(1));
    assertThat(pending.context("a").endReason()).isEmpty();
    pass(Duration.ofMillis(1));

    assertThat(pending.context("a").endReason()).contains(EndReason.LEASE_LOST);
    assertThat(reserve(1)).as("nobody else can have it yet").isEmpty();
    assertThat(worker.stats().active()).as("its place is taken until it ends").isEqualTo(1);
  }

  @Test
  @Guarantee("W5")
  void a_renewal_that_comes_too_late_does_not_bring_a_run_back() {
    enqueue("a");
    run(patient().start());
    Halt halt = store.haltNext("beat", true);

    time.advance(Duration.ofSeconds(28));
    crew.execute(home::step);
    halt.awaitReached();
    time.advance(Duration.ofSeconds(1));
    duties();
    halt.open();

    assertThat(pending.context("a").endReason()).contains(EndReason.LEASE_LOST);
  }

  @Test
  @Guarantee("W5")
  void a_callback_that_fails_hurts_no_other_run() {
    enqueue("a", "b");
    JobWorker worker = patient().start();
    run(worker);
    for (String text : List.of("a", "b")) {
      pending.context(text).cancellation().onCancel(() -> fail("the callback of " + text));
    }

    time.advance(LEASE);
    duties();

    assertThat(pending.context("a").endReason()).contains(EndReason.LEASE_LOST);
    assertThat(pending.context("b").endReason()).contains(EndReason.LEASE_LOST);
    assertThat(ran).containsExactlyInAnyOrder("the callback of a", "the callback of b");
  }

  private void fail(String text) {
    ran.add(text);
    throw new IllegalStateException(text);
  }

  @Test
  @Guarantee("W27")
  void one_heartbeat_statement_serves_all_jobs() {
    List<String> ids = enqueue(numbered(50));
    run(patient().concurrency(50).prefetch(0).start());
    int before = store.count("beat");

    for (int beats = 1; beats <= 5; beats++) {
      pass(BEAT);
      assertThat(store.count("beat")).isEqualTo(before + beats);
      ids.forEach(id -> assertThat(lease(id).expiresAt()).isEqualTo(instant().plus(LEASE)));
    }

    assertThat(store.count("extend")).isZero();
    assertThat(pending.begun()).hasSize(50);
  }

  @Test
  @Guarantee("W27")
  void a_heartbeat_renews_a_thousand_jobs_at_most() {
    enqueue(numbered(1_100));
    run(patient().concurrency(1_100).prefetch(0).start());
    int before = store.count("beat");

    pass(BEAT);

    List<Integer> renewed =
        store.calls("beat").stream()
            .skip(before)
            .map(call -> ((JobStore.Heartbeat) call.get(0)).held().size())
            .toList();
    assertThat(renewed).containsExactly(1_000, 100);
  }

  @Test
  @Guarantee("W27")
  void an_idle_worker_only_shows_itself() {
    patient().lease(Duration.ofSeconds(3)).start();
    duties();
    int before = store.count("beat");

    for (int i = 0; i < 10; i++) {
      pass(Duration.ofSeconds(1));
    }

    assertThat(store.count("beat")).isEqualTo(before + 1);
  }

  @Test
  @Guarantee("JF6")
  void after_a_long_stop_a_run_is_cancelled_and_its_result_refused() {
    String id = enqueue(draft("a"));
    JobWorker worker =
        worker()
            .handler(
                TYPE,
                String.class,
                (text, context) -> {
                  if (context.fence() == 1) {
                    time.advance(LEASE); // the whole process stands still meanwhile
                  }
                  ran.add(text + context.fence());
                  return "output of " + context.fence();
                })
            .start();

    worker.step();
    assertThat(state(id)).isEqualTo(JobState.INFLIGHT);
    assertThat(worker.stats().refusals()).containsEntry(JobError.LEASE_EXPIRED, 1L);
    run(worker);

    assertThat(ran).containsExactly("a1", "a2");
    assertThat(end(id).output()).asString().isEqualTo("output of 2");
    assertThat(history(id).attempts()).isZero();
  }

  @Test
  @Guarantee("JF6")
  void after_a_long_stop_the_result_of_a_job_that_was_taken_over_is_refused() {
    String id = enqueue(draft("a"));
    JobWorker worker =
        worker()
            .handler(
                TYPE,
                String.class,
                (text, context) -> {
                  time.advance(LEASE);
                  jobs.ack(reserve().held());
                  return "too late";
                })
            .start();

    run(worker);

    assertThat(worker.stats().refusals()).containsEntry(JobError.JOB_NOT_INFLIGHT, 1L);
    assertThat(end(id).output()).isNull();
    assertThat(history(id).deliveries()).isEqualTo(2);
  }

  @Test
  @Guarantee("JF16")
  void a_process_whose_clock_is_off_by_an_hour_changes_neither_leases_nor_due_times() {
    for (long hours : List.of(-1L, 1L)) {
      ManualTime own = new ManualTime();
      own.stepDatabase(Duration.ofHours(hours).toMillis());
      own.advance(Duration.ofHours(5 * hours + 5));
      FaultyJobStore elsewhere = faulty();
      elsewhere.ticking(own);
      home = openHome(elsewhere);
      JobWorker worker = patient().start();
      String text = "later" + hours;
      String id = home.enqueue(draft(text).runIn(Duration.ofMinutes(1))).id();

      bothAdvance(own, Duration.ofSeconds(59));
      run(worker);
      assertThat(state(id)).isEqualTo(JobState.SCHEDULED);
      bothAdvance(own, Duration.ofSeconds(1));
      run(worker);
      for (int beats = 0; beats < 10; beats++) {
        assertThat(lease(id).expiresAt()).isEqualTo(instant().plus(LEASE));
        bothAdvance(own, BEAT);
        duties();
      }
      assertThat(pending.context(text).endReason()).isEmpty();
      pending.end(text);
      run(worker);

      assertThat(state(id)).isEqualTo(JobState.DONE);
      assertThat(end(id).finishedAt()).isEqualTo(instant());
    }
  }

  private void bothAdvance(ManualTime own, Duration by) {
    own.advance(by);
    time.advance(by);
  }

  @Test
  @Guarantee("JF16")
  void when_the_stores_clock_jumps_ahead_the_lost_runs_are_cancelled() {
    String id = enqueue(draft("a"));
    JobWorker worker = patient().start();
    run(worker);

    time.stepDatabase(Duration.ofHours(1).toMillis());
    pass(BEAT);

    assertThat(pending.context("a").endReason()).contains(EndReason.LEASE_LOST);
    pending.end("a");
    run(worker);
    assertThat(pending.begun()).containsExactly("a", "a");
    assertThat(history(id).deliveries()).isEqualTo(2);
  }
}
