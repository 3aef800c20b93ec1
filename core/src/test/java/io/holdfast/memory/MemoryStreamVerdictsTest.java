package io.holdfast.memory;

import static io.holdfast.memory.MemoryStreamScene.CALL;
import static io.holdfast.memory.MemoryStreamScene.QUEUE;
import static io.holdfast.memory.MemoryStreamScene.acks;
import static io.holdfast.memory.MemoryStreamScene.config;
import static io.holdfast.memory.MemoryStreamScene.texts;
import static io.holdfast.stream.Verdict.COMPLETED;
import static io.holdfast.stream.Verdict.DEAD_LETTER;
import static io.holdfast.stream.Verdict.FAILED;
import static io.holdfast.stream.Verdict.PARK;
import static io.holdfast.stream.Verdict.RETRY;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.stream.Ack;
import io.holdfast.stream.Acked;
import io.holdfast.stream.DeadLetter;
import io.holdfast.stream.Explanation;
import io.holdfast.stream.PopRequest;
import io.holdfast.stream.Popped;
import io.holdfast.stream.QueueFullException;
import io.holdfast.stream.StreamError;
import io.holdfast.stream.StreamLog;
import io.holdfast.stream.StreamOption;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class MemoryStreamVerdictsTest {
  private final MemoryStreamScene scene = new MemoryStreamScene();

  private Popped four() {
    scene.push("p", "a", "b", "c", "d");
    return scene.pop(4);
  }

  @Test
  void a_full_batch_ack_releases_the_lease() {
    Popped popped = four();

    List<Acked> acked = scene.ackAll(popped, COMPLETED);

    assertThat(acked).containsOnly(new Acked(null, false, false, true));
    assertThat(scene.explain("p").state()).isEqualTo(Explanation.State.IDLE);
    assertThat(scene.pop(4).isEmpty()).isTrue();
  }

  @Test
  void a_partial_ack_keeps_the_lease_and_moves_over_the_completed_prefix_only() {
    Popped popped = four();

    List<Acked> acked = scene.ack(acks(popped, COMPLETED, null, COMPLETED));

    assertThat(acked).containsOnly(new Acked(null, false, false, false));
    assertThat(scene.explain("p").state()).isEqualTo(Explanation.State.LEASED);
    assertThat(scene.explain("p").pending()).isEqualTo(3);
    assertThat(scene.streams.monitor().leases(QUEUE, CALL).get(0).messages()).isEqualTo(2);
  }

  @Test
  void messages_completed_ahead_of_a_gap_are_not_redelivered() {
    Popped popped = four();
    scene.ack(acks(popped, null, COMPLETED, null, COMPLETED));

    scene.streams.leases().release(popped.leaseId(), null, CALL);

    assertThat(texts(scene.pop(4))).containsExactly("a", "c");
  }

  @Test
  void a_failure_stops_the_cursor_before_it() {
    Popped popped = four();

    List<Acked> acked = scene.ack(acks(popped, COMPLETED, FAILED, COMPLETED, FAILED));

    assertThat(acked)
        .containsExactly(
            new Acked(null, false, false, true),
            new Acked(null, false, false, true),
            new Acked(StreamError.REWOUND, false, false, true),
            new Acked(null, false, false, true));
    assertThat(scene.explain("p").state()).isEqualTo(Explanation.State.RETRYING);
    scene.pass(999);
    assertThat(scene.pop(4).isEmpty()).isTrue();
    scene.pass(1);
    assertThat(texts(scene.pop(4))).containsExactly("b", "c", "d");
  }

  @Test
  void a_failure_above_a_gap_counts_once_the_gap_is_closed() {
    Popped popped = four();
    scene.ack(acks(popped, null, FAILED));

    List<Acked> again = scene.ack(acks(popped, null, FAILED));
    List<Acked> other = scene.ack(acks(popped, null, COMPLETED));
    List<Acked> closed = scene.ack(acks(popped, COMPLETED));

    assertThat(again).containsExactly(new Acked(null, true, false, false));
    assertThat(other).containsExactly(Acked.refused(StreamError.INVALID_ARGUMENT));
    assertThat(closed).containsExactly(new Acked(null, false, false, true));
    assertThat(scene.explain("p").state()).isEqualTo(Explanation.State.RETRYING);
  }

  @Test
  void retry_limit_failures_are_retried_and_the_next_is_dead_lettered() {
    scene.configure(config().retrying(2, Duration.ZERO));
    scene.push("p", "a", "b");
    for (int i = 0; i < 2; i++) {
      assertThat(scene.ackAll(scene.pop(1), FAILED).get(0).isDead()).isFalse();
    }

    List<Acked> acked = scene.ack(acks(scene.pop(2), FAILED, COMPLETED));

    assertThat(acked)
        .containsExactly(new Acked(null, false, true, true), new Acked(null, false, false, true));
    DeadLetter.Failure failure = scene.dead().get(0).failure();
    assertThat(failure.reason()).isEqualTo(DeadLetter.Reason.RETRY_LIMIT);
    assertThat(failure.retryCount()).isEqualTo(3);
    assertThat(failure.attempt()).isEqualTo(3);
  }

  @Test
  void exhaustion_can_park() {
    scene.configure(config().retrying(0, Duration.ZERO).with(StreamOption.ON_EXHAUSTED, "park"));
    scene.push("p", "a");

    scene.ack(acks(scene.pop(1), FAILED));

    assertThat(scene.explain("p").state()).isEqualTo(Explanation.State.PARKED);
    assertThat(scene.dead()).isEmpty();
  }

  @Test
  void retry_is_immediate_and_free() {
    scene.configure(config().retrying(0, Duration.ofSeconds(9)));
    Popped popped = four();

    scene.ack(acks(popped, RETRY));

    Popped again = scene.pop(4);
    assertThat(texts(again)).containsExactly("a", "b", "c", "d");
    assertThat(again.batches().get(0).deliveries().get(0).attempt()).isEqualTo(2);
  }

  @Test
  void a_dead_letter_is_final_wherever_it_is() {
    Popped popped = four();

    List<Acked> acked = scene.ack(acks(popped, DEAD_LETTER, RETRY, DEAD_LETTER));

    assertThat(acked).extracting(Acked::isDead).containsExactly(true, false, true);
    assertThat(texts(scene.pop(4))).containsExactly("b", "d");
    assertThat(scene.dead()).hasSize(2);
  }

  @Test
  void park_stops_the_partition_and_loses_nothing() {
    Popped popped = four();

    scene.ack(acks(popped, COMPLETED, PARK));

    assertThat(scene.explain("p").state()).isEqualTo(Explanation.State.PARKED);
    assertThat(scene.pop(4).isEmpty()).isTrue();
    assertThat(scene.ackAll(popped, COMPLETED))
        .extracting(Acked::error)
        .containsOnly(StreamError.LEASE_LOST);
  }

  @Test
  void a_late_completed_ack_is_a_noop_and_a_late_nack_is_refused() {
    Popped popped = four();
    scene.ackAll(popped, COMPLETED);

    List<Acked> acked = scene.ack(acks(popped, COMPLETED, FAILED));

    assertThat(acked)
        .containsExactly(
            new Acked(null, true, false, false), Acked.refused(StreamError.ALREADY_COMMITTED));
  }

  @Test
  void an_expired_holder_settles_nothing() {
    Popped popped = four();
    scene.pass(300_000);

    List<Acked> acked = scene.ackAll(popped, COMPLETED);

    assertThat(acked).containsOnly(Acked.refused(StreamError.LEASE_LOST));
  }

  @Test
  void an_unknown_message_is_refused_and_the_lease_survives() {
    Popped popped = four();
    Ack known = popped.ackAll(COMPLETED).get(0);
    Ack unknown =
        new Ack(
            known.partitionId(),
            known.group(),
            known.leaseId(),
            Ack.Target.transaction("x"),
            COMPLETED,
            null);

    assertThat(scene.ack(List.of(unknown)))
        .containsExactly(Acked.refused(StreamError.UNRESOLVABLE));
    assertThat(scene.explain("p").state()).isEqualTo(Explanation.State.LEASED);
  }

  @Test
  void without_a_lease_only_what_nobody_holds_can_be_settled() {
    Popped popped = four();
    Ack leased = popped.ackAll(COMPLETED).get(0);
    Ack plain =
        new Ack(leased.partitionId(), leased.group(), null, leased.message(), COMPLETED, null);

    assertThat(scene.ack(List.of(plain))).containsExactly(Acked.refused(StreamError.LEASE_LOST));

    scene.pass(300_000);
    assertThat(scene.ack(List.of(plain)).get(0).isSuccess()).isTrue();
    assertThat(texts(scene.pop(4))).containsExactly("b", "c", "d");
  }

  @Test
  void a_refused_verdict_undoes_the_whole_transaction() {
    Popped popped = four();
    List<Ack> acks = acks(popped, DEAD_LETTER, FAILED, COMPLETED);

    StreamLog.TransactAnswer answer =
        scene
            .streams
            .log()
            .transact(List.of(MemoryStreamScene.entry("q", "x")), acks, Set.of(), CALL);

    assertThat(((StreamLog.Settled) answer).transacted().isCommitted()).isFalse();
    assertThat(scene.dead()).isEmpty();
    assertThat(scene.explain("p").pending()).isEqualTo(4);
    assertThat(scene.explain("p").state()).isEqualTo(Explanation.State.LEASED);
    assertThat(scene.ask(PopRequest.of(QUEUE).partition("q")).popped().isEmpty()).isTrue();
    assertThat(scene.ackAll(popped, COMPLETED)).allMatch(Acked::isSuccess);
  }

  @Test
  void a_full_queue_undoes_the_verdicts_of_a_transaction() {
    scene.configure(config().maxSize(4));
    Popped popped = four();
    StreamLog log = scene.streams.log();
    var two = List.of(MemoryStreamScene.entry("p", "e"), MemoryStreamScene.entry("p", "f"));

    assertThatThrownBy(() -> log.transact(two, acks(popped, COMPLETED), Set.of(), CALL))
        .isInstanceOf(QueueFullException.class);

    assertThat(scene.explain("p").pending()).isEqualTo(4);
    assertThat(scene.ackAll(popped, COMPLETED)).allMatch(Acked::isSuccess);
    assertThat(scene.push("p", "e").get(0).capacity().remaining()).isEqualTo(3);
  }
}
