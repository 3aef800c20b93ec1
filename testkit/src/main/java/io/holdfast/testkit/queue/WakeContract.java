package io.holdfast.testkit.queue;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.queue.Content;
import io.holdfast.queue.LeasedItem;
import io.holdfast.queue.LeasedItems;
import io.holdfast.queue.NewItem;
import io.holdfast.queue.Queue;
import io.holdfast.queue.Retry;
import io.holdfast.queue.StoredItem;
import io.holdfast.testkit.Guarantee;
import io.holdfast.testkit.queue.FaultyQueueStore.Moment;
import io.holdfast.testkit.queue.FaultyQueueStore.Operation;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/**
 * Each event that can make an item leasable wakes a lease that waits, and no client has to call.
 */
public abstract class WakeContract extends QueueSuite {
  @Test
  @Guarantee({"Q16", "QF21"})
  void a_waiting_lease_wakes_when_something_is_produced() {
    Queue queue = create(named("orders"));
    CompletableFuture<LeasedItems> lease = parked(queue, "worker", 1);

    produce(queue, "a");

    assertThat(texts(now(lease))).containsExactly("a");
  }

  @Test
  @Guarantee({"Q16", "QF21"})
  void a_waiting_lease_wakes_when_an_item_is_retried_at_once() {
    Queue queue = create(named("orders"));
    produce(queue, "a");
    LeasedItems held = lease(queue, 1);
    CompletableFuture<LeasedItems> lease = parked(queue, "worker", 1);

    queue.retry(held.partition(), List.of(Retry.now(held.ids().get(0))));

    assertThat(now(lease).items()).extracting(LeasedItem::attempts).containsExactly(2);
  }

  @Test
  @Guarantee({"Q16", "QF21"})
  void a_waiting_lease_wakes_when_another_lease_expires() {
    Queue queue = create(named("orders"));
    produce(queue, "a");
    lease(queue, 1);
    CompletableFuture<LeasedItems> lease = parked(queue, "worker", 1);

    pass(LEASE);

    assertThat(now(lease).items()).extracting(LeasedItem::attempts).containsExactly(2);
  }

  @Test
  @Guarantee({"Q16", "QF21"})
  void a_waiting_lease_wakes_when_a_scheduled_item_is_due() {
    Queue queue = create(named("orders"));
    queue.produce(NewItem.text("later").at(in(Duration.ofSeconds(20))));
    CompletableFuture<LeasedItems> lease = parked(queue, "worker", 1);

    pass(Duration.ofSeconds(20));

    assertThat(texts(now(lease))).containsExactly("later");
  }

  @Test
  @Guarantee({"Q16", "QF21"})
  void a_waiting_lease_wakes_when_items_are_imported() {
    Queue queue = create(named("orders"));
    CompletableFuture<LeasedItems> lease = parked(queue, "worker", 1);

    queue.admin().importItems(0, List.of(item("imported")));

    assertThat(texts(now(lease))).containsExactly("imported");
  }

  @Test
  @Guarantee({"Q16", "QF21"})
  void a_lease_waiting_on_a_dead_queue_wakes_when_an_item_arrives_there() {
    Queue dead = create(named("dead"));
    Queue queue = create(named("orders").deadQueue("dead"));
    produce(queue, "a");
    LeasedItems held = lease(queue, 1);
    CompletableFuture<LeasedItems> lease = parked(dead, "undertaker", 1);

    queue.retry(held.partition(), List.of(Retry.dead(held.ids().get(0))));

    assertThat(texts(now(lease))).containsExactly("a");
  }

  @Test
  @Guarantee({"Q16", "QF21"})
  void a_lease_waiting_on_a_dead_queue_wakes_when_time_sends_an_item_there() {
    Queue dead = create(named("dead").expireAfter(Duration.ofDays(1)));
    Queue queue = create(named("orders").deadQueue("dead").expireAfter(Duration.ofSeconds(15)));
    produce(queue, "a");
    CompletableFuture<LeasedItems> lease = parked(dead, "undertaker", 1);

    pass(Duration.ofSeconds(15));

    assertThat(texts(now(lease))).containsExactly("a");
  }

