package io.holdfast.testkit.job;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.job.JobError;
import io.holdfast.job.JobException;
import io.holdfast.job.JobState;
import io.holdfast.job.JobWorker;
import io.holdfast.job.WorkerStats.Outcome;
import io.holdfast.testkit.Guarantee;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What a worker does when the store fails, and what remains when the worker does. */
public abstract class JobWorkerFaultContract extends JobWorkerSuite {
  private static final Duration TICK = Duration.ofMillis(10);

  @Test
  @Guarantee("W6")
  void a_worker_waits_longer_after_each_failure_up_to_ten_seconds_and_never_gives_up() {
    int failures = 15;
    store.fail("reserve", failures);
    recording().start();
    duties();

    for (int failed = 1; failed <= failures; failed++) {
      long waited = 0;
      while (store.count("reserve") == failed) {
        pass(TICK);
        waited += TICK.toMillis();
      }
      double expected = Math.min(10_000, 100 * Math.pow(2, failed - 1));
      assertThat((double) waited)
          .as("the wait after failure %s", failed)
          .isBetween(expected * 0.8 - 10, Math.min(10_000, expected * 1.2) + 10);
    }
  }

  @Test
  @Guarantee("W6")
  void a_worker_goes_on_where_it_was_when_the_store_returns() {
    enqueue("a", "b");
    JobWorker worker = recording().start();
    store.fail("reserve", 2);

    run(worker);
    assertThat(ran).isEmpty();
    for (int i = 0; i < 2; i++) {
      time.advance(Duration.ofSeconds(1));
      run(worker);
    }

    assertThat(ran).containsExactly("a", "b");
    assertThat(count(JobState.DONE)).isEqualTo(2);
  }

  @Test
  @Guarantee("W6")
  void no_running_handler_is_abandoned_because_reserving_fails() {
    String id = enqueue(draft("a"));
    JobWorker worker = patient().start();
    run(worker);
    store.fail("reserve", 1_000);

    for (int i = 0; i < 12; i++) {
      pass(Duration.ofSeconds(10));
    }
    assertThat(pending.context("a").endReason()).isEmpty();
    pending.end("a");
    pass(Duration.ofSeconds(10));

    assertThat(state(id)).isEqualTo(JobState.DONE);
  }

  @Test
  @Guarantee("W6")
  void a_heartbeat_that_fails_is_repeated_in_time() {
    String id = enqueue(draft("a"));
    run(patient().start());
    store.fail("beat", 3);

    for (int i = 0; i < 40; i++) {
      pass(Duration.ofSeconds(1));
    }

    assertThat(pending.context("a").endReason()).isEmpty();
    assertThat(lease(id).expiresAt()).isAfter(instant().plus(LEASE.dividedBy(2)));
  }

  @Test
  @Guarantee("W6")
  void a_look_at_pauses_that_fails_stops_nothing() {
    enqueue("first");
    JobWorker worker = patient().concurrency(1).prefetch(1).start();
    run(worker);
    enqueue("waiting");
    run(worker);
    store.fail("queues", 1);

    pass(Duration.ofSeconds(1));
    assertThat(store.count("queues")).isPositive();
    pending.end("first");
    run(worker);

    assertThat(pending.begun()).containsExactly("first", "waiting");
  }

  @Test
  @Guarantee({"W6", "W9"})
  void a_settlement_that_failed_is_sent_again() {
    String id = enqueue(draft("a"));
    JobWorker worker = recording().start();
    store.fail("settle", 2);

    run(worker);
    assertThat(state(id)).isEqualTo(JobState.INFLIGHT);
    time.advance(Duration.ofSeconds(1));
    run(worker);

    assertThat(state(id)).isEqualTo(JobState.DONE);
    assertThat(ran).containsExactly("a");
    assertThat(ended(worker, Outcome.SUCCEEDED)).isEqualTo(1);
  }

  @Test
  @Guarantee({"W6", "W9"})
  void a_settlement_survives_any_failure_of_the_store() {
    String id = enqueue(draft("a"));
    JobWorker worker = recording().start();
    store.breakNext("settle", new IllegalStateException("a defect"));

    run(worker);

    assertThat(state(id)).isEqualTo(JobState.DONE);
  }

  @Test
  @Guarantee("W6")
  void while_a_settlement_waits_its_lease_is_kept() {
    String id = enqueue(draft("a"));
    JobWorker worker = recording().start();
    store.fail("settle", 1_000);
    run(worker);

    for (int i = 0; i < 30; i++) {
      pass(Duration.ofSeconds(3));
    }

    assertThat(lease(id).expiresAt()).isAfter(instant());
    assertThat(history(id).deliveries()).isEqualTo(1);
    assertThat(ran).containsExactly("a");
  }

  @Test
  @Guarantee("W9")
  void a_settlement_that_cannot_be_taken_hurts_no_other() {
    List<String> ids = enqueue("a", "b");
    JobWorker worker = patient().start();
    run(worker);
    JobException defect = new JobException(JobError.INTERNAL, "a defect", null);
    store.breakNext("settle", defect);
    store.breakNext("settle", defect);

    pending.end("a");
    pending.end("b");
    worker.step();

    assertThat(state(ids.get(0))).isEqualTo(JobState.INFLIGHT);
    assertThat(state(ids.get(1))).isEqualTo(JobState.DONE);
    pass(Duration.ofSeconds(20));
    pass(Duration.ofSeconds(10));
    run(worker);
    assertThat(pending.begun()).as("its lease was not kept").containsExactly("a", "b", "a");
  }

