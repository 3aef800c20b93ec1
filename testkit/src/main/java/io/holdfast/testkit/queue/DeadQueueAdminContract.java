package io.holdfast.testkit.queue;

import static io.holdfast.queue.QueueException.Kind.INVALID;
import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.queue.LeasedItems;
import io.holdfast.queue.NewItem;
import io.holdfast.queue.Queue;
import io.holdfast.queue.QueueUpdate;
import io.holdfast.queue.Retry;
import io.holdfast.queue.StoredItem;
import io.holdfast.queue.TableHash;
import io.holdfast.testkit.Guarantee;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/** Limits of attempts and dead queues, as operators set and change them. */
public abstract class DeadQueueAdminContract extends QueueSuite {
  @Test
  @Guarantee("Q64")
  void a_lowered_limit_applies_when_a_lease_ends_and_removes_nothing_that_waits() {
    create(named("dead"));
    Queue queue = create(named("q").deadQueue("dead"));
    produce(queue, "a");
    leaseAndLose(queue);
    leaseAndLose(queue);

    queues.update("q", QueueUpdate.NOTHING.maxAttempts(1));
    pass(LEASE);
    assertThat(stored(queue)).extracting(StoredItem::attempts).containsExactly(2);
    assertThat(texts(lease(queue, 1))).containsExactly("a");
    pass(LEASE.minusMillis(1));
    assertThat(stored(queue)).hasSize(1);
    pass(Duration.ofMillis(1));

    assertThat(stored(queue)).isEmpty();
    assertThat(stored(queues.queue("dead")))
        .extracting(item -> item.origin().deadReason())
        .containsExactly("exhausted");
  }

  @Test
  @Guarantee("Q64")
  void a_raised_limit_gives_existing_items_more_attempts() {
    Queue queue = create(named("q").maxAttempts(1));
    produce(queue, "a");
    lease(queue, 1);

    queues.update("q", QueueUpdate.NOTHING.maxAttempts(2));
    pass(LEASE);
    assertThat(stored(queue)).extracting(StoredItem::attempts).containsExactly(1);

    leaseAndLose(queue);
    assertThat(stored(queue)).isEmpty();
  }

  @Test
  @Guarantee("Q64")
  void a_lifted_limit_lets_existing_items_return_for_ever() {
    Queue queue = create(named("q").maxAttempts(1));
    produce(queue, "a");
    lease(queue, 1);

    queues.update("q", QueueUpdate.NOTHING.maxAttempts(0));
    pass(LEASE);
    for (int i = 0; i < 5; i++) {
      leaseAndLose(queue);
    }

    assertThat(stored(queue)).extracting(StoredItem::attempts).containsExactly(6);
  }

  @Test
  @Guarantee("Q64")
  void a_retry_follows_the_limit_of_its_own_moment() {
    Queue queue = create(named("q").maxAttempts(1));
    produce(queue, "a", "b");
    LeasedItems leased = lease(queue, 2);

    queues.update("q", QueueUpdate.NOTHING.maxAttempts(2));
    queue.retry(0, List.of(Retry.now(leased.ids().get(0))));
    queues.update("q", QueueUpdate.NOTHING.maxAttempts(1));
    queue.retry(0, List.of(Retry.now(leased.ids().get(1))));

    assertThat(texts(stored(queue))).containsExactly("a");
  }

  @Test
  @Guarantee("Q66")
  void adding_changing_and_removing_the_dead_queue_routes_later_failures() {
    Queue first = create(named("first"));
    Queue second = create(named("second"));
    Queue queue = create(named("q"));
    produce(queue, "gone", "one", "two", "gone too");

    giveUp(queue);
    queues.update("q", QueueUpdate.NOTHING.deadQueue("first"));
    giveUp(queue);
    queues.update("q", QueueUpdate.NOTHING.deadQueue("second"));
    giveUp(queue);
    queues.update("q", QueueUpdate.NOTHING.deadQueue(""));
    giveUp(queue);

    assertThat(stored(queue)).isEmpty();
    assertThat(texts(stored(first))).containsExactly("one");
    assertThat(texts(stored(second))).containsExactly("two");
  }

