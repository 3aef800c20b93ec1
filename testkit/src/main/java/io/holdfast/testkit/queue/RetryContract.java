package io.holdfast.testkit.queue;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.queue.LeasedItem;
import io.holdfast.queue.LeasedItems;
import io.holdfast.queue.NewItem;
import io.holdfast.queue.Queue;
import io.holdfast.queue.QueueException;
import io.holdfast.queue.QueueException.Kind;
import io.holdfast.queue.Retry;
import io.holdfast.queue.StoredItem;
import io.holdfast.testkit.Guarantee;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What giving an item back promises. */
public abstract class RetryContract extends QueueSuite {
  private static final Duration LATER = Duration.ofSeconds(20);

  @Test
  @Guarantee("Q38")
  void an_immediate_retry_goes_to_the_tail_under_a_new_id() {
    Queue queue = create(named("orders"));
    produce(queue, "a", "b", "c");
    String id = lease(queue, 1).ids().get(0);
    StoredItem before = stored(queue).get(0);
    time.advance(Duration.ofSeconds(1));

    queue.retry(0, List.of(Retry.now(id)));

    assertThat(texts(stored(queue))).containsExactly("b", "c", "a");
    StoredItem after = stored(queue).get(2);
    assertThat(after.attempts()).isEqualTo(1);
    assertThat(after.isLeased()).isFalse();
    assertThat(after.times().createdAt()).isEqualTo(before.times().createdAt());
    assertThat(after.times().expireDeadline()).isEqualTo(before.times().expireDeadline());
    failing(Kind.INVALID, () -> queue.complete(0, List.of(id), PATIENCE));
    LeasedItems next = lease(queue, 3);
    assertThat(texts(next)).containsExactly("b", "c", "a");
    assertThat(next.items()).extracting(LeasedItem::attempts).containsExactly(1, 1, 2);
  }

  @Test
  @Guarantee("Q38")
  void items_retried_together_go_to_the_tail_in_the_order_given() {
    Queue queue = create(named("orders"));
    produce(queue, "a", "b", "c");
    List<String> ids = lease(queue, 3).ids();

    queue.retry(0, List.of(Retry.now(ids.get(2)), Retry.now(ids.get(0)), Retry.now(ids.get(1))));

    assertThat(texts(stored(queue))).containsExactly("c", "a", "b");
  }

  @Test
  @Guarantee("Q38")
  void an_immediate_retry_after_its_expiry_is_dead_lettered() {
    Queue dead = create(named("dead").expireAfter(Duration.ofDays(1)));
    Queue queue = create(named("orders").expireAfter(LEASE).deadQueue("dead"));
    produce(queue, "a");
    time.advance(Duration.ofSeconds(5));
    String id = lease(queue, 1).ids().get(0);
    time.advance(Duration.ofSeconds(5));

    queue.retry(0, List.of(Retry.now(id)));

    assertThat(stored(queue)).isEmpty();
    assertThat(stored(dead).get(0).origin())
        .isEqualTo(new StoredItem.Origin(id, "orders", "expired"));
  }

  @ParameterizedTest
  @Guarantee("Q39")
  @ValueSource(longs = {-3_600_000, 0, 99})
  void a_retry_time_in_the_past_or_under_100_ms_ahead_is_immediate(long ms) {
    Queue queue = create(named("orders"));
    String id = held(queue, "a");

    queue.retry(0, List.of(Retry.at(id, instant().plusMillis(ms))));

    assertThat(scheduled(queue)).isEmpty();
    assertThat(lease(queue, 1).items()).extracting(LeasedItem::attempts).containsExactly(2);
  }

  @Test
  @Guarantee("Q40")
  void a_later_retry_is_listed_as_scheduled_and_returns_with_its_attempts() {
    Queue queue = create(named("orders"));
    String id = held(queue, "a");
    Instant at = in(LATER);

    queue.retry(0, List.of(Retry.at(id, at)));

    assertThat(stored(queue)).isEmpty();
    StoredItem waiting = scheduled(queue).get(0);
    assertThat(waiting.id()).isEqualTo(id);
    assertThat(waiting.attempts()).isEqualTo(1);
    assertThat(waiting.isLeased()).isFalse();
    assertThat(waiting.times().enqueueAt()).isEqualTo(at);
    assertThat(waiting.times().expireDeadline()).isEqualTo(at.plus(EXPIRE));
    pass(LATER.minusMillis(1));
    assertThat(lease(queue, 1).isEmpty()).isTrue();
    pass(Duration.ofMillis(1));
    LeasedItem back = lease(queue, 1).items().get(0);
    assertThat(back.attempts()).isEqualTo(2);
    assertThat(back.id()).isGreaterThan(id);
  }

  @Test
  @Guarantee("Q40")
  void a_later_retry_never_brings_the_expiry_nearer() {
    Queue queue = create(named("orders"));
    String id = held(queue, "a");
    Instant expiry = in(EXPIRE);
    queues.update(
        "orders", io.holdfast.queue.QueueUpdate.NOTHING.expireAfter(Duration.ofMinutes(1)));

    queue.retry(0, List.of(Retry.at(id, in(LATER))));

    assertThat(scheduled(queue).get(0).times().expireDeadline()).isEqualTo(expiry);
  }

