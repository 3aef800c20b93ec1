package io.holdfast.testkit.queue;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.queue.Content;
import io.holdfast.queue.LeasedItems;
import io.holdfast.queue.NewItem;
import io.holdfast.queue.Queue;
import io.holdfast.queue.QueueUpdate;
import io.holdfast.queue.Retry;
import io.holdfast.queue.StoredItem;
import io.holdfast.testkit.Guarantee;
import io.holdfast.testkit.queue.FaultyQueueStore.Operation;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** What the passing of time does to items. */
public abstract class LifecycleContract extends QueueSuite {
  private static final Duration LONG = Duration.ofDays(30);

  @Test
  @Guarantee("Q46")
  void an_expired_lease_sends_the_item_to_the_tail_under_a_new_id() {
    Queue queue = create(named("orders"));
    produce(queue, "a", "b");
    String id = lease(queue, 1).ids().get(0);
    StoredItem before = stored(queue).get(0);

    pass(LEASE.minusMillis(1));
    assertThat(stored(queue).get(0)).isEqualTo(before);
    pass(Duration.ofMillis(1));

    assertThat(texts(stored(queue))).containsExactly("b", "a");
    StoredItem after = stored(queue).get(1);
    assertThat(after.id()).isNotEqualTo(id);
    assertThat(after.isLeased()).isFalse();
    assertThat(after.times())
        .isEqualTo(
            new StoredItem.Times(
                before.times().createdAt(), null, null, before.times().expireDeadline()));
  }

  @Test
  @Guarantee("Q47")
  void attempts_read_1_1_2_over_lease_expiry_and_lease() {
    Queue queue = create(named("orders"));
    produce(queue, "a");

    assertThat(lease(queue, 1).items().get(0).attempts()).isEqualTo(1);
    pass(LEASE);
    assertThat(stored(queue).get(0).attempts()).isEqualTo(1);
    assertThat(lease(queue, 1).items().get(0).attempts()).isEqualTo(2);
  }

  @Test
  @Guarantee({"Q48", "QF10"})
  void the_last_permitted_lease_runs_to_its_deadline_through_sweeps_and_a_restart() {
    Queue queue = create(named("orders").maxAttempts(1));
    produce(queue, "a");
    LeasedItems held = lease(queue, 1);

    pass(Duration.ofSeconds(5));
    end(queues);
    queues = process();
    pass(Duration.ofMillis(4_999));

    Queue again = queues.queue("orders");
    assertThat(stored(again)).extracting(StoredItem::id).isEqualTo(held.ids());
    again.complete(held);
  }

  @Test
  @Guarantee("Q48")
  void lowering_the_limit_removes_no_waiting_item() {
    Queue queue = create(named("orders"));
    produce(queue, "a");
    lease(queue, 1);
    pass(LEASE);
    lease(queue, 1);
    pass(LEASE);

    queues.update("orders", QueueUpdate.NOTHING.maxAttempts(1));
    pass(Duration.ofMinutes(1));

    assertThat(texts(lease(queue, 1))).containsExactly("a");
    pass(LEASE);
    assertThat(stored(queue)).isEmpty();
  }

  @Test
  @Guarantee("Q49")
  void an_exhausted_item_reaches_the_dead_queue_with_source_id_and_zero_attempts() {
    Queue dead = create(named("dead").expireAfter(LONG).partitions(3));
    Queue queue = create(named("orders").maxAttempts(2).deadQueue("dead"));
    produce(queue, "a");
    lease(queue, 1);
    pass(LEASE);
    String id = lease(queue, 1).ids().get(0);

    pass(LEASE);

    assertThat(stored(queue)).isEmpty();
    List<StoredItem> arrived =
        IntStream.range(0, 3)
            .boxed()
            .flatMap(partition -> dead.admin().list(partition, "", 0).stream())
            .toList();
    assertThat(texts(arrived)).containsExactly("a");
    assertThat(arrived.get(0).origin()).isEqualTo(new StoredItem.Origin(id, "orders", "exhausted"));
    assertThat(arrived.get(0).attempts()).isZero();
    assertThat(arrived.get(0).times().expireDeadline()).isEqualTo(in(LONG));
  }

  @Test
  @Guarantee("Q50")
  void an_exhausted_item_without_a_dead_queue_is_deleted() {
    Queue queue = create(named("orders").maxAttempts(1));
    produce(queue, "a");
    lease(queue, 1);

    pass(LEASE);

    assertThat(stored(queue)).isEmpty();
  }

