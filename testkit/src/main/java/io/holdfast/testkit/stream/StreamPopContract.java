package io.holdfast.testkit.stream;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.stream.Batch;
import io.holdfast.stream.NewMessage;
import io.holdfast.stream.Payload;
import io.holdfast.stream.PopRequest;
import io.holdfast.stream.PopSource;
import io.holdfast.stream.Popped;
import io.holdfast.stream.Streams;
import io.holdfast.stream.Verdict;
import io.holdfast.testkit.Guarantee;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Who gets which partition, when, and under which lease. */
public abstract class StreamPopContract extends StreamSuite {
  private static final String OTHER = "shipping";

  @BeforeEach
  void makeQueue() {
    streams.configure(config());
  }

  private static List<String> partitions(Popped popped) {
    return popped.batches().stream().map(Batch::partition).toList();
  }

  @Test
  @Guarantee("S24")
  void empty_and_unknown_queues_give_nothing() {
    push("p", "a");
    List<PopRequest> requests =
        List.of(
            PopRequest.of("unknown"),
            PopRequest.of("unknown").partition("p"),
            request(1).partition("unknown"),
            request(1).partition("Default"),
            PopRequest.of(PopSource.labels("no such namespace", null)),
            PopRequest.of(PopSource.labels("orders", "no such task")));

    for (PopRequest request : requests) {
      Popped popped = streams.pop(request.batch(10).partitions(10));

      assertThat(popped.isEmpty()).as("%s", request).isTrue();
      assertThat(popped.queue()).isNull();
      assertThat(popped.leaseId()).isNull();
    }
    assertThat(streams.admin().find("unknown")).isEmpty();
    assertThat(streams.admin().partitions(QUEUE, null, 10)).containsExactly("Default", "p");
    assertThat(streams.browser().leases(null)).isEmpty();
  }

  @Test
  @Guarantee("S25")
  void a_leased_partition_is_not_given_again_to_its_group() {
    Streams there = process();
    push("p", "a", "b");
    assertThat(texts(pop(1))).containsExactly("a");

    push("p", "c");

    for (Streams process : List.of(streams, there)) {
      assertThat(process.pop(request(10)).isEmpty()).isTrue();
      assertThat(process.pop(request(10).partition("p")).isEmpty()).isTrue();
      assertThat(process.pop(request(10).autoAck(true)).isEmpty()).isTrue();
    }
    time.advance(LEASE.minusMillis(1));
    assertThat(there.pop(request(10)).isEmpty()).isTrue();
  }

  @Test
  @Guarantee("S26")
  void another_group_gets_it_at_once() {
    push("p", "a", "b");
    Popped ours = pop(2);

    Popped theirs = streams.pop(request(2).group(OTHER));
    Popped nobodys = streams.pop(PopRequest.of(QUEUE).batch(2));

    assertThat(texts(theirs)).containsExactly("a", "b");
    assertThat(texts(nobodys)).containsExactly("a", "b");
    assertThat(nobodys.group()).isEqualTo(PopRequest.QUEUE_MODE);
    ack(theirs, Verdict.DEAD_LETTER);
    assertThat(streams.browser().leases(QUEUE))
        .extracting(lease -> lease.cursor().group())
        .containsExactlyInAnyOrder(GROUP, PopRequest.QUEUE_MODE);
    assertThat(ack(ours, Verdict.COMPLETED)).allMatch(one -> one.isSuccess() && !one.isNoop());
  }

  @Test
  @Guarantee("S27")
  void a_second_consumer_gets_another_partition() {
    push("p", "a", "b");
    push("q", "c", "d");

    Popped first = pop(10);
    Popped second = process().pop(request(10));

    assertThat(partitions(first)).containsExactly("p");
    assertThat(partitions(second)).containsExactly("q");
    assertThat(second.leaseId()).isNotEqualTo(first.leaseId());
    assertThat(pop(10).isEmpty()).isTrue();
  }

  @Test
  @Guarantee("S28")
  void an_expired_lease_goes_to_the_next_consumer() {
    push("p", "a", "b");
    Popped first = pop(1);
    assertThat(first.batches().get(0).lease())
        .isEqualTo(new Batch.Held(leaseOf(first), fenceOf(first), instant().plus(LEASE)));

    time.advance(LEASE.minusMillis(1));
    assertThat(pop(1).isEmpty()).isTrue();
    time.advanceMs(1);
    Popped second = process().pop(request(2));

    assertThat(texts(second)).containsExactly("a", "b");
    assertThat(attempts(second)).containsExactly(2, 1);
    assertThat(second.leaseId()).isNotEqualTo(first.leaseId());
  }

  @Test
  @Guarantee("S29")
  void redelivery_starts_at_the_first_unsettled_message() {
    push("p", numbered(6));
    Popped first = pop(5);
    ack(first, Verdict.COMPLETED, 0, 1, 3);

    time.advance(LEASE);
    Popped second = pop(10);

    assertThat(texts(second)).containsExactly("m3", "m5", "m6");
    assertThat(attempts(second)).containsExactly(2, 2, 1);
  }