  @Test
  @Guarantee("Q40")
  void an_item_retried_for_later_cannot_be_settled_with_its_id() {
    Queue queue = create(named("orders"));
    String id = held(queue, "a");

    queue.retry(0, List.of(Retry.at(id, in(LATER))));

    failing(Kind.INVALID, () -> queue.complete(0, List.of(id), PATIENCE));
    failing(Kind.INVALID, () -> queue.retry(0, List.of(Retry.now(id))));
    failing(Kind.INVALID, () -> queue.extend(0, List.of(id), null));
    assertThat(scheduled(queue)).hasSize(1);
  }

  @Test
  @Guarantee("Q41")
  void retry_dead_moves_to_the_dead_queue() {
    Queue dead = create(named("dead").expireAfter(Duration.ofDays(2)));
    Queue queue = create(named("orders").deadQueue("dead"));
    NewItem item = NewItem.text("a").withReference("ref").withEncoding("enc").withKind("kind");
    queue.produce(item);
    String id = lease(queue, 1).ids().get(0);
    time.advance(Duration.ofSeconds(3));

    queue.retry(0, List.of(Retry.dead(id)));

    assertThat(stored(queue)).isEmpty();
    StoredItem arrived = stored(dead).get(0);
    assertThat(arrived.content()).isEqualTo(item.content());
    assertThat(arrived.origin()).isEqualTo(new StoredItem.Origin(id, "orders", "dead"));
    assertThat(arrived.attempts()).isZero();
    assertThat(arrived.isLeased()).isFalse();
    assertThat(arrived.id()).isNotEqualTo(id);
    assertThat(arrived.times())
        .isEqualTo(new StoredItem.Times(instant(), null, null, in(Duration.ofDays(2))));
  }

  @Test
  @Guarantee("Q42")
  void retry_dead_without_a_dead_queue_deletes() {
    Queue queue = create(named("orders"));
    String id = held(queue, "a");

    queue.retry(0, List.of(Retry.dead(id)));

    assertThat(stored(queue)).isEmpty();
    assertThat(scheduled(queue)).isEmpty();
  }

  @Test
  @Guarantee("Q43")
  void retry_of_an_exhausted_item_dead_letters_it() {
    Queue dead = create(named("dead"));
    Queue queue = create(named("orders").deadQueue("dead").maxAttempts(2));
    String first = held(queue, "a");
    queue.retry(0, List.of(Retry.now(first)));
    assertThat(stored(dead)).isEmpty();

    String second = lease(queue, 1).ids().get(0);
    queue.retry(0, List.of(Retry.now(second)));

    assertThat(stored(queue)).isEmpty();
    assertThat(stored(dead).get(0).origin())
        .isEqualTo(new StoredItem.Origin(second, "orders", "exhausted"));
  }

  @Test
  @Guarantee("Q43")
  void an_exhausted_item_is_not_scheduled_for_another_try() {
    Queue dead = create(named("dead"));
    Queue queue = create(named("orders").deadQueue("dead").maxAttempts(1));
    String id = held(queue, "a");

    queue.retry(0, List.of(Retry.at(id, in(LATER))));

    assertThat(scheduled(queue)).isEmpty();
    assertThat(stored(dead).get(0).origin().deadReason()).isEqualTo("exhausted");
  }

  @Test
  @Guarantee("Q44")
  void retry_is_all_or_nothing() {
    Queue dead = create(named("dead"));
    Queue queue = create(named("orders").deadQueue("dead"));
    produce(queue, "a", "b", "c", "d");
    List<String> ids = lease(queue, 3).ids();
    String waiting = stored(queue).get(3).id();
    List<Retry> good =
        List.of(Retry.now(ids.get(0)), Retry.at(ids.get(1), in(LATER)), Retry.dead(ids.get(2)));

    QueueException notLeased =
        failing(Kind.CONFLICT, () -> queue.retry(0, and(good, Retry.now(waiting))));
    failing(Kind.INVALID, () -> queue.retry(0, and(good, Retry.now(strangersId()))));
    failing(Kind.INVALID, () -> queue.retry(0, and(good, Retry.now("malformed"))));

    assertThat(notLeased)
        .hasMessage("item(s) cannot be retried; '" + waiting + "' is not marked as leased");
    assertThat(stored(queue).subList(0, 3)).allMatch(StoredItem::isLeased);
    assertThat(stored(dead)).isEmpty();
    assertThat(scheduled(queue)).isEmpty();
    queue.retry(0, good);
    assertThat(texts(stored(queue))).containsExactly("d", "a");
    assertThat(texts(scheduled(queue))).containsExactly("b");
    assertThat(texts(stored(dead))).containsExactly("c");
  }

  @Test
  @Guarantee("Q45")
  void dead_wins_over_a_retry_time_and_over_exhaustion() {
    Queue dead = create(named("dead"));
    Queue queue = create(named("orders").deadQueue("dead").maxAttempts(1));
    String id = held(queue, "a");

    queue.retry(0, List.of(new Retry(id, in(LATER), true)));

    assertThat(scheduled(queue)).isEmpty();
    assertThat(stored(dead).get(0).origin().deadReason()).isEqualTo("dead");
  }

  private String held(Queue queue, String payload) {
    produce(queue, payload);
    return lease(queue, 1).ids().get(0);
  }

  private static List<Retry> and(List<Retry> some, Retry last) {
    return Stream.concat(some.stream(), Stream.of(last)).toList();
  }
}