  @Test
  @Guarantee("Q51")
  void max_attempts_zero_never_removes_an_item() {
    Queue queue = create(named("orders"));
    produce(queue, "a");

    for (int attempt = 1; attempt <= 50; attempt++) {
      assertThat(lease(queue, 1).items().get(0).attempts()).isEqualTo(attempt);
      pass(LEASE);
    }

    assertThat(texts(stored(queue))).containsExactly("a");
  }

  @Test
  @Guarantee({"Q52", "QF9"})
  void an_expired_waiting_item_is_moved_once() {
    Queue dead = create(named("dead").expireAfter(LONG));
    Queue queue = create(named("orders").deadQueue("dead"));
    String id = produce(queue, "a").ids().get(0);
    process();

    pass(EXPIRE);
    pass(EXPIRE);
    pass(Duration.ofDays(1));

    assertThat(stored(queue)).isEmpty();
    assertThat(stored(dead)).hasSize(1);
    assertThat(stored(dead).get(0).origin())
        .isEqualTo(new StoredItem.Origin(id, "orders", "expired"));
  }

  @Test
  @Guarantee("Q52")
  void an_expired_waiting_item_without_a_dead_queue_is_deleted() {
    Queue queue = create(named("orders"));
    produce(queue, "old");
    time.advance(Duration.ofMinutes(1));
    produce(queue, "young");

    pass(EXPIRE.minus(Duration.ofMinutes(1)));

    assertThat(texts(stored(queue))).containsExactly("young");
  }

  @Test
  @Guarantee("Q53")
  void an_item_past_its_expiry_stays_with_its_holder_while_the_lease_is_valid() {
    Queue queue = create(named("orders").expireAfter(Duration.ofSeconds(15)));
    produce(queue, "a");
    pass(Duration.ofSeconds(8));
    LeasedItems held = lease(queue, 1);

    pass(Duration.ofMillis(9_999));

    assertThat(stored(queue).get(0).isLeased()).isTrue();
    queue.complete(held);
  }

  @Test
  @Guarantee("Q53")
  void an_item_past_its_expiry_is_dead_lettered_when_its_lease_ends() {
    Queue dead = create(named("dead").expireAfter(LONG));
    Queue queue = create(named("orders").expireAfter(Duration.ofSeconds(15)).deadQueue("dead"));
    produce(queue, "a");
    pass(Duration.ofSeconds(8));
    lease(queue, 1);

    pass(LEASE);

    assertThat(stored(queue)).isEmpty();
    assertThat(stored(dead).get(0).origin().deadReason()).isEqualTo("expired");
  }

  @Test
  @Guarantee("Q54")
  void scheduled_items_become_due_by_enqueue_time_then_id() {
    Queue queue = create(named("orders"));
    Instant noon = in(Duration.ofMinutes(10));
    queue.produce(
        NewItem.text("last").at(noon.plusSeconds(2)),
        NewItem.text("second").at(noon.plusSeconds(1)),
        NewItem.text("third").at(noon.plusSeconds(1)));
    queue.produce(NewItem.text("first").at(noon));
    produce(queue, "at once");

    pass(Duration.ofMinutes(11));

    assertThat(texts(stored(queue))).containsExactly("at once", "first", "second", "third", "last");
    assertThat(scheduled(queue)).isEmpty();
    assertThat(stored(queue)).allSatisfy(item -> assertThat(item.times().enqueueAt()).isNull());
  }

  @Test
  @Guarantee({"Q55", "QF11"})
  void schedules_survive_a_restart_and_each_fires_at_its_time() {
    Queue queue = create(named("orders"));
    queue.produce(
        NewItem.text("one").at(in(Duration.ofMinutes(1))),
        NewItem.text("two").at(in(Duration.ofMinutes(2))),
        NewItem.text("three").at(in(Duration.ofMinutes(3))));
    pass(Duration.ofMinutes(1));
    assertThat(texts(stored(queue))).containsExactly("one");

    end(queues);
    queues = process();
    Queue again = queues.queue("orders");
    pass(Duration.ofMillis(59_999));
    assertThat(texts(stored(again))).containsExactly("one");
    pass(Duration.ofMillis(1));
    assertThat(texts(stored(again))).containsExactly("one", "two");
    pass(Duration.ofMinutes(1));

    assertThat(texts(stored(again))).containsExactly("one", "two", "three");
  }

