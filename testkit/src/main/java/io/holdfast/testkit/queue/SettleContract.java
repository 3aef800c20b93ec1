package io.holdfast.testkit.queue;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.queue.LeasedItems;
import io.holdfast.queue.NewItem;
import io.holdfast.queue.Queue;
import io.holdfast.queue.QueueException;
import io.holdfast.queue.QueueException.Kind;
import io.holdfast.queue.Retry;
import io.holdfast.queue.StoredItem;
import io.holdfast.testkit.Guarantee;
import io.holdfast.testkit.queue.FaultyQueueStore.Moment;
import io.holdfast.testkit.queue.FaultyQueueStore.Operation;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What a holder can do with its lease: make it longer, or end it because the work is done. */
@SuppressWarnings("NullAway.Init") // the field is set before each test
public abstract class SettleContract extends QueueSuite {
  private Queue queue;

  @BeforeEach
  void createQueue() {
    queue = create(named("orders"));
  }

  @Test
  @Guarantee("Q28")
  void extend_moves_the_deadline_and_keeps_the_id() {
    LeasedItems held = held("a");
    time.advance(Duration.ofSeconds(4));

    Instant deadline = queue.extend(0, held.ids(), Duration.ofSeconds(30));

    assertThat(deadline).isEqualTo(in(Duration.ofSeconds(30)));
    pass(Duration.ofSeconds(29));
    StoredItem item = stored(queue).get(0);
    assertThat(item.id()).isEqualTo(held.ids().get(0));
    assertThat(item.isLeased()).isTrue();
    assertThat(item.attempts()).isEqualTo(1);
    assertThat(item.times().leaseDeadline()).isEqualTo(deadline);
    queue.complete(held);
  }

  @Test
  @Guarantee("Q28")
  void an_extended_lease_ends_at_its_new_deadline() {
    LeasedItems held = held("a");

    queue.extend(0, held.ids(), Duration.ofSeconds(30));
    pass(Duration.ofSeconds(30));

    assertThat(stored(queue).get(0).isLeased()).isFalse();
    assertThat(stored(queue).get(0).id()).isGreaterThan(held.ids().get(0));
  }

  @Test
  @Guarantee("Q28")
  void extend_without_a_duration_is_the_lease_timeout_counted_from_now() {
    LeasedItems held = held("a", "b");
    time.advance(Duration.ofSeconds(7));

    Instant deadline = queue.extend(0, held.ids(), null);

    assertThat(deadline).isEqualTo(in(LEASE));
    assertThat(stored(queue))
        .allSatisfy(item -> assertThat(item.times().leaseDeadline()).isEqualTo(deadline));
  }

  @Test
  @Guarantee("Q28")
  void extend_can_shorten_a_lease() {
    LeasedItems held = held("a");

    queue.extend(0, held.ids(), Duration.ofSeconds(1));
    pass(Duration.ofSeconds(1));

    assertThat(stored(queue).get(0).isLeased()).isFalse();
  }

  @Test
  @Guarantee("Q29")
  void a_lapsed_lease_cannot_be_extended() {
    LeasedItems held = held("a");
    time.advance(LEASE);

    QueueException failure = failing(Kind.CONFLICT, () -> queue.extend(0, held.ids(), null));

    assertThat(failure)
        .hasMessageStartingWith("item(s) cannot be extended; '" + held.ids().get(0) + "'");
    assertThat(stored(queue).get(0).times().leaseDeadline()).isEqualTo(instant());
  }

  @Test
  @Guarantee("Q29")
  void a_lease_that_went_back_to_the_queue_cannot_be_extended() {
    LeasedItems held = held("a");
    pass(LEASE);

    QueueException failure = failing(Kind.INVALID, () -> queue.extend(0, held.ids(), null));

    assertThat(failure).hasMessageContaining("'" + held.ids().get(0) + "' does not exist");
  }