  @Test
  @Guarantee("W9")
  void a_success_whose_answer_was_lost_counts_once() {
    String id = enqueue(draft("a"));
    JobWorker worker = recording().start();
    store.loseNext("settle");

    run(worker);
    assertThat(state(id)).isEqualTo(JobState.DONE);
    time.advance(Duration.ofSeconds(1));
    run(worker);

    assertThat(store.count("settle")).isEqualTo(2);
    assertThat(ended(worker, Outcome.SUCCEEDED)).isEqualTo(1);
    assertThat(worker.stats().refusals()).isEmpty();
  }

  @Test
  @Guarantee("W9")
  void a_retry_whose_answer_was_lost_is_taken_as_settled() {
    String id = enqueue(draft("a"));
    JobWorker worker = patient().start();
    run(worker);
    store.loseNext("settle");

    pending.fail("a", new IllegalStateException("no"));
    run(worker);
    assertThat(history(id).attempts()).isEqualTo(1);
    time.advance(Duration.ofMillis(500));
    run(worker);

    assertThat(store.count("settle")).isEqualTo(2);
    assertThat(history(id).attempts()).isEqualTo(1);
    assertThat(ended(worker, Outcome.RETRIED)).isEqualTo(1);
    assertThat(ended(worker, Outcome.LOST)).isZero();
    assertThat(worker.stats().refusals()).isEmpty();
  }

  @Test
  @Guarantee("W9")
  void what_was_settled_is_not_sent_again_when_lending_a_share_fails() {
    JobWorker worker = patient().queue("other").concurrency(2).prefetch(0).start();
    List<String> ids = enqueue("a", "b");
    run(worker);
    enqueue("c");
    pending.fail("a", new IllegalStateException("no"));
    pending.end("b");
    int before = store.count("reserve");
    store.haltNext("reserve", false).open();
    store.fail("reserve", 1);

    duties();
    assertThat(store.count("reserve")).as("one went well, one failed").isEqualTo(before + 2);
    pass(Duration.ofMillis(500));

    assertThat(history(ids.get(0)).attempts()).isEqualTo(1);
    assertThat(ended(worker, Outcome.RETRIED)).isEqualTo(1);
    assertThat(ended(worker, Outcome.SUCCEEDED)).isEqualTo(1);
    assertThat(worker.stats().refusals()).isEmpty();
  }

  @Test
  @Guarantee("W6")
  void jobs_whose_lease_was_granted_without_an_answer_come_again() {
    String id = enqueue(draft("a"));
    JobWorker worker = recording().start();
    store.loseNext("reserve");

    run(worker);
    assertThat(state(id)).isEqualTo(JobState.INFLIGHT);
    time.advance(LEASE);
    run(worker);

    assertThat(ran).containsExactly("a");
    assertThat(history(id).deliveries()).isEqualTo(2);
    assertThat(state(id)).isEqualTo(JobState.DONE);
  }

  @Test
  @Guarantee("JF5")
  void nothing_is_lost_with_a_process_that_is_killed() {
    for (String when : List.of("before", "in", "after")) {
      ran.clear();
      FaultyJobStore doomed = faulty();
      home = openHome(doomed);
      String id = enqueue(draft(when));
      JobWorker victim = patient().start();
      if (when.equals("before")) {
        home.step();
      } else {
        run(victim);
      }
      doomed.cutOff();
      if (when.equals("after")) {
        pending.end(when);
        run(victim);
      }

      time.advance(LEASE);
      home = openHome(store);
      run(recording().start());

      assertThat(ran).containsExactly(when);
      assertThat(state(id)).isEqualTo(JobState.DONE);
      assertThat(history(id).deliveries()).isEqualTo(2);
    }
  }

  @Test
  @Guarantee("JF5")
  void a_process_that_is_killed_while_it_acks_has_acked_or_not() {
    List<String> ids = enqueue("a", "b");
    JobWorker victim = recording().start();
    store.loseNext("settle");
    victim.step();
    store.cutOff();
    run(victim);

    time.advance(LEASE);
    home = openHome(faulty());
    run(recording().start());

    ids.forEach(id -> assertThat(state(id)).isEqualTo(JobState.DONE));
    assertThat(ran).containsOnlyOnce("a").contains("b");
  }

  @Test
  @Guarantee("JF5")
  void a_job_that_kills_its_worker_is_dead_after_twenty_deliveries() {
    String id = enqueue(draft("deadly"));
    List<FaultyJobStore> processes = new ArrayList<>();

    while (state(id) != JobState.DLQ && processes.size() < 30) {
      FaultyJobStore doomed = faulty();
      processes.add(doomed);
      home = openHome(doomed);
      run(
          worker()
              .action(
                  TYPE,
                  String.class,
                  (text, context) -> {
                    ran.add(text);
                    doomed.cutOff();
                  })
              .start());
      time.advance(LEASE);
    }

    assertThat(ran).hasSize(20);
    assertThat(history(id).deliveries()).isEqualTo(20);
    assertThat(history(id).dead().reason()).isEqualTo("delivery limit");
    assertThat(history(id).attempts()).isZero();
  }
}