  @Test
  @Guarantee("Q66")
  void a_dead_queue_added_before_a_deadline_gets_what_runs_out_then() {
    Queue dead = create(named("dead"));
    Queue queue = create(named("q").maxAttempts(1));
    produce(queue, "leased", "waiting");
    lease(queue, 1);

    queues.update("q", QueueUpdate.NOTHING.deadQueue("dead"));
    pass(LEASE);
    assertThat(texts(stored(dead))).containsExactly("leased");
    time.advance(EXPIRE.minus(LEASE));
    settle();

    assertThat(stored(queue)).isEmpty();
    assertThat(texts(stored(dead))).contains("waiting");
  }

  @Test
  @Guarantee("Q67")
  void an_unknown_dead_queue_is_refused() {
    create(named("q"));

    assertRefused(() -> queues.create(named("new").deadQueue("nobody")));
    assertRefused(() -> queues.update("q", QueueUpdate.NOTHING.deadQueue("nobody")));
  }

  @Test
  @Guarantee("Q67")
  void a_queue_is_not_its_own_dead_queue() {
    create(named("q"));

    assertRefused(() -> queues.create(named("new").deadQueue("new")));
    assertRefused(() -> queues.update("q", QueueUpdate.NOTHING.deadQueue("q")));
  }

  @Test
  @Guarantee("Q67")
  void a_chain_of_dead_queues_is_refused_from_both_sides() {
    create(named("last"));
    create(named("middle").deadQueue("last"));
    create(named("q"));

    assertRefused(() -> queues.create(named("new").deadQueue("middle")));
    assertRefused(() -> queues.update("q", QueueUpdate.NOTHING.deadQueue("middle")));
    assertRefused(() -> queues.update("last", QueueUpdate.NOTHING.deadQueue("q")));

    assertThat(queues.get("last").settings().deadQueue()).isEmpty();
    assertThat(queues.get("q").settings().deadQueue()).isEmpty();
  }

  @Test
  @Guarantee("Q67")
  void a_queue_may_serve_many_as_dead_queue() {
    Queue dead = create(named("dead"));
    for (String name : List.of("a", "b", "c")) {
      produce(create(named(name).deadQueue("dead")), name);
      giveUp(queues.queue(name));
    }

    assertThat(stored(dead))
        .extracting(item -> item.origin().sourceQueue())
        .containsExactly("a", "b", "c");
  }

  @Test
  @Guarantee("Q68")
  void a_dead_queue_may_have_many_partitions() {
    Queue dead = create(named("dead").partitions(3));
    Queue queue = create(named("q").deadQueue("dead"));
    List<NewItem> items = new ArrayList<>();
    for (int i = 0; i < 40; i++) {
      items.add(NewItem.text("item " + i));
    }
    queue.produce(items, PATIENCE);

    LeasedItems leased = lease(queue, 40);
    queue.retry(0, leased.ids().stream().map(Retry::dead).toList());

    Set<String> arrived = new HashSet<>();
    for (int partition = 0; partition < 3; partition++) {
      List<StoredItem> here = dead.admin().list(partition, "", 0);
      assertThat(here).as("partition %d", partition).isNotEmpty();
      for (StoredItem item : here) {
        String source = String.valueOf(item.origin().sourceId());
        assertThat(TableHash.partition(source, 3)).isEqualTo(partition);
        arrived.add(source);
      }
    }
    assertThat(arrived).containsExactlyInAnyOrderElementsOf(leased.ids());
  }

  /** Leases the oldest item and lets the lease run out. */
  private void leaseAndLose(Queue queue) {
    assertThat(lease(queue, 1).items()).hasSize(1);
    pass(LEASE);
  }

  /** Leases the oldest item and sends it to the dead queue. */
  private void giveUp(Queue queue) {
    LeasedItems leased = lease(queue, 1);
    queue.retry(0, List.of(Retry.dead(leased.ids().get(0))));
  }

  private static void assertRefused(ThrowingCallable call) {
    assertThat(failing(INVALID, call)).hasMessageStartingWith("dead queue is invalid; ");
  }
}
