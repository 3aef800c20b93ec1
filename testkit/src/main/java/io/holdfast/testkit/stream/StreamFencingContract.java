package io.holdfast.testkit.stream;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.lease.StoreCall;
import io.holdfast.stream.Ack;
import io.holdfast.stream.Acked;
import io.holdfast.stream.Batch;
import io.holdfast.stream.NewMessage;
import io.holdfast.stream.PopRequest;
import io.holdfast.stream.Popped;
import io.holdfast.stream.Position;
import io.holdfast.stream.StreamConfig;
import io.holdfast.stream.StreamError;
import io.holdfast.stream.Streams;
import io.holdfast.stream.Streams.AckedAndPopped;
import io.holdfast.stream.Verdict;
import io.holdfast.testkit.Guarantee;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Who may settle, and how a batch changes hands: stale and missing leases, release, ackAndPop. */
public abstract class StreamFencingContract extends StreamSuite {
  private static final Acked LAST = new Acked(null, false, false, true);

  @BeforeEach
  void makeQueue() {
    streams.configure(config());
  }

  @ParameterizedTest
  @Guarantee({"S65", "SF7", "SF8"})
  @EnumSource
  void an_ack_with_a_stale_lease_changes_nothing(Verdict verdict) {
    push("p", "a", "b");
    Popped stale = pop(2);

    time.advance(LEASE);
    assertThat(errors(ack(stale, verdict))).containsOnly(StreamError.LEASE_LOST);
    Popped successor = pop(2);
    assertThat(errors(ack(stale, verdict))).containsOnly(StreamError.LEASE_LOST);
    failing(StreamError.LEASE_LOST, () -> streams.release(leaseOf(stale), null));

    assertThat(texts(successor)).containsExactly("a", "b");
    assertThat(attempts(successor)).containsExactly(2, 2);
    assertThat(committed("p")).isZero();
    assertThat(dead()).isEmpty();
    assertThat(ack(successor, Verdict.COMPLETED)).containsExactly(LAST, LAST);
    assertThat(errors(ack(stale, verdict))).containsOnly(StreamError.LEASE_LOST);
  }

  @Test
  @Guarantee("S66")
  void an_ack_without_lease_is_refused_by_the_api() {
    push("p", "a");
    Popped popped = pop(1);
    List<Ack> bare = bare(popped, Verdict.COMPLETED);

    failing(StreamError.INVALID_ARGUMENT, () -> streams.ack(bare));
    failing(StreamError.INVALID_ARGUMENT, () -> now(streams.ackAsync(bare)));
    failing(StreamError.INVALID_ARGUMENT, () -> now(streams.ackAndPop(bare, request(1))));
    failing(StreamError.INVALID_ARGUMENT, () -> streams.transact(List.of(), bare));

    assertThat(committed("p")).isZero();
    assertThat(streams.browser().leases(QUEUE)).hasSize(1);
  }

  private static List<Ack> bare(Popped popped, Verdict verdict) {
    return popped.ackAll(verdict).stream()
        .map(a -> new Ack(a.partitionId(), a.group(), null, a.message(), a.verdict(), null))
        .toList();
  }

  @Test
  @Guarantee("S66")
  void an_ack_without_lease_is_refused_on_the_wire_while_a_lease_is_live() {
    push("p", "a", "b", "c");
    Popped popped = pop(2);

    assertThat(errors(wire(bare(popped, Verdict.COMPLETED)))).containsOnly(StreamError.LEASE_LOST);
    assertThat(errors(wire(bare(popped, Verdict.FAILED)))).containsOnly(StreamError.LEASE_LOST);
    assertThat(committed("p")).isZero();
    assertThat(pop(3).isEmpty()).isTrue();
    time.advance(LEASE);
    UUID partition = popped.batches().get(0).partitionId();
    Ack beyond = new Ack(partition, GROUP, null, Ack.Target.offset(3), Verdict.COMPLETED, null);
    assertThat(errors(wire(List.of(beyond)))).containsExactly(StreamError.UNRESOLVABLE);
    assertThat(errors(wire(bare(popped, Verdict.COMPLETED)))).containsExactly(null, null);

    assertThat(committed("p")).isEqualTo(2);
    assertThat(texts(pop(3))).containsExactly("c");
  }

  private List<Acked> wire(List<Ack> acks) {
    return subject.process().leases().ack(acks, StoreCall.plain()).acked();
  }

  @Test
  @Guarantee("S67")
  void the_cursor_never_moves_back_except_by_seek() {
    streams.configure(config().retrying(2, Duration.ZERO));
    push("p", numbered(40));
    List<Popped> old = new ArrayList<>();
    long before = 0;
    for (int i = 0; i < 24; i++) {
      Popped popped = pop(3);
      old.add(popped);
      disturb(popped, i % 8);
      for (Popped stale : old.subList(0, i)) {
        ack(stale, Verdict.values()[i % Verdict.values().length]);
      }
      assertThat(committed("p")).isGreaterThanOrEqualTo(before);
      before = committed("p");
    }
    assertThat(before).isPositive();

    streams.admin().seek(QUEUE, GROUP, "p", Position.BEGIN);
    assertThat(committed("p")).isZero();
  }