  @Test
  @Guarantee("Q30")
  void extend_is_all_or_nothing() {
    String lapsed = held("lapsed").ids().get(0);
    time.advance(Duration.ofSeconds(5));
    String good = held("good").ids().get(0);
    Instant deadline = in(LEASE);
    time.advance(Duration.ofSeconds(5));
    produce(queue, "waiting");
    String waiting = stored(queue).get(2).id();

    failing(Kind.CONFLICT, () -> queue.extend(0, List.of(good, lapsed), null));
    failing(Kind.CONFLICT, () -> queue.extend(0, List.of(good, waiting), null));
    failing(Kind.INVALID, () -> queue.extend(0, List.of(good, strangersId()), null));

    assertThat(stored(queue).get(1).times().leaseDeadline()).isEqualTo(deadline);
  }

  @Test
  @Guarantee("Q31")
  void a_completed_item_is_gone() {
    LeasedItems held = held("a", "b");

    queue.complete(held);

    assertThat(stored(queue)).isEmpty();
    assertThat(scheduled(queue)).isEmpty();
    assertThat(queue.admin().stats().partitions().get(0).counts().total()).isZero();
    pass(EXPIRE);
    assertThat(lease(queue, 1).isEmpty()).isTrue();
  }

  @Test
  @Guarantee("Q31")
  void completing_some_items_of_a_lease_leaves_the_others() {
    LeasedItems held = held("a", "b", "c");

    queue.complete(0, List.of(held.ids().get(1)), PATIENCE);

    assertThat(texts(stored(queue))).containsExactly("a", "c");
    assertThat(stored(queue)).allMatch(StoredItem::isLeased);
  }

  @Test
  @Guarantee("Q32")
  void the_first_malformed_id_is_named() {
    LeasedItems held = held("a");
    String good = held.ids().get(0);

    QueueException failure =
        failing(
            Kind.INVALID, () -> queue.complete(0, List.of(good, "not-an-id", "neither"), PATIENCE));

    assertThat(failure).hasMessageContaining("'not-an-id'");
    assertThat(stored(queue)).hasSize(1);
  }

  @Test
  @Guarantee("Q32")
  void the_first_missing_or_not_leased_id_is_named() {
    String good = held("a").ids().get(0);
    String waiting = produce(queue, "b").ids().get(0);
    String missing = strangersId();

    QueueException notLeased =
        failing(Kind.CONFLICT, () -> queue.complete(0, List.of(good, waiting, missing), PATIENCE));
    QueueException notThere =
        failing(Kind.INVALID, () -> queue.complete(0, List.of(good, missing, waiting), PATIENCE));

    assertThat(notLeased)
        .hasMessage("item(s) cannot be completed; '" + waiting + "' is not marked as leased");
    assertThat(notThere).hasMessageContaining("'" + missing + "' does not exist");
  }

  @Test
  @Guarantee({"Q33", "QF7"})
  void a_request_with_a_bad_id_deletes_nothing_and_the_good_ones_can_be_sent_again() {
    LeasedItems held = held("a", "b");
    List<String> withBad = List.of(held.ids().get(0), strangersId(), held.ids().get(1));

    failing(Kind.INVALID, () -> queue.complete(0, withBad, PATIENCE));
    assertThat(stored(queue)).hasSize(2).allMatch(StoredItem::isLeased);
    queue.complete(held);

    assertThat(stored(queue)).isEmpty();
  }

