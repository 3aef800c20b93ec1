package io.holdfast.testkit.stream;

import static io.holdfast.stream.StreamError.INVALID_ARGUMENT;
import static io.holdfast.stream.StreamError.LEASE_LOST;
import static io.holdfast.stream.StreamError.PAUSED;
import static io.holdfast.stream.StreamError.QUEUE_FULL;
import static io.holdfast.stream.StreamError.REWOUND;
import static io.holdfast.stream.StreamError.UNRESOLVABLE;
import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.stream.Ack;
import io.holdfast.stream.DeadLetterQuery;
import io.holdfast.stream.Explanation;
import io.holdfast.stream.NewMessage;
import io.holdfast.stream.PopRequest;
import io.holdfast.stream.Popped;
import io.holdfast.stream.Pushed;
import io.holdfast.stream.StreamConfig;
import io.holdfast.stream.Transacted;
import io.holdfast.stream.Verdict;
import io.holdfast.testkit.Guarantee;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Pushes and verdicts that commit together or not at all. */
public abstract class StreamTransactionContract extends StreamOperatorSuite {
  private static final String NEXT = "invoices";

  private Popped held(String... texts) {
    streams.configure(config());
    push("p", texts);
    return pop(texts.length);
  }

  private static NewMessage next(String text) {
    return NewMessage.to(NEXT, text).in("n");
  }

  private List<String> produced() {
    return texts(streams.pop(PopRequest.of(NEXT).group("reader").batch(100)));
  }

  private Explanation.State state() {
    return streams.browser().explain(cursor("p")).state();
  }

  @Test
  @Guarantee("S79")
  void pushes_and_acks_commit_together() {
    Popped held = held("a", "b");

    Transacted transacted =
        streams.transact(List.of(next("x"), next("y")), held.ackAll(Verdict.COMPLETED));

    assertThat(transacted.isCommitted()).isTrue();
    assertThat(transacted.pushed()).extracting(Pushed::offset).containsExactly(1L, 2L);
    assertThat(transacted.acked()).hasSize(2).allMatch(acked -> acked.isSuccess());
    assertThat(transacted.acked()).allMatch(acked -> acked.isReleased());
    assertThat(produced()).containsExactly("x", "y");
    assertThat(state()).isEqualTo(Explanation.State.IDLE);
  }

  @Test
  @Guarantee("S79")
  void a_transaction_wakes_those_who_wait_for_either() {
    Popped held = held("a", "b");
    push("p", "c");
    CompletableFuture<Popped> rest = parked(request(1));
    CompletableFuture<Popped> produced = parked(PopRequest.of(NEXT).group("reader"));

    streams.transact(List.of(next("x")), held.ackAll(Verdict.COMPLETED));

    assertThat(texts(now(rest))).containsExactly("c");
    assertThat(texts(now(produced))).containsExactly("x");
  }

  @Test
  @Guarantee("S80")
  void a_refused_ack_undoes_the_pushes() {
    Popped held = held("a", "b");
    Ack known = acks(held, Verdict.COMPLETED, 0).get(0);
    Ack unknown =
        new Ack(
            known.partitionId(),
            GROUP,
            known.leaseId(),
            Ack.Target.offset(99),
            Verdict.COMPLETED,
            null);

    Transacted transacted = streams.transact(List.of(next("x")), List.of(known, unknown));

    assertThat(transacted.isCommitted()).isFalse();
    assertThat(transacted.pushed()).isEmpty();
    assertThat(transacted.acked()).hasSize(2);
    assertThat(transacted.acked().get(1).error()).isEqualTo(UNRESOLVABLE);
    assertThat(produced()).isEmpty();
    assertThat(streams.browser().tally(QUEUE, GROUP).passed()).isZero();
    assertThat(ack(held, Verdict.COMPLETED)).allMatch(acked -> !acked.isNoop());
  }

  @Test
  @Guarantee("S80")
  void a_rewound_completion_undoes_the_charge_too() {
    Popped held = held("a", "b");
    List<Ack> acks = new ArrayList<>(acks(held, Verdict.FAILED, 0));
    acks.addAll(acks(held, Verdict.COMPLETED, 1));

    Transacted transacted = streams.transact(List.of(next("x")), acks);

    assertThat(transacted.isCommitted()).isFalse();
    assertThat(transacted.acked().get(1).error()).isEqualTo(REWOUND);
    assertThat(produced()).isEmpty();
    assertThat(state()).isEqualTo(Explanation.State.LEASED);
    assertThat(streams.ack(acks(held, Verdict.COMPLETED, 0, 1))).allMatch(a -> a.isSuccess());
  }

  @Test
  @Guarantee("S80")
  void a_dead_letter_of_a_refused_transaction_was_never_written() {
    Popped held = held("a", "b");
    List<Ack> acks = new ArrayList<>(acks(held, Verdict.DEAD_LETTER, 0));
    acks.add(
        new Ack(
            acks.get(0).partitionId(),
            GROUP,
            acks.get(0).leaseId(),
            Ack.Target.transaction("nobody's"),
            Verdict.COMPLETED,
            null));

    assertThat(streams.transact(List.of(next("x")), acks).isCommitted()).isFalse();

    assertThat(streams.deadLetters().list(DeadLetterQuery.of(QUEUE))).isEmpty();
    assertThat(ack(held, Verdict.COMPLETED, 0, 1)).allMatch(acked -> acked.isSuccess());
  }