  @Test
  @Guarantee({"Q16", "QF21"})
  void a_waiting_lease_wakes_when_dead_items_are_returned() {
    Queue dead = create(named("dead"));
    Queue queue = create(named("orders").deadQueue("dead"));
    produce(queue, "a");
    LeasedItems held = lease(queue, 1);
    queue.retry(held.partition(), List.of(Retry.dead(held.ids().get(0))));
    CompletableFuture<LeasedItems> lease = parked(queue, "worker", 1);

    dead.admin().redrive(10);

    assertThat(texts(now(lease))).containsExactly("a");
  }

  @Test
  @Guarantee({"Q16", "QF20", "QF21"})
  void a_waiting_lease_wakes_when_an_undelivered_item_is_handed_back() {
    FaultyQueueStore store = new FaultyQueueStore(subject.process());
    create(named("orders"));
    Queue queue = over(store.backend(), OPTIONS).queue("orders");
    produce(queue, "a");
    Halt halt = store.haltNext(Operation.LEASE, Moment.AFTER);
    CompletableFuture<LeasedItems> gone = waiting(queue, "gone", 1);
    halt.awaitReached();
    CompletableFuture<LeasedItems> lease = waiting(queue, "worker", 1);

    gone.cancel(true);
    halt.open();

    assertThat(now(lease).items()).extracting(LeasedItem::attempts).containsExactly(1);
  }

  @Test
  @Guarantee({"Q16", "Q74", "QF21"})
  void a_waiting_lease_wakes_when_the_queue_is_resumed() {
    Queue queue = create(named("orders"));
    queue.admin().pause();
    produce(queue, "a");
    CompletableFuture<LeasedItems> lease = parked(queue, "worker", 1);

    queue.admin().resume();

    assertThat(texts(now(lease))).containsExactly("a");
  }

  @Test
  @Guarantee({"Q16", "Q74", "QF21"})
  void a_waiting_lease_wakes_when_another_process_resumes_the_queue() {
    Queue queue = create(named("orders"));
    queue.admin().pause();
    produce(queue, "a");
    CompletableFuture<LeasedItems> lease = parked(queue, "worker", 1);

    process().queue("orders").admin().resume();
    pass(Duration.ofSeconds(5));

    assertThat(texts(now(lease))).containsExactly("a");
  }

  @Test
  @Guarantee({"Q16", "QF21"})
  void a_waiting_lease_wakes_on_reload() {
    Queue queue = create(named("orders"));
    CompletableFuture<LeasedItems> lease = parked(queue, "worker", 1);
    slipIn(queue, 0, "hidden");
    assertThat(lease).isNotDone();

    queue.admin().reload();

    assertThat(texts(now(lease))).containsExactly("hidden");
  }

  @Test
  @Guarantee({"Q16", "QF21"})
  void a_waiting_lease_wakes_on_wake() {
    Queue queue = create(named("orders"));
    CompletableFuture<LeasedItems> lease = parked(queue, "worker", 1);
    slipIn(queue, 0, "hidden");
    assertThat(lease).isNotDone();

    queue.admin().wake();

    assertThat(texts(now(lease))).containsExactly("hidden");
  }

  @Test
  @Guarantee({"Q16", "QF21"})
  void a_waiting_lease_wakes_when_another_process_produces() {
    Queue queue = create(named("orders"));
    CompletableFuture<LeasedItems> lease = parked(queue, "worker", 1);

    produce(process().queue("orders"), "from afar");

    assertThat(texts(now(lease))).containsExactly("from afar");
  }

  @Test
  @Guarantee({"Q16", "QF21"})
  void a_waiting_lease_finds_by_polling_what_nobody_told() {
    Queue queue = create(named("orders").partitions(3));
    CompletableFuture<LeasedItems> lease = parked(queue, "worker", 1);
    slipIn(queue, 1, "hidden");
    assertThat(lease).isNotDone();

    pass(Duration.ofSeconds(1));

    assertThat(texts(now(lease))).containsExactly("hidden");
  }

  private static StoredItem item(String payload) {
    return StoredItem.of(Content.of(payload.getBytes(StandardCharsets.UTF_8)));
  }
}