  @Test
  @Guarantee({"Q33", "QF19"})
  void one_bad_id_undoes_its_request_and_no_other() {
    FaultyQueueStore store = new FaultyQueueStore(subject.process());
    Queue same = over(store.backend(), OPTIONS).queue("orders");
    List<String> ids = held("1", "2", "3", "4", "5").ids();
    Halt first = store.haltNext(Operation.COMPLETE, Moment.BEFORE);
    Halt second = store.haltNext(Operation.COMPLETE, Moment.BEFORE);

    CompletableFuture<Void> one = same.completeAsync(0, ids.subList(0, 1), PATIENCE);
    first.awaitReached();
    CompletableFuture<Void> two = same.completeAsync(0, ids.subList(1, 2), PATIENCE);
    second.awaitReached();
    CompletableFuture<Void> good = same.completeAsync(0, ids.subList(2, 3), PATIENCE);
    CompletableFuture<Void> bad =
        same.completeAsync(0, List.of(ids.get(3), strangersId()), PATIENCE);
    CompletableFuture<Void> better = same.completeAsync(0, ids.subList(4, 5), PATIENCE);
    first.open();
    second.open();

    CompletableFuture.allOf(one, two, good, better).join();
    failing(Kind.INVALID, () -> now(bad));
    assertThat(texts(stored(queue))).containsExactly("4");
  }

  @Test
  @Guarantee("Q34")
  void an_id_listed_twice_is_refused() {
    LeasedItems held = held("a", "b");
    String a = held.ids().get(0);
    String b = held.ids().get(1);

    QueueException complete =
        failing(Kind.INVALID, () -> queue.complete(0, List.of(a, b, a), PATIENCE));
    failing(Kind.INVALID, () -> queue.extend(0, List.of(a, b, a), null));
    failing(Kind.INVALID, () -> queue.retry(0, List.of(Retry.now(a), Retry.now(b), Retry.dead(a))));

    assertThat(complete).hasMessageContaining("'" + a + "'");
    assertThat(stored(queue)).extracting(StoredItem::id).containsExactly(a, b);
    queue.complete(held);
  }

  @Test
  @Guarantee({"Q35", "QF5"})
  void after_lease_expiry_the_old_id_does_not_exist_and_the_new_one_is_not_leased() {
    LeasedItems held = held("a");
    pass(LEASE);
    String renewed = stored(queue).get(0).id();

    QueueException old = failing(Kind.INVALID, () -> queue.complete(held));
    QueueException fresh =
        failing(Kind.CONFLICT, () -> queue.complete(0, List.of(renewed), PATIENCE));

    assertThat(old).hasMessageContaining("'" + held.ids().get(0) + "' does not exist");
    assertThat(fresh)
        .hasMessage("item(s) cannot be completed; '" + renewed + "' is not marked as leased");
    assertThat(stored(queue)).hasSize(1);
  }

  @Test
  @Guarantee("Q36")
  void a_late_complete_succeeds_while_the_item_was_not_re_queued() {
    LeasedItems held = held("a");
    time.advance(LEASE.plusSeconds(5));

    queue.complete(held);

    assertThat(stored(queue)).isEmpty();
    settle();
    assertThat(stored(queue)).isEmpty();
  }

  @Test
  @Guarantee("Q37")
  void a_scheduled_item_cannot_be_completed() {
    String id = queue.produce(NewItem.text("later").at(in(Duration.ofMinutes(1)))).ids().get(0);

    QueueException failure = failing(Kind.INVALID, () -> queue.complete(0, List.of(id), PATIENCE));

    assertThat(failure).hasMessageContaining("'" + id + "' does not exist");
    assertThat(scheduled(queue)).hasSize(1);
  }

  @Test
  @Guarantee("QF3")
  void a_complete_whose_answer_was_lost_says_so() {
    FaultyQueueStore store = new FaultyQueueStore(subject.process());
    Queue same = over(store.backend(), OPTIONS).queue("orders");
    LeasedItems held = held("a");
    store.failNext(Operation.COMPLETE, Moment.AFTER, QueueException.unknown("cut", null));

    QueueException failure = failing(Kind.RETRYABLE, () -> same.complete(held));

    assertThat(failure.isOutcomeUnknown()).isTrue();
    assertThat(store.calls(Operation.COMPLETE)).isEqualTo(1);
    assertThat(stored(queue)).isEmpty();
  }

  private LeasedItems held(String... payloads) {
    produce(queue, payloads);
    LeasedItems held = lease(queue, payloads.length);
    assertThat(texts(held)).containsExactly(payloads);
    return held;
  }
}