  @Test
  @Guarantee("S80")
  void a_push_that_is_refused_undoes_the_acks() {
    Popped held = held("a");
    streams.configure(StreamConfig.of(NEXT).maxSize(1));
    List<Ack> acks = held.ackAll(Verdict.COMPLETED);

    failing(QUEUE_FULL, () -> streams.transact(List.of(next("x"), next("y")), acks));
    streams.admin().pausePush(NEXT);
    failing(PAUSED, () -> streams.transact(List.of(next("x")), acks));

    assertThat(state()).isEqualTo(Explanation.State.LEASED);
    assertThat(produced()).isEmpty();
    assertThat(streams.ack(acks).get(0).isNoop()).isFalse();
  }

  @Test
  @Guarantee("S81")
  void a_duplicate_push_does_not_abort() {
    Popped held = held("a");
    Pushed first = streams.push(List.of(next("x").once("id"))).get(0);

    Transacted transacted =
        streams.transact(
            List.of(next("again").once("id"), next("y")), held.ackAll(Verdict.COMPLETED));

    assertThat(transacted.isCommitted()).isTrue();
    assertThat(transacted.pushed())
        .extracting(Pushed::status)
        .containsExactly(Pushed.Status.DUPLICATE, Pushed.Status.QUEUED);
    assertThat(transacted.pushed().get(0).messageId()).isEqualTo(first.messageId());
    assertThat(produced()).containsExactly("x", "y");
    assertThat(state()).isEqualTo(Explanation.State.IDLE);
  }

  @Test
  @Guarantee("S82")
  void a_transactional_ack_is_fenced() {
    Popped zombie = held("a");
    time.advance(LEASE);
    Popped successor = pop(1);

    Transacted transacted = streams.transact(List.of(next("x")), zombie.ackAll(Verdict.COMPLETED));

    assertThat(transacted.isCommitted()).isFalse();
    assertThat(transacted.acked().get(0).error()).isEqualTo(LEASE_LOST);
    assertThat(produced()).isEmpty();
    assertThat(streams.transact(List.of(next("y")), successor.ackAll(Verdict.COMPLETED)))
        .matches(Transacted::isCommitted);
    assertThat(produced()).containsExactly("y");
  }

  @Test
  @Guarantee("S82")
  void an_ack_without_a_lease_counts_under_a_required_one_only() {
    Popped held = held("a");
    Ack own = held.ackAll(Verdict.COMPLETED).get(0);
    Ack bare = new Ack(own.partitionId(), GROUP, null, own.message(), Verdict.COMPLETED, null);

    failing(INVALID_ARGUMENT, () -> streams.transact(List.of(next("x")), List.of(bare)));
    Transacted refused = streams.transact(List.of(next("x")), List.of(bare), Set.of(), producer());
    assertThat(refused.isCommitted()).isFalse();
    assertThat(refused.acked().get(0).error()).isEqualTo(LEASE_LOST);

    Transacted done =
        streams.transact(List.of(next("y")), List.of(bare), Set.of(lease(held)), producer());
    assertThat(done.isCommitted()).isTrue();
    assertThat(produced()).containsExactly("y");
  }

  @Test
  @Guarantee("S83")
  void failed_works_inside_as_outside() {
    Popped held = held("a", "b");

    assertThat(streams.transact(List.of(next("x")), acks(held, Verdict.FAILED, 0)).isCommitted())
        .isTrue();

    assertThat(state()).isEqualTo(Explanation.State.RETRYING);
    assertThat(pop(2).isEmpty()).isTrue();
    time.advance(Duration.ofSeconds(1));
    Popped again = pop(2);
    assertThat(texts(again)).containsExactly("a", "b");
    assertThat(attempts(again)).containsExactly(2, 2);
    assertThat(produced()).containsExactly("x");
  }

  @Test
  @Guarantee("S83")
  void retry_works_inside_as_outside() {
    Popped held = held("a", "b");

    Transacted transacted = streams.transact(List.of(next("x")), acks(held, Verdict.RETRY, 0));

    assertThat(transacted.acked().get(0).isReleased()).isTrue();
    assertThat(texts(pop(2))).containsExactly("a", "b");
  }

  @Test
  @Guarantee("S83")
  void dlq_works_inside_as_outside() {
    Popped held = held("a", "b");
    List<Ack> acks = new ArrayList<>(acks(held, Verdict.DEAD_LETTER, 0));
    acks.addAll(acks(held, Verdict.COMPLETED, 1));

    Transacted transacted = streams.transact(List.of(next("x")), acks);

    assertThat(transacted.isCommitted()).isTrue();
    assertThat(transacted.acked().get(0).isDead()).isTrue();
    assertThat(streams.deadLetters().list(DeadLetterQuery.of(QUEUE)))
        .extracting(letter -> letter.message().payload().text())
        .containsExactly("a");
    assertThat(state()).isEqualTo(Explanation.State.IDLE);
  }

  @Test
  @Guarantee("S83")
  void park_works_inside_as_outside() {
    Popped held = held("a");

    assertThat(streams.transact(List.of(), held.ackAll(Verdict.PARK)).isCommitted()).isTrue();

    assertThat(state()).isEqualTo(Explanation.State.PARKED);
  }

  @Test
  @Guarantee("S79")
  void a_transaction_may_push_to_the_partition_it_settles() {
    Popped held = held("a");
    NewMessage more = NewMessage.to(QUEUE, "b").in("p");

    assertThat(streams.transact(List.of(more), held.ackAll(Verdict.COMPLETED)).isCommitted())
        .isTrue();

    assertThat(texts(pop(5))).containsExactly("b");
  }
}