  @Test
  @Guarantee("S30")
  void the_oldest_messages_partition_is_served_first() {
    for (String partition : List.of("a", "z", "m")) {
      push(partition, "settled");
    }
    streams.pop(request(10).partitions(10).autoAck(true));
    for (String partition : List.of("m", "z", "a")) {
      time.advanceMs(1);
      push(partition, partition + 1);
    }
    push("a", "a2", "a3", "a4");

    assertThat(texts(pop(1))).containsExactly("m1");
    assertThat(texts(pop(1))).containsExactly("z1");
    assertThat(texts(pop(1))).containsExactly("a1");
    assertThat(pop(1).isEmpty()).isTrue();
  }

  @Test
  @Guarantee("S31")
  void among_equally_old_the_fuller_partition_is_first() {
    pop(1);
    List<NewMessage> messages = new ArrayList<>();
    for (String partition : List.of("a", "b", "b", "b", "c", "c", "d", "d", "d", "d")) {
      messages.add(NewMessage.to(QUEUE, partition).in(partition));
    }
    streams.push(messages);

    assertThat(texts(pop(1))).containsExactly("d");
    assertThat(texts(pop(1))).containsExactly("b");
    assertThat(texts(pop(1))).containsExactly("c");
    assertThat(texts(pop(1))).containsExactly("a");
  }

  @Test
  @Guarantee({"S30", "S32"})
  void every_waiting_partition_is_served_before_any_is_served_twice() {
    for (int i = 0; i < 5; i++) {
      push("p" + i, numbered(3 + 10 * i));
    }

    for (int round = 0; round < 3; round++) {
      List<String> served = new ArrayList<>();
      for (int i = 0; i < 5; i++) {
        Popped popped = pop(1);
        served.addAll(partitions(popped));
        time.advanceMs(1);
        ack(popped, Verdict.COMPLETED);
        push("p0", "one more");
      }
      assertThat(served).containsExactlyInAnyOrder("p0", "p1", "p2", "p3", "p4");
    }
  }

  @Test
  @Guarantee("S32")
  void a_partition_that_is_given_back_again_and_again_does_not_starve_others() {
    push("greedy", numbered(10));
    time.advanceMs(1);
    push("patient", "a");

    Popped greedy = pop(1);
    time.advanceMs(1);
    ack(greedy, Verdict.RETRY);
    Popped next = pop(1);
    time.advanceMs(1);

    assertThat(partitions(greedy)).containsExactly("greedy");
    assertThat(partitions(next)).containsExactly("patient");
    assertThat(partitions(pop(1))).containsExactly("greedy");
  }

  @Test
  @Guarantee("S33")
  void a_multi_partition_pop_shares_one_lease_id() {
    for (String partition : List.of("a", "b", "c", "d")) {
      push(partition, partition);
      time.advanceMs(1);
    }

    Popped popped = streams.pop(request(100).partitions(3));

    assertThat(partitions(popped)).containsExactly("a", "b", "c");
    assertThat(popped.batches())
        .allSatisfy(
            batch -> {
              Batch.Held lease = Objects.requireNonNull(batch.lease());
              assertThat(lease.id()).isEqualTo(popped.leaseId());
              assertThat(lease.expiresAt()).isEqualTo(instant().plus(LEASE));
            });
    assertThat(popped.batches()).extracting(Batch::partitionId).doesNotHaveDuplicates();
    assertThat(texts(pop(1))).containsExactly("d");
    assertThat(ack(popped, Verdict.COMPLETED)).allMatch(one -> one.isSuccess() && one.isReleased());
  }

  @Test
  @Guarantee("S34")
  void batch_is_a_total_over_partitions() {
    for (String partition : List.of("a", "b", "c")) {
      push(partition, partition + 1, partition + 2, partition + 3, partition + 4);
      time.advanceMs(1);
    }

    Popped popped = streams.pop(request(6).partitions(3));

    assertThat(texts(popped)).containsExactly("a1", "a2", "a3", "a4", "b1", "b2");
    assertThat(texts(pop(10))).containsExactly("c1", "c2", "c3", "c4");
    ack(popped, Verdict.COMPLETED);
    assertThat(texts(pop(10))).containsExactly("b3", "b4");
  }

  @Test
  @Guarantee("S35")
  void a_pop_of_one_partition_takes_only_that_one() {
    push("older", "a");
    time.advanceMs(1);
    push("p", "b");
    time.advanceMs(1);
    push("q", "c");

    Popped popped = streams.pop(request(10).partitions(5).partition("p"));

    assertThat(texts(popped)).containsExactly("b");
    assertThat(streams.pop(request(10).partition("p")).isEmpty()).isTrue();
    assertThat(texts(streams.pop(request(10).partitions(5)))).containsExactly("a", "c");
  }

