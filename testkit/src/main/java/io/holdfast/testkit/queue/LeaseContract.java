package io.holdfast.testkit.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.holdfast.queue.LeaseRequest;
import io.holdfast.queue.LeasedItem;
import io.holdfast.queue.LeasedItems;
import io.holdfast.queue.NewItem;
import io.holdfast.queue.Queue;
import io.holdfast.queue.QueueException;
import io.holdfast.queue.QueueException.Kind;
import io.holdfast.queue.QueueUpdate;
import io.holdfast.queue.StoredItem;
import io.holdfast.testkit.Guarantee;
import io.holdfast.testkit.queue.FaultyQueueStore.Moment;
import io.holdfast.testkit.queue.FaultyQueueStore.Operation;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** What leasing promises, apart from waking, which {@link WakeContract} is about. */
public abstract class LeaseContract extends QueueSuite {
  @Test
  @Guarantee("Q12")
  void the_oldest_items_go_first() {
    Queue queue = create(named("orders"));
    produce(queue, "a");
    produce(queue, "b", "c");
    produce(queue, "d");

    assertThat(texts(lease(queue, 1))).containsExactly("a");
    assertThat(texts(lease(queue, 2))).containsExactly("b", "c");
    assertThat(texts(lease(queue, 9))).containsExactly("d");
  }

  @Test
  @Guarantee("Q13")
  void the_first_lease_reports_attempt_one_and_the_deadline() {
    Queue queue = create(named("orders"));
    produce(queue, "a");
    time.advance(Duration.ofSeconds(3));

    LeasedItem item = lease(queue, 1).items().get(0);

    assertThat(item.attempts()).isEqualTo(1);
    assertThat(item.leaseDeadline()).isEqualTo(in(LEASE));
    StoredItem stored = stored(queue).get(0);
    assertThat(stored.isLeased()).isTrue();
    assertThat(stored.attempts()).isEqualTo(1);
    assertThat(stored.times().leaseDeadline()).isEqualTo(in(LEASE));
  }

  @Test
  @Guarantee("Q14")
  void a_lease_never_exceeds_its_batch() {
    Queue queue = create(named("orders"));
    produce(queue, numbered(10));

    assertThat(lease(queue, 3).items()).hasSize(3);
    assertThat(lease(queue, 1000).items()).hasSize(7);
  }

  @Test
  @Guarantee("Q14")
  void waiting_leases_get_no_more_than_their_batches_together() {
    Queue queue = create(named("orders"));
    CompletableFuture<LeasedItems> two = parked(queue, "two", 2);
    CompletableFuture<LeasedItems> three = parked(queue, "three", 3);

    produce(queue, numbered(10));

    assertThat(now(two).items()).hasSize(2);
    assertThat(now(three).items()).hasSize(3);
    assertThat(stored(queue).stream().filter(StoredItem::isLeased)).hasSize(5);
  }

  @Test
  @Guarantee("Q15")
  void a_lease_comes_from_one_partition() {
    Queue queue = create(named("orders").partitions(3));
    for (int i = 0; i < 3; i++) {
      produce(queue, numbered(5));
    }

    for (int i = 0; i < 3; i++) {
      LeasedItems leased = lease(queue, 1000);
      assertThat(leased.items()).hasSize(5);
      assertThat(queue.admin().list(leased.partition(), "", 0))
          .extracting(StoredItem::id)
          .containsAll(leased.ids());
    }
  }

  @Test
  void leases_draw_from_the_fullest_partition_and_produces_fill_the_emptiest() {
    Queue queue = create(named("orders").partitions(2));
    for (int i = 0; i < 5; i++) {
      produce(queue, numbered(10));
    }
    assertThat(queue.admin().list(0, "", 0)).hasSize(30);
    assertThat(queue.admin().list(1, "", 0)).hasSize(20);

    for (int batch : List.of(5, 10, 20)) {
      assertThat(lease(queue, batch).items()).hasSize(batch);
    }

    assertThat(queue.admin().list(0, "", 0).stream().filter(StoredItem::isLeased)).hasSize(15);
    assertThat(queue.admin().list(1, "", 0).stream().filter(StoredItem::isLeased)).hasSize(20);
  }

  @Test
  void a_lease_carries_no_more_than_16_MiB_and_the_rest_stays() {
    assumeTrue(subject.isInProcess());
    Queue queue = create(named("orders"));
    for (int i = 0; i < 4; i++) {
      queue.produce(NewItem.of(new byte[5_000_000]));
    }

    assertThat(lease(queue, 10).items()).hasSize(3);
    assertThat(stored(queue)).extracting(StoredItem::isLeased).endsWith(true, false);
    assertThat(lease(queue, 10).items()).hasSize(1);
  }

