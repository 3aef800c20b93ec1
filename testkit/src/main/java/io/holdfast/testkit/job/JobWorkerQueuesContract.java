package io.holdfast.testkit.job;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.job.JobState;
import io.holdfast.job.JobWorker;
import io.holdfast.testkit.Guarantee;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Several queues share the places of a worker, and can be paused. */
public abstract class JobWorkerQueuesContract extends JobWorkerSuite {
  private static final String OTHER = "other";

  private JobWorker.Builder naming() {
    return home.worker().action(TYPE, String.class, (text, context) -> ran.add(context.queue()));
  }

  private void fill(String queue, int count) {
    jobs.enqueue(IntStream.range(0, count).mapToObj(i -> draft("" + i).queue(queue)).toList());
  }

  private int startsOf(String queue, int first) {
    return Collections.frequency(ran.subList(0, first), queue);
  }

  @Test
  @Guarantee("W20")
  void with_work_everywhere_queues_run_by_their_weights() {
    for (int places : List.of(1, 4, 7)) {
      ran.clear();
      List<String> queues = Stream.of("a", "b", "c").map(name -> name + places).toList();
      queues.forEach(queue -> fill(queue, 200));
      JobWorker worker =
          naming()
              .queue(queues.get(0), 5)
              .queue(queues.get(1), 3)
              .queue(queues.get(2), 2)
              .concurrency(places)
              .start();

      while (ran.size() < 200) {
        worker.step();
      }

      assertThat(startsOf(queues.get(0), 200)).as("%s places", places).isBetween(90, 110);
      assertThat(startsOf(queues.get(1), 200)).as("%s places", places).isBetween(50, 70);
      assertThat(startsOf(queues.get(2), 200)).as("%s places", places).isBetween(30, 50);
      worker.close();
    }
  }

  @Test
  @Guarantee("W20")
  void older_jobs_of_one_queue_do_not_outweigh_another_queue() {
    fill(QUEUE, 100);
    time.advance(Duration.ofHours(1));
    fill(OTHER, 100);
    JobWorker worker = naming().queue(QUEUE).queue(OTHER).concurrency(2).start();

    while (ran.size() < 100) {
      worker.step();
    }

    assertThat(startsOf(OTHER, 100)).isBetween(40, 60);
  }

  @Test
  @Guarantee("W20")
  void the_share_of_an_empty_queue_goes_to_the_others() {
    for (int places : List.of(1, 2, 3, 8)) {
      ran.clear();
      fill(OTHER, 40);
      JobWorker worker =
          naming()
              .queue(QUEUE, 1000)
              .queue(OTHER, 1)
              .queue("third", 1000)
              .concurrency(places)
              .prefetch(0)
              .start();

      run(worker);

      assertThat(ran).as("%s places", places).hasSize(40).containsOnly(OTHER);
      worker.close();
    }
  }

  @Test
  @Guarantee("W20")
  void an_idle_worker_makes_one_statement_per_poll_however_many_queues_it_serves() {
    JobWorker.Builder builder = naming().concurrency(2).prefetch(0).poll(Duration.ofSeconds(10));
    IntStream.range(0, 20).forEach(i -> builder.queue("q" + i));
    builder.start();
    duties();
    int before = store.count("reserve");

    pass(Duration.ofSeconds(11));
    assertThat(store.count("reserve")).isEqualTo(before + 1);
    pass(Duration.ofSeconds(11));

    assertThat(store.count("reserve")).isEqualTo(before + 2);
  }

  @Test
  @Guarantee("W20")
  void work_in_any_queue_is_found_by_the_first_look() {
    JobWorker.Builder builder = naming().concurrency(1).prefetch(0);
    IntStream.range(0, 10).forEach(i -> builder.queue("q" + i));
    JobWorker worker = builder.start();
    run(worker);

    for (int i = 0; i < 10; i++) {
      fill("q" + i, 1);
      worker.step();
      assertThat(ran).hasSize(i + 1);
    }
  }

  /** A worker with one run that goes on, and one job that waits behind it. */
  private JobWorker withOneWaiting() {
    enqueue("first");
    JobWorker worker = patient().queue(OTHER).concurrency(1).prefetch(1).start();
    run(worker);
    enqueue("waiting");
    run(worker);
    assertThat(worker.stats().buffered()).isEqualTo(1);
    return worker;
  }

  @Test
  @Guarantee("W26")
  void a_paused_worker_leases_nothing_until_it_is_resumed() {
    JobWorker worker = recording().start();
    worker.pause();
    enqueue("a");

    run(worker);
    pass(Duration.ofMinutes(1));
    assertThat(store.count("reserve")).isZero();
    worker.resume();
    run(worker);

    assertThat(ran).containsExactly("a");
  }

  @Test
  @Guarantee("W26")
  void pausing_a_worker_returns_what_waits_and_lets_runs_end() {
    JobWorker worker = withOneWaiting();

    worker.pause();
    run(worker);
    assertThat(count(JobState.READY)).isEqualTo(1);
    assertThat(worker.stats().buffered()).isZero();
    pending.end("first");
    run(worker);
    assertThat(count(JobState.DONE)).isEqualTo(1);
    assertThat(pending.begun()).containsExactly("first");

    worker.resume();
    run(worker);
    assertThat(pending.begun()).containsExactly("first", "waiting");
  }

  @Test
  @Guarantee("W26")
  void one_queue_of_a_worker_can_be_paused() {
    JobWorker worker = naming().queue(QUEUE).queue(OTHER).start();
    worker.pause(QUEUE);
    fill(QUEUE, 3);
    fill(OTHER, 3);

    run(worker);
    assertThat(ran).containsExactly(OTHER, OTHER, OTHER);
    worker.resume(QUEUE);
    run(worker);

    assertThat(ran).hasSize(6);
  }

  @Test
  @Guarantee("W26")
  void pausing_one_queue_returns_what_waits_of_it() {
    JobWorker worker = withOneWaiting();

    worker.pause(OTHER);
    assertThat(worker.stats().buffered()).isEqualTo(1);
    worker.pause(QUEUE);
    run(worker);

    assertThat(worker.stats().buffered()).isZero();
    assertThat(count(JobState.READY)).isEqualTo(1);
  }

  @Test
  @Guarantee("W26")
  void a_queue_that_is_paused_for_all_returns_what_waits_at_once() {
    JobWorker worker = withOneWaiting();

    jobs.queues().pause(QUEUE);
    soon(() -> worker.stats().buffered() == 0);

    post();
    assertThat(count(JobState.READY)).isEqualTo(1);
    pending.end("first");
    run(worker);
    assertThat(pending.begun()).containsExactly("first");

    jobs.queues().resume(QUEUE);
    run(worker);
    assertThat(pending.begun()).containsExactly("first", "waiting");
  }

  @Test
  @Guarantee("W26")
  void without_hints_a_pause_is_noticed_within_a_second_or_two() {
    JobWorker worker = withOneWaiting();
    store.silence();

    jobs.queues().pause(QUEUE);
    pass(Duration.ofSeconds(1));
    pass(Duration.ofSeconds(1));

    assertThat(worker.stats().buffered()).isZero();
  }

  @Test
  @Guarantee("W26")
  void resuming_a_queue_takes_effect_at_once() {
    recording().poll(Duration.ofSeconds(10)).start();
    jobs.queues().pause(QUEUE);
    enqueue("a");
    duties();
    assertThat(count(JobState.INFLIGHT)).isZero();

    jobs.queues().resume(QUEUE);

    soon(() -> count(JobState.INFLIGHT) == 1);
  }
}