  @Test
  @Guarantee("Q56")
  void the_expiry_of_a_scheduled_item_counts_from_its_enqueue_time() {
    Queue queue = create(named("orders"));
    Instant at = in(Duration.ofHours(5));
    queue.produce(NewItem.text("a").at(at));
    assertThat(scheduled(queue).get(0).times().expireDeadline()).isEqualTo(at.plus(EXPIRE));

    pass(Duration.ofHours(5));
    pass(EXPIRE.minusMillis(1));
    assertThat(texts(stored(queue))).containsExactly("a");
    pass(Duration.ofMillis(1));

    assertThat(stored(queue)).isEmpty();
  }

  @Test
  @Guarantee("Q56")
  void a_scheduled_item_that_nobody_enqueued_before_its_expiry_is_dead_lettered() {
    Queue dead = create(named("dead").expireAfter(LONG));
    Queue queue = create(named("orders").deadQueue("dead"));
    String id = queue.produce(NewItem.text("a").at(in(Duration.ofMinutes(1)))).ids().get(0);

    pass(EXPIRE.plusMinutes(1));

    assertThat(scheduled(queue)).isEmpty();
    assertThat(stored(queue)).isEmpty();
    assertThat(stored(dead).get(0).origin())
        .isEqualTo(new StoredItem.Origin(id, "orders", "expired"));
  }

  @Test
  @Guarantee("Q57")
  void lease_expiry_and_retry_keep_the_source_id() {
    Queue queue = create(named("orders"));
    queue.admin().importItems(0, List.of(from("source-1")));

    lease(queue, 1);
    pass(LEASE);
    assertThat(stored(queue).get(0).origin().sourceId()).isEqualTo("source-1");
    queue.retry(0, List.of(Retry.now(lease(queue, 1).ids().get(0))));
    assertThat(stored(queue).get(0).origin().sourceId()).isEqualTo("source-1");
    queue.retry(0, List.of(Retry.at(lease(queue, 1).ids().get(0), in(LEASE))));
    assertThat(scheduled(queue).get(0).origin().sourceId()).isEqualTo("source-1");
    pass(LEASE);

    assertThat(stored(queue).get(0).origin().sourceId()).isEqualTo("source-1");
  }

  @Test
  @Guarantee("Q58")
  void a_duplicate_source_id_is_skipped_and_usable_again_after_completion() {
    Queue queue = create(named("orders"));
    String id = queue.admin().importItems(0, List.of(from("source-1"))).get(0).id();

    List<StoredItem> again =
        queue.admin().importItems(0, List.of(from("source-1"), from("source-2")));
    assertThat(again.get(0).id()).isEqualTo(id);
    assertThat(stored(queue)).hasSize(2);
    queue.complete(lease(queue, 2));
    List<StoredItem> fresh = queue.admin().importItems(0, List.of(from("source-1")));

    assertThat(fresh.get(0).id()).isNotEqualTo(id);
    assertThat(stored(queue)).extracting(StoredItem::id).containsExactly(fresh.get(0).id());
  }

  @Test
  @Guarantee("Q59")
  void a_sweep_reads_only_due_rows() {
    FaultyQueueStore store = new FaultyQueueStore(subject.process());
    SteppedQueues service = over(store.backend(), OPTIONS);
    end(queues);
    service.create(named("orders"));
    Queue queue = service.queue("orders");
    produce(queue, numbered(500));
    queue.produce(
        NewItem.text("soon").at(in(Duration.ofSeconds(5))),
        NewItem.text("later").at(in(Duration.ofMinutes(50))));
    lease(queue, 3);

    pass(Duration.ofSeconds(5));
    pass(Duration.ofSeconds(5));

    assertThat(store.rows(Operation.SCAN_SCHEDULED)).isEqualTo(1);
    assertThat(store.rows(Operation.SCAN_ACTIONS)).isEqualTo(3);
    assertThat(stored(queue)).hasSize(501).noneMatch(StoredItem::isLeased);
  }

  private static StoredItem from(String sourceId) {
    StoredItem item = StoredItem.of(Content.empty());
    return new StoredItem(
        "", false, 0, 0, item.times(), new StoredItem.Origin(sourceId, "", ""), item.content());
  }
}
