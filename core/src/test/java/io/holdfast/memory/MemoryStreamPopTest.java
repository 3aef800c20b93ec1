package io.holdfast.memory;

import static io.holdfast.memory.MemoryStreamScene.CALL;
import static io.holdfast.memory.MemoryStreamScene.QUEUE;
import static io.holdfast.memory.MemoryStreamScene.config;
import static io.holdfast.memory.MemoryStreamScene.partitions;
import static io.holdfast.memory.MemoryStreamScene.texts;
import static io.holdfast.stream.Verdict.COMPLETED;
import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.stream.CursorKey;
import io.holdfast.stream.DeadLetter;
import io.holdfast.stream.Dropped;
import io.holdfast.stream.Explanation;
import io.holdfast.stream.Extended;
import io.holdfast.stream.PopRequest;
import io.holdfast.stream.PopSource;
import io.holdfast.stream.Popped;
import io.holdfast.stream.Position;
import io.holdfast.stream.Pushed;
import io.holdfast.stream.Redrive;
import io.holdfast.stream.Redriven;
import io.holdfast.stream.Start;
import io.holdfast.stream.StreamLeases;
import io.holdfast.stream.StreamOption;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class MemoryStreamPopTest {
  private final MemoryStreamScene scene = new MemoryStreamScene();

  @Test
  void the_partition_that_waits_longest_is_first_then_the_fuller_one() {
    scene.configure(config());
    scene.pop(1);
    scene.push("late", "a");
    scene.pass(1);
    scene.push("thin", "b");
    scene.push("thick", "c", "d");

    Popped popped = scene.ask(PopRequest.of(QUEUE).batch(9).partitions(3)).popped();

    assertThat(partitions(popped)).containsExactly("late", "thick", "thin");
  }

  @Test
  void every_waiting_partition_is_served_before_any_is_served_twice() {
    scene.push("a", "a1", "a2");
    scene.pop(1);
    scene.streams.groups().seek(QUEUE, PopRequest.QUEUE_MODE, "a", Position.BEGIN, CALL);
    scene.pass(1);
    scene.push("b", "b1");
    scene.pass(1);

    scene.ackAll(scene.pop(1), COMPLETED);

    assertThat(texts(scene.pop(1))).containsExactly("b1");
    assertThat(texts(scene.pop(1))).containsExactly("a2");
  }

  @Test
  void a_leased_partition_is_not_given_again_until_its_lease_is_over() {
    scene.push("p", "a", "b");
    Popped first = scene.pop(2);

    StreamLeases.PopAnswer meanwhile = scene.ask(PopRequest.of(QUEUE));
    scene.pass(300_000);
    Popped second = scene.pop(2);

    assertThat(meanwhile.popped().isEmpty()).isTrue();
    assertThat(meanwhile.nextIn()).isEqualTo(Duration.ofSeconds(300));
    assertThat(texts(second)).containsExactly("a", "b");
    assertThat(second.batches().get(0).deliveries()).allMatch(d -> d.attempt() == 2);
    assertThat(second.batches().get(0).lease().fence())
        .isEqualTo(first.batches().get(0).lease().fence() + 1);
  }

  @Test
  void after_three_expiries_one_message_comes_at_a_time() {
    scene.push("p", "a", "b");
    for (int i = 0; i < 3; i++) {
      scene.pop(2);
      scene.pass(300_000);
    }

    assertThat(texts(scene.pop(2))).containsExactly("a");
  }

  @Test
  void the_delivery_limit_ends_a_crash_loop() {
    scene.configure(config().with(StreamOption.DELIVERY_LIMIT, 2));
    scene.push("p", "a", "b");
    for (int i = 0; i < 2; i++) {
      scene.pop(1);
      scene.pass(300_000);
    }

    Popped popped = scene.pop(2);

    assertThat(texts(popped)).containsExactly("b");
    assertThat(popped.batches().get(0).deliveries().get(0).attempt()).isEqualTo(1);
    DeadLetter.Failure failure = scene.dead().get(0).failure();
    assertThat(failure.reason()).isEqualTo(DeadLetter.Reason.DELIVERY_LIMIT);
    assertThat(failure.attempt()).isEqualTo(2);
  }

  @Test
  void a_delayed_message_is_invisible_until_due() {
    scene.configure(config().with(StreamOption.DELAYED_PROCESSING, 10));
    scene.push("p", "a");
    scene.pass(4000);
    scene.push("p", "b");

    StreamLeases.PopAnswer early = scene.ask(PopRequest.of(QUEUE));
    scene.pass(6000);

    assertThat(early.nextIn()).isEqualTo(Duration.ofSeconds(6));
    assertThat(texts(scene.pop(9))).containsExactly("a");
  }

  @Test
  void a_shorter_delay_holds_for_the_next_pop() {
    scene.configure(config().with(StreamOption.DELAYED_PROCESSING, 10));
    scene.pop(1);
    scene.push("p", "a");
    scene.configure(config().with(StreamOption.DELAYED_PROCESSING, 0));

    assertThat(texts(scene.pop(1))).containsExactly("a");
  }

  @Test
  void the_window_holds_a_partition_until_quiet_but_no_longer_than_five_windows() {
    scene.configure(config().with(StreamOption.WINDOW_BUFFER, 2));
    for (int i = 0; i < 10; i++) {
      scene.push("p", "m" + i);
      assertThat(scene.pop(99).isEmpty()).isTrue();
      scene.pass(1000);
    }

    assertThat(scene.pop(99).messages()).hasSize(10);
  }

  @Test
  void a_message_past_its_max_wait_time_is_not_delivered() {
    scene.configure(config().with(StreamOption.MAX_WAIT_TIME, 5));
    scene.push("p", "a");
    scene.pass(5000);
    scene.push("p", "b");

    assertThat(texts(scene.pop(9))).containsExactly("b");
    assertThat(scene.streams.monitor().tally(QUEUE, PopRequest.QUEUE_MODE, CALL).expired())
        .isEqualTo(1);
  }

  @Test
  void auto_ack_delivers_once_and_holds_no_lease() {
    scene.push("p", "a", "b");

    Popped popped = scene.ask(PopRequest.of(QUEUE).autoAck(true)).popped();

    assertThat(texts(popped)).containsExactly("a");
    assertThat(popped.leaseId()).isNull();
    assertThat(texts(scene.pop(9))).containsExactly("b");
  }

  @Test
  void release_hands_the_rest_back_uncharged() {
    scene.push("p", "a", "b");
    Popped popped = scene.pop(2);

    StreamLeases.Returned returned = scene.streams.leases().release(popped.leaseId(), null, CALL);

    assertThat(returned.partitions()).isEqualTo(1);
    assertThat(returned.ready()).hasSize(1);
    assertThat(scene.pop(2).batches().get(0).deliveries()).allMatch(d -> d.attempt() == 1);
  }

  @Test
  void extend_never_shortens_and_an_expired_holder_cannot_extend() {
    scene.push("p", "a");
    Popped popped = scene.pop(1);
    var extension = new StreamLeases.Extension(popped.leaseId(), Duration.ofSeconds(1));

    Extended extended = scene.streams.leases().extend(List.of(extension), CALL).get(0);
    scene.pass(300_000);

    assertThat(extended.expiresAt()).isEqualTo(popped.batches().get(0).lease().expiresAt());
    assertThat(scene.streams.leases().extend(List.of(extension), CALL))
        .containsExactly(Extended.LOST);
  }

  @Test
  void a_new_group_skips_what_exists_and_sees_later_partitions() {
    scene.push("p", "a");
    PopRequest request =
        PopRequest.of(QUEUE).group("g").startingAt(Start.NEW).batch(9).partitions(9);

    assertThat(scene.ask(request).popped().isEmpty()).isTrue();
    scene.pass(1);
    scene.push("p", "b");
    scene.push("q", "c");

    assertThat(texts(scene.ask(request).popped())).containsExactly("b", "c");
  }

  @Test
  void a_pop_by_labels_serves_the_queue_that_waits_longest() {
    scene.push("p", "a");

    assertThat(scene.ask(PopRequest.of(PopSource.labels(QUEUE, null))).popped().queue())
        .isEqualTo(QUEUE);
    assertThat(scene.ask(PopRequest.of(PopSource.labels("other", null))).popped().isEmpty())
        .isTrue();
  }

  @Test
  void a_deleted_message_leaves_a_gap_that_a_pop_passes() {
    scene.push("p", "a", "b");
    scene.pop(1);
    scene.streams.groups().seek(QUEUE, PopRequest.QUEUE_MODE, null, Position.offset(2), CALL);
    Pushed b = scene.push("p", "b").get(0);
    scene.streams.reader().delete(b.partitionId(), "b", CALL);

    assertThat(b.status()).isEqualTo(Pushed.Status.DUPLICATE);
    assertThat(scene.pop(1).isEmpty()).isTrue();
    assertThat(scene.explain("p").pending()).isZero();
    assertThat(scene.explain("p").state()).isEqualTo(Explanation.State.IDLE);
  }

  @Test
  void a_redriven_letter_goes_to_the_failing_group_only() {
    scene.push("p", "a");
    scene.ask(PopRequest.of(QUEUE).group("other").autoAck(true));
    scene.pop(1);
    CursorKey cursor = new CursorKey(QUEUE, "p", PopRequest.QUEUE_MODE);
    scene.streams.leases().park(cursor, "look", CALL);
    scene.streams.leases().unpark(cursor, true, CALL);
    DeadLetter letter = scene.dead().get(0);
    scene.pass(1);

    Redriven redriven = scene.streams.deadLetters().redrive(letter.id(), Redrive.BACK, false, CALL);

    assertThat(letter.failure().error()).isEqualTo("look");
    assertThat(redriven.outcome()).isEqualTo(Redriven.Outcome.MOVED);
    assertThat(scene.ask(PopRequest.of(QUEUE).group("other")).popped().isEmpty()).isTrue();
    assertThat(texts(scene.pop(1))).containsExactly("a");
    assertThat(scene.dead()).isEmpty();
  }

  @Test
  void retention_drops_unread_messages_and_reports_the_loss() {
    scene.configure(
        config().with(StreamOption.RETENTION_ENABLED, true).with(StreamOption.RETENTION, 60));
    scene.pop(1);
    scene.push("p", "a", "b");
    scene.pass(60_000);
    scene.push("p", "c");

    int dropped = scene.streams.upkeep().retain(CALL);

    assertThat(dropped).isEqualTo(2);
    Dropped line = scene.streams.monitor().dropped(QUEUE, 9, CALL).get(0);
    assertThat(line.reason()).isEqualTo(Dropped.Reason.AGE);
    assertThat(line.lost()).isEqualTo(2);
    assertThat(line.through()).isEqualTo(2);
    assertThat(texts(scene.pop(9))).containsExactly("c");
  }

  @Test
  void a_live_batch_is_never_dropped() {
    scene.configure(
        config().with(StreamOption.RETENTION_ENABLED, true).with(StreamOption.RETENTION, 60));
    scene.push("p", "a", "b");
    scene.pop(1);
    scene.pass(60_000);

    assertThat(scene.streams.upkeep().retain(CALL)).isZero();
  }

  @Test
  void another_process_sees_the_same_queues_and_hints() {
    scene.push("p", "a");

    assertThat(scene.store.streamProcess().catalog().find(QUEUE, CALL)).isPresent();
    assertThat(scene.store.streamProcess().hints()).isSameAs(scene.streams.hints());
  }
}
