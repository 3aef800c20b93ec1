package io.holdfast.testkit.queue;

import static io.holdfast.queue.QueueException.Kind.INVALID;
import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.queue.LeasedItems;
import io.holdfast.queue.NewItem;
import io.holdfast.queue.Pause;
import io.holdfast.queue.Queue;
import io.holdfast.queue.Retry;
import io.holdfast.testkit.Guarantee;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** A paused queue grants no lease in any process, and everything else goes on. */
public abstract class QueuePauseContract extends QueueSuite {
  @Test
  @Guarantee("Q74")
  void a_paused_queue_grants_no_lease_in_any_process_and_accepts_produces() {
    Queue here = create(named("q"));
    Queue there = process().queue("q");
    produce(there, "before");

    assertThat(here.admin().pause().paused()).isEqualTo(Pause.LEASE);

    produce(here, "here");
    produce(there, "there");
    assertThat(lease(here, 5).items()).isEmpty();
    assertThat(lease(there, 5).items()).isEmpty();
    assertThat(stored(here)).noneMatch(item -> item.isLeased() || item.attempts() > 0);
    here.admin().resume();
    assertThat(texts(lease(there, 5))).containsExactly("before", "here", "there");
  }

  @Test
  @Guarantee("Q74")
  void a_lease_that_waits_is_not_served_while_the_queue_is_paused() {
    Queue here = create(named("q"));
    Queue there = process().queue("q");
    CompletableFuture<LeasedItems> first = parked(here, "first", 1);
    CompletableFuture<LeasedItems> second = parked(there, "second", 1);

    here.admin().pause();
    produce(here, "a", "b");
    settle();

    assertThat(first).isNotDone();
    assertThat(second).isNotDone();
  }

  @Test
  @Guarantee("Q74")
  void resume_serves_those_who_wait_in_every_process() {
    Queue here = create(named("q"));
    Queue there = process().queue("q");
    here.admin().pause();
    produce(here, "a", "b");
    CompletableFuture<LeasedItems> first = parked(here, "first", 1);
    CompletableFuture<LeasedItems> second = parked(there, "second", 1);

    assertThat(here.admin().resume().paused()).isEqualTo(Pause.NONE);
    // Hints are not promised to arrive: by then the other process has looked by itself.
    pass(Duration.ofSeconds(10));

    assertThat(List.of(texts(now(first)), texts(now(second))))
        .containsExactlyInAnyOrder(List.of("a"), List.of("b"));
  }

  @Test
  @Guarantee("Q74")
  void a_lease_on_a_paused_queue_ends_empty_at_its_timeout() {
    Queue queue = create(named("q"));
    produce(queue, "a");
    queue.admin().pause();
    CompletableFuture<LeasedItems> waiting = parked(queue, "client", 1);

    pass(Duration.ofMinutes(1));

    assertThat(now(waiting).isEmpty()).isTrue();
    assertThat(stored(queue).get(0).attempts()).isZero();
  }

  @Test
  @Guarantee("Q74")
  void holders_settle_and_extend_while_the_queue_is_paused() {
    Queue queue = create(named("q"));
    produce(queue, "a", "b", "c");
    List<String> ids = lease(queue, 3).ids();
    queue.admin().pause();

    queue.complete(0, ids.subList(0, 1), PATIENCE);
    queue.retry(0, List.of(Retry.now(ids.get(1))));
    assertThat(queue.extend(0, ids.subList(2, 3), EXPIRE)).isEqualTo(in(EXPIRE));

    assertThat(texts(stored(queue))).containsExactly("c", "b");
    assertThat(lease(queue, 1).items()).isEmpty();
  }

  @Test
  @Guarantee("Q74")
  void deadlines_go_on_while_the_queue_is_paused() {
    Queue dead = create(named("dead"));
    Queue queue = create(named("q").deadQueue("dead").maxAttempts(1));
    produce(queue, "a");
    lease(queue, 1);
    queue.produce(List.of(NewItem.text("later").at(in(LEASE))), PATIENCE);
    queue.admin().pause();

    pass(LEASE);

    assertThat(texts(stored(dead))).containsExactly("a");
    assertThat(texts(stored(queue))).containsExactly("later");
  }

  @Test
  @Guarantee("Q74")
  void pause_and_resume_are_idempotent_and_outlive_a_process() {
    Queue queue = create(named("q"));
    produce(queue, "a");
    queue.admin().pause();
    queue.admin().pause();

    Queue later = process().queue("q");
    assertThat(queues.get("q").paused()).isEqualTo(Pause.LEASE);
    assertThat(lease(later, 1).items()).isEmpty();

    later.admin().resume();
    later.admin().resume();
    assertThat(queues.get("q").paused()).isEqualTo(Pause.NONE);
    assertThat(texts(lease(queue, 1))).containsExactly("a");
  }

  @Test
  @Guarantee("Q74")
  void only_a_queue_that_exists_is_paused() {
    failing(INVALID, () -> queues.queue("nobody").admin().pause());
    failing(INVALID, () -> queues.queue("nobody").admin().resume());
  }

  @Test
  @Guarantee("Q74")
  void a_paused_queue_does_not_hold_up_another() {
    Queue paused = create(named("paused"));
    Queue other = create(named("other"));
    paused.admin().pause();
    produce(paused, "a");
    produce(other, "b");

    assertThat(texts(lease(other, 1))).containsExactly("b");
  }
}