  @Test
  @Guarantee("Q17")
  void twenty_three_items_over_20_6_and_1_are_dealt_16_6_and_1() {
    Queue queue = create(named("orders"));
    CompletableFuture<LeasedItems> twenty = parked(queue, "twenty", 20);
    CompletableFuture<LeasedItems> six = parked(queue, "six", 6);
    CompletableFuture<LeasedItems> one = parked(queue, "one", 1);

    String[] payloads = numbered(23);
    produce(queue, payloads);

    assertThat(now(twenty).items()).hasSize(16);
    assertThat(texts(now(six))).containsExactly(pick(payloads, 1, 4, 6, 8, 10, 12));
    assertThat(texts(now(one))).containsExactly(pick(payloads, 2));
    assertThat(texts(now(twenty)))
        .containsExactly(pick(payloads, 0, 3, 5, 7, 9, 11, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22));
  }

  @Test
  @Guarantee("Q17")
  void ten_items_over_five_requests_of_ten_are_dealt_two_each() {
    Queue queue = create(named("orders"));
    List<CompletableFuture<LeasedItems>> leases = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      leases.add(parked(queue, "client" + i, 10));
    }

    produce(queue, numbered(10));

    for (CompletableFuture<LeasedItems> lease : leases) {
      assertThat(now(lease).items()).hasSize(2);
    }
  }

  @Test
  @Guarantee("Q18")
  void a_lease_without_items_ends_empty_at_its_timeout() {
    Queue queue = create(named("orders"));
    CompletableFuture<LeasedItems> lease =
        queue.leaseAsync(new LeaseRequest("worker", 5, Duration.ofSeconds(7)));
    eventually(() -> queue.admin().stats().leaseWaiting() == 1);
    pass(Duration.ofMillis(6_999));
    assertThat(lease).isNotDone();

    pass(Duration.ofMillis(1));

    assertThat(now(lease).isEmpty()).isTrue();
    produce(queue, "too late");
    assertThat(stored(queue).get(0).isLeased()).isFalse();
  }

  @Test
  @Guarantee("Q19")
  void a_second_waiting_lease_with_the_same_client_id_is_refused_and_the_first_goes_on() {
    Queue queue = create(named("orders"));
    CompletableFuture<LeasedItems> first = parked(queue, "worker", 1);

    QueueException refused = failing(Kind.INVALID, () -> now(waiting(queue, "worker", 1)));

    assertThat(refused)
        .hasMessage(
            "duplicate client id; a client cannot make multiple leased requests to the same queue");
    assertThat(first).isNotDone();
    produce(queue, "a");
    assertThat(texts(now(first))).containsExactly("a");
  }

  @Test
  @Guarantee("Q19")
  void a_client_id_is_free_again_when_its_lease_was_answered_cancelled_or_timed_out() {
    Queue queue = create(named("orders"));
    parked(queue, "worker", 1).cancel(true);
    CompletableFuture<LeasedItems> second = waiting(queue, "worker", 1);
    eventually(
        () -> {
          pass(Duration.ofMinutes(1));
          return second.isDone();
        });
    assertThat(now(second).isEmpty()).isTrue();
    CompletableFuture<LeasedItems> third = parked(queue, "worker", 1);
    produce(queue, "a");
    assertThat(texts(now(third))).containsExactly("a");

    CompletableFuture<LeasedItems> fourth = parked(queue, "worker", 1);

    assertThat(fourth).isNotDone();
  }

  @Test
  @Guarantee("Q20")
  void a_client_may_hold_several_leases() {
    Queue queue = create(named("orders"));
    produce(queue, "a", "b");

    LeasedItems first = now(waiting(queue, "worker", 1));
    LeasedItems second = now(waiting(queue, "worker", 1));

    queue.complete(second);
    queue.complete(first);
    assertThat(stored(queue)).isEmpty();
  }

  @Test
  @Guarantee("Q21")
  void a_lease_falls_through_to_a_partition_with_items() {
    Queue queue = create(named("orders").partitions(5));
    lease(queue, 1);
    slipIn(queue, 2, "hidden");

    LeasedItems leased = now(waiting(queue, "worker", 10));

    assertThat(texts(leased)).containsExactly("hidden");
    assertThat(leased.partition()).isEqualTo(2);
  }

  @Test
  @Guarantee("Q22")
  void an_expired_item_is_never_handed_out() {
    Queue queue = create(named("orders"));
    produce(queue, "a");

    time.advance(EXPIRE);
    CompletableFuture<LeasedItems> lease = parked(queue, "worker", 1);

    assertThat(lease).isNotDone();
    assertThat(stored(queue).get(0).attempts()).isZero();
  }

  @Test
  @Guarantee("Q22")
  void an_item_about_to_expire_is_handed_out() {
    Queue queue = create(named("orders"));
    produce(queue, "a");

    time.advance(EXPIRE.minusMillis(1));

    assertThat(texts(now(waiting(queue, "worker", 1)))).containsExactly("a");
  }

  @Test
  @Guarantee("Q23")
  void a_scheduled_item_is_not_handed_out_early() {
    Queue queue = create(named("orders"));
    queue.produce(NewItem.text("later").at(in(Duration.ofSeconds(20))));

    pass(Duration.ofMillis(19_999));
    assertThat(lease(queue, 1).isEmpty()).isTrue();
    pass(Duration.ofMillis(1));

    assertThat(texts(lease(queue, 1))).containsExactly("later");
  }

  @Test
  @Guarantee("Q25")
  void a_lease_that_failed_is_not_delivered_and_goes_on() {
    FaultyQueueStore store = new FaultyQueueStore(subject.process());
    Queue queue = faulty(store);
    String id = produce(queue, "a").ids().get(0);
    store.failNext(Operation.LEASE, Moment.BEFORE, QueueException.retryable("down", null));

    CompletableFuture<LeasedItems> lease = waiting(queue, "worker", 1);
    eventually(() -> store.calls(Operation.LEASE) == 1 && hasParked(queue, 0));
    assertThat(stored(queues.queue("orders")).get(0).isLeased()).isFalse();
    passSeconds(6);

    assertThat(now(lease).items()).extracting(LeasedItem::id).containsExactly(id);
    assertThat(now(lease).items()).extracting(LeasedItem::attempts).containsExactly(1);
  }

  @Test
  @Guarantee({"Q25", "QF3"})
  void a_lease_whose_answer_was_lost_delivers_nothing_until_the_item_returns() {
    FaultyQueueStore store = new FaultyQueueStore(subject.process());
    Queue queue = faulty(store);
    String id = produce(queue, "a").ids().get(0);
    store.failNext(Operation.LEASE, Moment.AFTER, QueueException.unknown("cut", null));

    CompletableFuture<LeasedItems> lease = waiting(queue, "worker", 1);
    eventually(() -> stored(queues.queue("orders")).get(0).isLeased() && hasParked(queue, 0));
    passSeconds(9);
    assertThat(lease).isNotDone();
    passSeconds(6);

    LeasedItem item = now(lease).items().get(0);
    assertThat(item.attempts()).isEqualTo(2);
    assertThat(item.id()).isGreaterThan(id);
  }

  @Test
  @Guarantee({"Q26", "QF20"})
  void an_undelivered_item_is_handed_back_without_counting_an_attempt() {
    FaultyQueueStore store = new FaultyQueueStore(subject.process());
    Queue queue = faulty(store);
    String id = produce(queue, "a").ids().get(0);
    Halt halt = store.haltNext(Operation.LEASE, Moment.AFTER);

    CompletableFuture<LeasedItems> lease = waiting(queue, "worker", 1);
    halt.awaitReached();
    lease.cancel(true);
    halt.open();

    Queue other = queues.queue("orders");
    eventually(() -> !stored(other).get(0).isLeased());
    LeasedItem item = lease(other, 1).items().get(0);
    assertThat(item.id()).isEqualTo(id);
    assertThat(item.attempts()).isEqualTo(1);
  }

  @Test
  @Guarantee("Q27")
  void a_running_lease_keeps_its_deadline_when_the_timeout_changes() {
    Queue queue = create(named("orders"));
    produce(queue, "a", "b");
    Instant deadline = lease(queue, 1).items().get(0).leaseDeadline();

    queues.update("orders", QueueUpdate.NOTHING.leaseFor(Duration.ofMinutes(5)));

    assertThat(stored(queue).get(0).times().leaseDeadline()).isEqualTo(deadline);
    assertThat(lease(queue, 1).items().get(0).leaseDeadline()).isEqualTo(in(Duration.ofMinutes(5)));
    pass(LEASE);
    assertThat(texts(stored(queue))).containsExactly("b", "a");
  }

  private Queue faulty(FaultyQueueStore store) {
    create(named("orders"));
    return over(store.backend(), OPTIONS).queue("orders");
  }

  private void passSeconds(int seconds) {
    for (int i = 0; i < seconds; i++) {
      pass(Duration.ofSeconds(1));
    }
  }

  private static String[] pick(String[] from, int... indexes) {
    return IntStream.of(indexes).mapToObj(i -> from[i]).toArray(String[]::new);
  }
}
