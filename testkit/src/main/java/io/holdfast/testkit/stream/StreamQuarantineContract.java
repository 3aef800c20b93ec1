package io.holdfast.testkit.stream;

import static io.holdfast.stream.StreamError.GROUP_NOT_FOUND;
import static io.holdfast.stream.StreamError.LEASE_LOST;
import static io.holdfast.stream.StreamError.PARTITION_NOT_FOUND;
import static io.holdfast.stream.StreamError.QUEUE_NOT_FOUND;
import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.stream.CursorKey;
import io.holdfast.stream.DeadLetter;
import io.holdfast.stream.DeadLetterQuery;
import io.holdfast.stream.Explanation;
import io.holdfast.stream.Popped;
import io.holdfast.stream.StreamOption;
import io.holdfast.stream.StuckPartition;
import io.holdfast.stream.Verdict;
import io.holdfast.testkit.Guarantee;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Partitions that operators, consumers or failures have stopped for one group. */
public abstract class StreamQuarantineContract extends StreamOperatorSuite {
  private List<DeadLetter> letters() {
    return streams.deadLetters().list(DeadLetterQuery.of(QUEUE));
  }

  private Explanation.State state(String partition) {
    return streams.browser().explain(cursor(partition)).state();
  }

  private StuckPartition stuck() {
    List<StuckPartition> stuck = streams.browser().stuck(QUEUE);
    assertThat(stuck).hasSize(1);
    return stuck.get(0);
  }

  @Test
  @Guarantee("S90")
  void a_parked_partition_delivers_nothing_and_loses_nothing() {
    streams.configure(config());
    push("p", "a", "b");
    Popped held = pop(2);

    streams.admin().park(cursor("p"), "look at it");
    push("p", "c");

    assertThat(ack(held, Verdict.COMPLETED).get(0).error()).isEqualTo(LEASE_LOST);
    failing(LEASE_LOST, () -> streams.extend(lease(held), LEASE));
    assertThat(pop(5).isEmpty()).isTrue();
    pass(Duration.ofHours(100));
    assertThat(pop(5).isEmpty()).isTrue();
    assertThat(popOf("p", 5).isEmpty()).isTrue();
    assertThat(stored()).containsExactly("a", "b", "c");
    assertThat(streams.admin().unpark(cursor("p"), false)).isTrue();
    assertThat(texts(pop(5))).containsExactly("a", "b", "c");
  }

  @Test
  @Guarantee("S90")
  void a_partition_the_group_has_not_seen_can_be_parked() {
    push("p", "a");
    drained(GROUP);
    push("new", "b");

    streams.admin().park(cursor("new"), "not yet");

    assertThat(pop(5).isEmpty()).isTrue();
    assertThat(state("new")).isEqualTo(Explanation.State.PARKED);
  }

  @Test
  @Guarantee("S91")
  void other_partitions_go_on() {
    push("p", "a");
    push("q", "b");
    assertThat(drained(GROUP)).hasSize(2);

    streams.admin().park(cursor("p"), "look at it");
    push("p", "c");
    push("q", "d");

    assertThat(drained(GROUP)).containsExactly("d");
    assertThat(drained("other")).containsExactlyInAnyOrder("a", "b", "c", "d");
  }

  @Test
  @Guarantee("S92")
  void unpark_continues_in_order() {
    push("p", "a", "b", "c");
    Popped held = pop(3);
    ack(held, Verdict.COMPLETED, 0);
    streams.admin().park(cursor("p"), "look at it");
    push("p", "d");

    assertThat(streams.admin().unpark(cursor("p"), false)).isTrue();

    Popped rest = pop(5);
    assertThat(texts(rest)).containsExactly("b", "c", "d");
    assertThat(fence(rest)).isGreaterThan(fence(held));
  }

  @Test
  @Guarantee("S92")
  void unpark_gives_a_fresh_budget() {
    streams.configure(config().retrying(1, Duration.ZERO));
    push("p", "a");
    ack(pop(1), Verdict.FAILED, "once");
    streams.admin().park(cursor("p"), "look at it");

    streams.admin().unpark(cursor("p"), false);

    Popped again = pop(1);
    assertThat(attempts(again)).containsExactly(1);
    ack(again, Verdict.FAILED, "once more");
    assertThat(letters()).isEmpty();
    ack(pop(1), Verdict.FAILED, "too often");
    assertThat(letters()).hasSize(1);
  }

  @Test
  @Guarantee("S92")
  void unpark_wakes_who_waits() {
    push("p", "a");
    drained(GROUP);
    streams.admin().park(cursor("p"), "look at it");
    push("p", "b");
    CompletableFuture<Popped> waiting = parked(request(1));
    settle();
    assertThat(waiting).isNotDone();

    streams.admin().unpark(cursor("p"), false);

    assertThat(texts(now(waiting))).containsExactly("b");
  }

  @Test
  @Guarantee("S93")
  void skipping_the_head_dead_letters_it() {
    push("p", "a", "b");
    popFor(GROUP, 1);
    streams.admin().park(cursor("p"), "it is poison");

    assertThat(streams.admin().unpark(cursor("p"), true)).isTrue();

    DeadLetter letter = letters().get(0);
    assertThat(letter.message().payload().text()).isEqualTo("a");
    assertThat(letter.group()).isEqualTo(GROUP);
    assertThat(letter.failure().reason()).isEqualTo(DeadLetter.Reason.SKIPPED);
    assertThat(letter.failure().error()).isEqualTo("it is poison");
    assertThat(texts(pop(5))).containsExactly("b");
  }

