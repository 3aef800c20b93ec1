package io.holdfast.testkit.stream;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.stream.Ack;
import io.holdfast.stream.Acked;
import io.holdfast.stream.NewMessage;
import io.holdfast.stream.Popped;
import io.holdfast.stream.StreamError;
import io.holdfast.stream.Verdict;
import io.holdfast.testkit.Guarantee;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What settling promises: how far the cursor moves, and what becomes of each verdict. */
public abstract class StreamAckContract extends StreamSuite {
  private static final Acked DONE = new Acked(null, false, false, false);
  private static final Acked LAST = new Acked(null, false, false, true);
  private static final Acked NOOP = new Acked(null, true, false, false);

  @BeforeEach
  void makeQueue() {
    streams.configure(config());
  }

  /** Verdicts of several kinds about a pop's only batch, as one call. */
  @SafeVarargs
  private static List<Ack> together(List<Ack>... parts) {
    List<Ack> all = new ArrayList<>();
    for (List<Ack> part : parts) {
      all.addAll(part);
    }
    return all;
  }

  private static Ack about(Popped popped, Ack.Target target, Verdict verdict) {
    UUID partition = popped.batches().get(0).partitionId();
    return new Ack(partition, popped.group(), popped.leaseId(), target, verdict, null);
  }

  @Test
  @Guarantee("S48")
  void a_full_batch_ack_releases_the_lease() {
    push("p", "a", "b", "c");

    List<Acked> acked = ack(pop(2), Verdict.COMPLETED);

    assertThat(acked).containsExactly(LAST, LAST);
    assertThat(streams.browser().leases(QUEUE)).isEmpty();
    Popped next = process().pop(request(2));
    assertThat(texts(next)).containsExactly("c");
    assertThat(attempts(next)).containsExactly(1);
  }

  @Test
  @Guarantee("S49")
  void a_partial_ack_keeps_the_lease() {
    push("p", "a", "b", "c", "d");
    Popped popped = pop(3);
    time.advanceMs(1);

    assertThat(ack(popped, Verdict.COMPLETED, 0, 1)).containsExactly(DONE, DONE);

    assertThat(streams.browser().leases(QUEUE))
        .singleElement()
        .matches(lease -> lease.leaseId().equals(popped.leaseId()))
        .matches(lease -> lease.expiresAt().equals(instant().minusMillis(1).plus(LEASE)))
        .matches(lease -> lease.messages() == 1);
    assertThat(pop(10).isEmpty()).isTrue();
    assertThat(ack(popped, Verdict.COMPLETED, 2)).containsExactly(LAST);
    assertThat(texts(pop(10))).containsExactly("d");
  }

  @Test
  @Guarantee("S50")
  void a_partial_ack_moves_over_the_contiguous_completed_prefix_only() {
    push("p", numbered(5));
    Popped popped = pop(5);

    ack(popped, Verdict.COMPLETED, 1, 3);
    assertThat(committed("p")).isZero();
    ack(popped, Verdict.COMPLETED, 0);
    assertThat(committed("p")).isEqualTo(2);
    assertThat(streams.browser().depth(QUEUE).depth()).isEqualTo(3);
    ack(popped, Verdict.COMPLETED, 2);
    assertThat(committed("p")).isEqualTo(4);

    assertThat(ack(popped, Verdict.COMPLETED, 4)).containsExactly(LAST);
  }

  @Test
  @Guarantee("S51")
  void messages_completed_ahead_of_a_gap_are_not_redelivered() {
    push("p", numbered(7));
    Popped popped = pop(6);
    ack(popped, Verdict.COMPLETED, 0, 2, 4);

    time.advance(LEASE);
    Popped second = pop(10);
    assertThat(texts(second)).containsExactly("m2", "m4", "m6", "m7");
    streams.release(leaseOf(second), null);
    Popped third = pop(10);
    assertThat(texts(third)).containsExactly("m2", "m4", "m6", "m7");

    assertThat(ack(third, Verdict.COMPLETED, 0)).containsExactly(DONE);
    assertThat(committed("p")).isEqualTo(3);
    ack(third, Verdict.COMPLETED, 1, 2, 3);
    assertThat(committed("p")).isEqualTo(7);
  }

  @Test
  @Guarantee("S52")
  void a_failure_stops_the_cursor_before_it() {
    push("p", numbered(4));
    Popped popped = pop(3);

    List<Acked> acked =
        streams.ack(together(acks(popped, Verdict.FAILED, 1), acks(popped, Verdict.COMPLETED, 0)));

    assertThat(acked).containsExactly(LAST, LAST);
    assertThat(committed("p")).isEqualTo(1);
    time.advance(Duration.ofSeconds(1));
    assertThat(texts(pop(10))).containsExactly("m2", "m3", "m4");
  }

  @ParameterizedTest
  @Guarantee("S52")
  @EnumSource(names = {"FAILED", "RETRY"})
  void a_nack_above_a_gap_counts_when_the_cursor_gets_there(Verdict nack) {
    push("p", numbered(4));
    Popped popped = pop(4);

    assertThat(ack(popped, nack, 2)).containsExactly(DONE);
    assertThat(pop(10).isEmpty()).isTrue();
    assertThat(ack(popped, Verdict.COMPLETED, 3)).containsExactly(DONE);
    assertThat(ack(popped, Verdict.COMPLETED, 0, 1)).containsExactly(LAST, LAST);

    assertThat(committed("p")).isEqualTo(2);
    time.advance(Duration.ofSeconds(1));
    assertThat(texts(pop(10))).containsExactly("m3");
  }