  @Test
  @Guarantee("S30")
  void a_pop_by_labels_serves_the_matching_queue_that_waits_longest() {
    List<String> queues = List.of("shop.eu.z", "shop.us.m", "shop.eu.a", "other.eu.x");
    for (String queue : queues) {
      streams.push(List.of(NewMessage.to(queue, "settled")));
      streams.pop(PopRequest.of(queue).autoAck(true));
    }
    for (String queue : queues) {
      time.advanceMs(1);
      streams.push(List.of(NewMessage.to(queue, queue)));
    }
    PopRequest shop = PopRequest.of(PopSource.labels("shop", null)).batch(10).partitions(10);

    assertThat(streams.pop(shop).queue()).isEqualTo("shop.eu.z");
    assertThat(texts(streams.pop(shop))).containsExactly("shop.us.m");
    assertThat(texts(streams.pop(PopRequest.of(PopSource.labels("shop", "eu")))))
        .containsExactly("shop.eu.a");
    assertThat(texts(streams.pop(PopRequest.of(PopSource.labels(null, "eu")))))
        .containsExactly("other.eu.x");
    assertThat(streams.pop(shop).isEmpty()).isTrue();
  }

  @Test
  @Guarantee("S36")
  void lease_seconds_overrides_the_queue() {
    push("p", "a");
    push("q", "b");
    Duration brief = Duration.ofSeconds(2);
    Duration lengthy = Duration.ofSeconds(30);

    streams.pop(request(1).partition("p").leaseFor(brief));
    streams.pop(request(1).partition("q").leaseFor(lengthy));

    assertThat(streams.browser().leases(QUEUE))
        .extracting(lease -> Duration.between(instant(), lease.expiresAt()))
        .containsExactly(brief, lengthy);
    time.advance(brief.minusMillis(1));
    assertThat(pop(1).isEmpty()).isTrue();
    time.advanceMs(1);
    assertThat(texts(streams.pop(request(1).leaseFor(lengthy)))).containsExactly("a");
    time.advance(lengthy.minus(brief).minusMillis(1));
    assertThat(pop(1).isEmpty()).isTrue();
    time.advanceMs(1);
    assertThat(texts(pop(1))).containsExactly("b");
  }

  @Test
  @Guarantee("S37")
  void auto_ack_delivers_once_and_holds_no_lease() {
    push("p", "a", "b", "c");
    push("q", "d");

    Popped popped = streams.pop(request(2).autoAck(true));

    assertThat(texts(popped)).containsExactly("a", "b");
    assertThat(popped.leaseId()).isNull();
    assertThat(popped.batches().get(0).lease()).isNull();
    assertThat(streams.browser().leases(QUEUE)).isEmpty();
    assertThat(committed("p")).isEqualTo(2);
    Popped rest = streams.pop(request(10).partitions(2).autoAck(true));
    assertThat(texts(rest)).containsExactlyInAnyOrder("c", "d");
    time.advance(LEASE.multipliedBy(3));
    assertThat(pop(10).isEmpty()).isTrue();
    assertThat(streams.browser().depth(QUEUE).depth()).isZero();
  }

  @Test
  @Guarantee("S38")
  void the_fence_grows_with_every_claim() {
    push("p", numbered(20));
    Streams there = process();
    List<Long> fences = new ArrayList<>();
    List<UUID> leases = new ArrayList<>();
    for (int i = 0; i < 12; i++) {
      Popped popped = (i % 2 == 0 ? streams : there).pop(request(1));
      fences.add(fenceOf(popped));
      leases.add(leaseOf(popped));
      switch (i % 4) {
        case 0 -> ack(popped, Verdict.COMPLETED);
        case 1 -> time.advance(LEASE);
        case 2 -> streams.release(leaseOf(popped), null);
        default -> ack(popped, Verdict.RETRY);
      }
    }

    assertThat(fences).isSorted().doesNotHaveDuplicates();
    assertThat(leases).doesNotHaveDuplicates();
  }

  @Test
  @Guarantee("S38")
  void the_fence_grows_also_over_seek_park_and_deletion_of_group_and_queue() {
    push("p", "a");
    List<Long> fences = new ArrayList<>();
    List<Runnable> breaks =
        List.of(
            () -> {},
            () -> streams.admin().revoke(cursor("p"), null),
            () -> {
              streams.admin().park(cursor("p"), "look at it");
              streams.admin().unpark(cursor("p"), false);
            },
            () -> streams.admin().deleteGroup(GROUP, QUEUE, false),
            () -> {
              streams.delete(QUEUE);
              push("p", "a");
            });
    for (Runnable breaking : breaks) {
      breaking.run();
      fences.add(fenceOf(pop(1)));
      time.advance(LEASE);
    }

    assertThat(fences).isSorted().doesNotHaveDuplicates();
  }

  @Test
  void an_answer_has_at_most_16_mib_of_payloads_and_at_least_one_message() {
    Payload largest = Payload.of('"' + "a".repeat((4 << 20) - 2) + '"');
    for (String partition : List.of("p", "p", "p", "q", "q", "r")) {
      streams.push(List.of(NewMessage.to(QUEUE, largest).in(partition)));
      time.advanceMs(1);
    }

    Popped popped = streams.pop(request(100).partitions(3));

    assertThat(popped.messages()).hasSize(4);
    assertThat(partitions(popped)).containsExactly("p", "q");
    Popped rest = pop(100);
    assertThat(partitions(rest)).containsExactly("r");
    assertThat(attempts(rest)).containsExactly(1);
  }
}