  @Test
  @Guarantee("S94")
  void exhaustion_can_park() {
    streams.configure(config().retrying(1, Duration.ZERO).with(StreamOption.ON_EXHAUSTED, "park"));
    push("p", "a", "b");
    ack(pop(1), Verdict.FAILED, "boom");

    ack(pop(1), Verdict.FAILED, "boom again");

    assertThat(letters()).isEmpty();
    assertThat(pop(5).isEmpty()).isTrue();
    assertThat(state("p")).isEqualTo(Explanation.State.PARKED);
    assertThat(stuck().error()).isEqualTo("boom again");
    streams.admin().unpark(cursor("p"), true);
    assertThat(letters()).hasSize(1);
    assertThat(texts(pop(5))).containsExactly("b");
  }

  @Test
  @Guarantee("S94")
  void an_endless_crash_loop_can_park() {
    streams.configure(
        config().with(StreamOption.DELIVERY_LIMIT, 2).with(StreamOption.ON_EXHAUSTED, "park"));
    push("p", "a", "b");
    for (int crash = 0; crash < 2; crash++) {
      assertThat(texts(pop(1))).containsExactly("a");
      time.advance(LEASE);
    }

    assertThat(pop(1).isEmpty()).isTrue();

    assertThat(state("p")).isEqualTo(Explanation.State.PARKED);
    assertThat(letters()).isEmpty();
    streams.admin().unpark(cursor("p"), false);
    assertThat(texts(pop(5))).containsExactly("a", "b");
  }

  @Test
  @Guarantee("S90")
  void a_consumer_can_park() {
    push("p", "a", "b");

    ack(pop(1), Verdict.PARK, "somebody has to look");

    assertThat(stuck().reason()).isEqualTo(StuckPartition.Reason.PARKED);
    assertThat(stuck().error()).isEqualTo("somebody has to look");
    assertThat(pop(5).isEmpty()).isTrue();
    streams.admin().unpark(cursor("p"), false);
    assertThat(texts(pop(5))).containsExactly("a", "b");
  }

  @Test
  void what_is_not_parked_cannot_be_unparked() {
    push("p", "a");
    Popped held = pop(1);

    assertThat(streams.admin().unpark(cursor("p"), true)).isFalse();

    assertThat(letters()).isEmpty();
    assertThat(ack(held, Verdict.COMPLETED).get(0).isSuccess()).isTrue();
  }

  @Test
  void parking_knows_what_is_not_there() {
    push("p", "a");
    drained(GROUP);
    CursorKey noQueue = new CursorKey("nowhere", "p", GROUP);
    CursorKey noGroup = new CursorKey(QUEUE, "p", "nobody");

    failing(QUEUE_NOT_FOUND, () -> streams.admin().park(noQueue, "x"));
    failing(PARTITION_NOT_FOUND, () -> streams.admin().park(cursor("nowhere"), "x"));
    failing(GROUP_NOT_FOUND, () -> streams.admin().park(noGroup, "x"));
    failing(QUEUE_NOT_FOUND, () -> streams.admin().unpark(noQueue, false));
    failing(PARTITION_NOT_FOUND, () -> streams.admin().unpark(cursor("nowhere"), false));
    failing(GROUP_NOT_FOUND, () -> streams.admin().unpark(noGroup, false));
  }

  @Test
  void a_revoked_lease_is_lost_and_its_messages_come_again_free_of_charge() {
    streams.configure(config().retrying(0, Duration.ofHours(1)));
    push("p", "a", "b");
    Popped held = pop(2);

    assertThat(streams.admin().revoke(cursor("p"), null)).isTrue();

    assertThat(ack(held, Verdict.FAILED).get(0).error()).isEqualTo(LEASE_LOST);
    failing(LEASE_LOST, () -> streams.extend(lease(held), LEASE));
    Popped again = pop(2);
    assertThat(texts(again)).containsExactly("a", "b");
    assertThat(attempts(again)).containsExactly(1, 1);
    assertThat(fence(again)).isGreaterThan(fence(held));
  }

  @Test
  void a_revoke_keeps_what_was_completed_ahead() {
    push("p", "a", "b", "c");
    Popped held = pop(3);
    ack(held, Verdict.COMPLETED, 1);

    streams.admin().revoke(cursor("p"), null);

    assertThat(texts(pop(3))).containsExactly("a", "c");
  }

  @Test
  void a_revoke_may_name_the_fence_it_is_about() {
    push("p", "a");
    Popped held = pop(1);

    assertThat(streams.admin().revoke(cursor("p"), fence(held) + 1)).isFalse();
    assertThat(streams.extend(lease(held), LEASE).partitions()).isEqualTo(1);
    assertThat(streams.admin().revoke(cursor("p"), fence(held))).isTrue();
    assertThat(streams.admin().revoke(cursor("p"), null)).isFalse();
  }

  @Test
  void a_revoke_wakes_who_waits() {
    push("p", "a");
    pop(1);
    CompletableFuture<Popped> waiting = parked(request(1));

    streams.admin().revoke(cursor("p"), null);

    assertThat(texts(now(waiting))).containsExactly("a");
  }
}