  @Test
  @Guarantee("S53")
  void
      completions_after_a_failure_of_the_same_call_are_refused_as_rewound_and_redelivered_in_order() {
    push("p", numbered(5));
    Popped popped = pop(4);
    ack(popped, Verdict.COMPLETED, 3);

    List<Acked> acked =
        streams.ack(
            together(acks(popped, Verdict.COMPLETED, 2, 0), acks(popped, Verdict.FAILED, 1)));

    assertThat(errors(acked)).containsExactly(StreamError.REWOUND, null, null);
    assertThat(acked).allMatch(Acked::isReleased);
    time.advance(Duration.ofSeconds(1));
    assertThat(texts(pop(10))).containsExactly("m2", "m3", "m5");
  }

  @Test
  @Guarantee({"S52", "S65"})
  void verdicts_of_one_call_about_different_partitions_count_by_themselves() {
    push("p", "a", "b");
    push("q", "c");
    push("r", "d");
    Popped lost = streams.pop(request(1).partition("r"));
    streams.release(leaseOf(lost), null);
    Popped failing = streams.pop(request(2).partition("p"));
    Popped fine = streams.pop(request(1).partition("q"));

    List<Acked> acked =
        streams.ack(
            together(
                acks(failing, Verdict.COMPLETED, 1),
                lost.ackAll(Verdict.COMPLETED),
                fine.ackAll(Verdict.COMPLETED),
                acks(failing, Verdict.FAILED, 0)));

    assertThat(errors(acked))
        .containsExactly(StreamError.REWOUND, StreamError.LEASE_LOST, null, null);
    assertThat(acked).extracting(Acked::isReleased).containsExactly(true, false, true, true);
    assertThat(committed("p")).isZero();
    assertThat(committed("q")).isEqualTo(1);
    assertThat(committed("r")).isZero();
  }

  @Test
  @Guarantee("S53")
  void a_message_named_twice_counts_once() {
    push("p", "a", "b");
    Popped popped = pop(2);

    List<Acked> acked =
        streams.ack(
            together(
                acks(popped, Verdict.COMPLETED, 0, 0),
                acks(popped, Verdict.FAILED, 0),
                List.of(
                    about(
                        popped,
                        Ack.Target.transaction(popped.messages().get(0).transactionId()),
                        Verdict.COMPLETED))));

    assertThat(errors(acked)).containsExactly(null, null, StreamError.INVALID_ARGUMENT, null);
    assertThat(acked).extracting(Acked::isNoop).containsExactly(false, true, false, true);
    assertThat(committed("p")).isEqualTo(1);
    assertThat(streams.browser().leases(QUEUE)).hasSize(1);
  }

  @Test
  @Guarantee({"S62", "SF9"})
  void a_late_completed_ack_is_a_no_op() {
    push("p", "a", "b", "c");
    Popped popped = pop(3);
    ack(popped, Verdict.COMPLETED, 0, 2);

    assertThat(ack(popped, Verdict.COMPLETED, 0, 2)).containsExactly(NOOP, NOOP);
    ack(popped, Verdict.COMPLETED, 1);
    for (int i = 0; i < 2; i++) {
      List<Acked> again = ack(popped, Verdict.COMPLETED);

      assertThat(again).allMatch(one -> one.isSuccess() && one.isNoop() && !one.isDead());
      time.advance(LEASE);
    }
    assertThat(committed("p")).isEqualTo(3);
    assertThat(pop(3).isEmpty()).isTrue();
  }

  @ParameterizedTest
  @Guarantee("S63")
  @EnumSource(names = "COMPLETED", mode = EnumSource.Mode.EXCLUDE)
  void a_late_nack_is_refused_as_already_committed(Verdict nack) {
    push("p", "a", "b", "c");
    Popped popped = pop(3);
    ack(popped, Verdict.COMPLETED, 0, 2);

    assertThat(errors(ack(popped, nack, 0, 2)))
        .containsExactly(StreamError.ALREADY_COMMITTED, StreamError.ALREADY_COMMITTED);
    assertThat(ack(popped, Verdict.COMPLETED, 1)).containsExactly(LAST);
    assertThat(errors(ack(popped, nack))).containsOnly(StreamError.ALREADY_COMMITTED);

    assertThat(committed("p")).isEqualTo(3);
    assertThat(dead()).isEmpty();
    push("p", "d");
    assertThat(texts(pop(9))).containsExactly("d");
  }

  @Test
  @Guarantee("S64")
  void an_unknown_message_is_refused_and_the_lease_survives() {
    streams.push(List.of(NewMessage.to(QUEUE, "x").in("q").once("elsewhere")));
    push("p", "a", "b");
    Popped popped = streams.pop(request(1).partition("p"));
    List<Ack.Target> unknown =
        List.of(
            Ack.Target.offset(2),
            Ack.Target.offset(99),
            Ack.Target.offset(0),
            Ack.Target.offset(-1),
            Ack.Target.offset(Long.MAX_VALUE),
            Ack.Target.offset(Long.MIN_VALUE),
            Ack.Target.transaction("elsewhere"),
            Ack.Target.transaction(UUID.randomUUID().toString()));
    for (Verdict verdict : Verdict.values()) {
      List<Acked> acked =
          streams.ack(unknown.stream().map(target -> about(popped, target, verdict)).toList());

      assertThat(errors(acked)).containsOnly(StreamError.UNRESOLVABLE);
      assertThat(acked).noneMatch(Acked::isReleased);
    }
    assertThat(committed("p")).isZero();
    assertThat(streams.extend(leaseOf(popped), LEASE).partitions()).isEqualTo(1);
    List<Acked> mixed =
        streams.ack(
            together(
                List.of(about(popped, Ack.Target.offset(7), Verdict.FAILED)),
                popped.ackAll(Verdict.COMPLETED)));
    assertThat(errors(mixed)).containsExactly(StreamError.UNRESOLVABLE, null);
    assertThat(committed("p")).isEqualTo(1);
  }
}
