package io.holdfast.testkit.job;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.job.JobState;
import io.holdfast.job.JobWorker;
import io.holdfast.job.ReserveRequest;
import io.holdfast.job.Snooze;
import io.holdfast.job.Unrecoverable;
import io.holdfast.testkit.Guarantee;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A worker has a place for each job that it leases. */
public abstract class JobWorkerPlacesContract extends JobWorkerSuite {
  @Test
  @Guarantee("W2")
  void no_more_is_leased_than_there_are_places_for() {
    enqueue(numbered(20));
    JobWorker worker = patient().concurrency(3).prefetch(2).start();

    run(worker);
    duties();

    assertThat(count(JobState.INFLIGHT)).isLessThanOrEqualTo(5);
    assertThat(worker.stats().active()).isEqualTo(3);
    asked().forEach(request -> assertThat(request.limit()).isLessThanOrEqualTo(5));
  }

  private List<ReserveRequest> asked() {
    return store.calls("reserve").stream()
        .flatMap(List::stream)
        .filter(ReserveRequest.class::isInstance)
        .map(ReserveRequest.class::cast)
        .toList();
  }

  @Test
  @Guarantee("W2")
  void without_places_for_waiting_only_what_runs_is_leased() {
    enqueue(numbered(20));
    JobWorker worker = patient().concurrency(3).prefetch(0).start();

    run(worker);
    duties();

    assertThat(count(JobState.INFLIGHT)).isEqualTo(3);
    assertThat(pending.begun()).containsExactly("j1", "j2", "j3");
  }

  @Test
  @Guarantee("W2")
  void a_full_worker_asks_for_nothing() {
    enqueue(numbered(20));
    JobWorker worker = patient().concurrency(2).prefetch(0).start();
    run(worker);
    int asked = store.count("reserve");

    pass(Duration.ofSeconds(5));
    enqueue("more");
    duties();

    assertThat(store.count("reserve")).isEqualTo(asked);
  }

  @Test
  @Guarantee("W2")
  void slow_handlers_hoard_nothing() {
    enqueue(numbered(30));
    JobWorker worker = patient().concurrency(1).prefetch(10).start();
    run(worker);
    int leased = count(JobState.INFLIGHT);

    for (int i = 1; i <= 5; i++) {
      pass(Duration.ofSeconds(5));
      pending.end("j" + i);
      run(worker);
      leased = Math.max(leased, count(JobState.INFLIGHT));
    }

    assertThat(leased).isLessThanOrEqualTo(2);
    assertThat(pending.begun()).hasSize(6);
  }

  @Test
  @Guarantee("W2")
  void quick_handlers_are_leased_ahead_for() {
    enqueue(numbered(30));
    JobWorker worker =
        recording().async("slow", String.class, pending).concurrency(2).prefetch(8).start();

    for (int i = 0; i < 10; i++) {
      worker.step();
    }

    assertThat(asked()).anyMatch(request -> request.limit() > 2);
    assertThat(asked()).allMatch(request -> request.limit() <= 10);
  }

  @Test
  @Guarantee("W2")
  void a_place_does_not_stay_idle_while_the_others_are_busy() {
    enqueue("a", "b", "c");
    JobWorker worker = patient().concurrency(4).prefetch(0).start();
    run(worker);
    assertThat(pending.begun()).hasSize(3);

    enqueue("d", "e");
    run(worker);

    assertThat(pending.begun()).containsExactly("a", "b", "c", "d");
  }

  @Test
  @Guarantee("W2")
  void a_place_is_free_again_however_its_run_ended() {
    JobWorker worker = patient().concurrency(1).prefetch(0).start();
    List<Throwable> failures =
        List.of(
            new IllegalStateException("no"),
            new Unrecoverable("no"),
            new Snooze(Duration.ofHours(1)),
            new StackOverflowError(),
            new InterruptedException());

    for (Throwable failure : failures) {
      enqueue("a");
      run(worker);
      pending.fail("a", failure);
      run(worker);
      assertThat(worker.stats().active()).as("after %s", failure).isZero();
    }

    assertThat(pending.begun()).hasSize(failures.size());
    assertThat(count(JobState.INFLIGHT)).isZero();
  }

  @Test
  @Guarantee("W2")
  void full_answers_are_followed_at_once() {
    enqueue(numbered(100));
    JobWorker worker = recording().concurrency(5).start();

    run(worker);

    assertThat(ran).hasSize(100);
    assertThat(count(JobState.DONE)).isEqualTo(100);
  }
}