  private void disturb(Popped popped, int how) {
    switch (how) {
      case 0 -> ack(popped, Verdict.COMPLETED);
      case 1 -> ack(popped, Verdict.FAILED);
      case 2 -> ack(popped, Verdict.COMPLETED, 0);
      case 3 -> ack(popped, Verdict.RETRY, 1);
      case 4 -> ack(popped, Verdict.COMPLETED, 1);
      case 5 -> streams.release(leaseOf(popped), null);
      case 6 -> ack(popped, Verdict.DEAD_LETTER, 0);
      default -> streams.admin().revoke(cursor("p"), null);
    }
    time.advance(LEASE);
  }

  @Test
  @Guarantee("S68")
  void release_hands_the_rest_back_uncharged() {
    streams.configure(config().retrying(0, Duration.ofHours(1)));
    push("p", numbered(4));
    for (int i = 0; i < 10; i++) {
      Popped popped = pop(4);
      assertThat(texts(popped)).isEqualTo(List.of(numbered(4)));
      assertThat(attempts(popped)).containsOnly(1);
      assertThat(streams.release(leaseOf(popped), null)).isEqualTo(1);
    }
    Popped popped = pop(4);
    ack(popped, Verdict.COMPLETED, 0, 2);
    ack(popped, Verdict.FAILED, 3);
    streams.release(leaseOf(popped), null);

    Popped rest = pop(4);
    assertThat(texts(rest)).containsExactly("m2", "m4");
    assertThat(dead()).isEmpty();
    assertThat(ack(rest, Verdict.COMPLETED)).containsExactly(LAST, LAST);
    failing(StreamError.LEASE_LOST, () -> streams.release(leaseOf(rest), null));
    failing(StreamError.LEASE_LOST, () -> streams.release(leaseOf(popped), null));
  }

  @Test
  @Guarantee("S68")
  void release_of_one_partition_leaves_the_others() {
    push("p", "a");
    push("q", "b");
    Popped popped = streams.pop(request(10).partitions(2));
    Batch first = popped.batches().get(0);

    assertThat(streams.release(leaseOf(popped), first.partitionId())).isEqualTo(1);

    assertThat(streams.extend(leaseOf(popped), LEASE).partitions()).isEqualTo(1);
    assertThat(streams.pop(request(10).partitions(2)).batches())
        .extracting(Batch::partition)
        .containsExactly(first.partition());
    failing(StreamError.LEASE_LOST, () -> streams.release(leaseOf(popped), first.partitionId()));
    assertThat(streams.release(leaseOf(popped), null)).isEqualTo(1);
  }

  @ParameterizedTest
  @Guarantee("S69")
  @EnumSource
  void ack_and_pop_equals_ack_then_pop(Verdict verdict) {
    Streams there = process();
    List<String> expected = new ArrayList<>();
    List<String> actual = new ArrayList<>();
    for (String queue : List.of("a", "b")) {
      streams.configure(config(queue));
      streams.push(Stream.of(numbered(9)).map(text -> NewMessage.to(queue, text).in("p")).toList());
    }
    PopRequest one = PopRequest.of("a").group(GROUP).batch(3);
    PopRequest two = PopRequest.of("b").group(GROUP).batch(3);

    Popped apart = streams.pop(one);
    Popped together = there.pop(two);
    for (int i = 0; i < 4; i++) {
      List<Acked> acked = streams.ack(some(apart, verdict, i));
      Popped next = streams.pop(one);
      AckedAndPopped both = now(there.ackAndPop(some(together, verdict, i), two));

      expected.add(acked + " " + texts(next) + attempts(next));
      actual.add(both.acked() + " " + texts(both.popped()) + attempts(both.popped()));
      apart = next.isEmpty() ? apart : next;
      together = both.popped().isEmpty() ? together : both.popped();
      time.advance(Duration.ofSeconds(1));
    }

    assertThat(actual).isEqualTo(expected);
  }

  /** Verdicts that settle all of a batch, and in every other round all but its last message. */
  private static List<Ack> some(Popped popped, Verdict verdict, int round) {
    List<Ack> all = popped.ackAll(verdict);
    return round % 2 == 0 ? all : all.subList(0, all.size() - 1);
  }

  private StreamConfig config(String queue) {
    return StreamConfig.of(queue).leaseFor(LEASE).retrying(1, Duration.ofSeconds(1));
  }

  @Test
  @Guarantee("S69")
  void ack_and_pop_waits_like_a_pop_and_its_ack_counts_at_once() {
    push("p", "a");
    Popped popped = pop(1);

    CompletableFuture<AckedAndPopped> both =
        streams.ackAndPop(
            popped.ackAll(Verdict.COMPLETED), request(1).waiting(Duration.ofMinutes(1)));

    eventually(() -> service.waiting() == 1);
    assertThat(committed("p")).isEqualTo(1);
    push("q", "b");

    AckedAndPopped answer = now(both);
    assertThat(answer.acked()).containsExactly(LAST);
    assertThat(texts(answer.popped())).containsExactly("b");
  }
}
