package io.holdfast.testkit.stream;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.lease.StoreCall;
import io.holdfast.stream.Acked;
import io.holdfast.stream.Delivery;
import io.holdfast.stream.Dropped;
import io.holdfast.stream.GroupInfo;
import io.holdfast.stream.Message;
import io.holdfast.stream.NewMessage;
import io.holdfast.stream.PopRequest;
import io.holdfast.stream.Popped;
import io.holdfast.stream.Pushed;
import io.holdfast.stream.StreamConfig;
import io.holdfast.stream.StreamError;
import io.holdfast.stream.StreamException;
import io.holdfast.stream.StreamOption;
import io.holdfast.stream.Streams;
import io.holdfast.stream.Verdict;
import io.holdfast.testkit.Guarantee;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Many at once; and messages, groups, queues and keys that go while somebody counts on them. */
public abstract class StreamUnrestContract extends StreamSuite {
  private static final String KEY = "0123456789abcdef".repeat(4);
  private static final String OTHER_KEY = "fedcba9876543210".repeat(4);
  private static final int ROOM = 60;
  private static final Duration HOUR = Duration.ofHours(1);

  @Test
  @Guarantee("SF6")
  void first_pops_of_a_group_at_once_make_one_group_and_deliver_nothing_twice() {
    int consumers = 8;
    List<NewMessage> messages =
        IntStream.range(0, 40)
            .mapToObj(i -> NewMessage.to(QUEUE, "m" + i).in("p" + i % 20))
            .toList();
    streams.push(messages);
    List<Streams> processes = IntStream.range(0, consumers).mapToObj(i -> process()).toList();

    List<CompletableFuture<List<String>>> pops =
        processes.stream()
            .map(
                process ->
                    CompletableFuture.supplyAsync(
                        () -> {
                          List<String> got = new ArrayList<>();
                          Popped popped = process.pop(request(3).partitions(2));
                          while (!popped.isEmpty()) {
                            got.addAll(texts(popped));
                            popped = process.pop(request(3).partitions(2));
                          }
                          return got;
                        },
                        crew))
            .toList();

    List<String> all = new ArrayList<>();
    pops.forEach(pop -> all.addAll(now(pop)));
    time.advance(Duration.ofSeconds(1));
    all.addAll(texts(streams.pop(request(100).partitions(100))));
    assertThat(all).doesNotHaveDuplicates();
    assertThat(streams.admin().groups(QUEUE)).extracting(GroupInfo::name).containsExactly(GROUP);
    assertThat(streams.admin().cursors(QUEUE, GROUP, null, 100)).hasSize(20);
  }

  @Test
  @Guarantee("SF17")
  void many_producers_at_the_capacity_limit_fill_it_and_never_exceed_it() {
    int producers = 50;
    streams.configure(config().maxSize(ROOM));
    List<Streams> processes = IntStream.range(0, 5).mapToObj(i -> process()).toList();

    List<CompletableFuture<Integer>> pushes =
        IntStream.range(0, producers)
            .mapToObj(i -> fill(processes.get(i % processes.size()), "p" + i % 7))
            .toList();

    int stored = pushes.stream().mapToInt(StreamSuite::now).sum();
    assertThat(stored).isEqualTo(ROOM);
    assertThat(streams.browser().depth(QUEUE).depth()).isEqualTo(ROOM);
    assertThat(streams.pop(request(1000).partitions(10)).messages()).hasSize(ROOM);
  }

  /** Pushes twice, and answers how often it was let in. */
  private CompletableFuture<Integer> fill(Streams process, String partition) {
    return CompletableFuture.supplyAsync(
        () -> {
          int stored = 0;
          for (int i = 0; i < 2; i++) {
            try {
              Pushed pushed = process.push(List.of(NewMessage.to(QUEUE, "m").in(partition))).get(0);
              Pushed.Capacity capacity = pushed.capacity();
              assertThat(capacity).isNotNull();
              assertThat(capacity.depth()).isBetween(1L, (long) ROOM);
              stored++;
            } catch (StreamException e) {
              assertThat(e.error()).isEqualTo(StreamError.QUEUE_FULL);
            }
          }
          return stored;
        },
        crew);
  }

  private StreamConfig retaining(StreamOption option) {
    return config()
        .leaseFor(HOUR.multipliedBy(20))
        .with(StreamOption.RETENTION_ENABLED, true)
        .with(option, HOUR.toSeconds());
  }

  @Test
  @Guarantee("SF18")
  void retention_spares_a_live_batch_however_old_it_is() {
    streams.configure(retaining(StreamOption.RETENTION));
    push("p", "a", "b", "c");
    Popped held = pop(2);

    pass(HOUR.multipliedBy(2));

    assertThat(streams.browser().dropped(QUEUE, 10)).isEmpty();
    assertThat(ack(held, Verdict.COMPLETED)).allMatch(Acked::isSuccess);
    pass(HOUR);
    assertThat(streams.browser().dropped(QUEUE, 10)).extracting(Dropped::through).contains(3L);
    assertThat(streams.browser().tally(QUEUE, GROUP).lost()).isEqualTo(1);
    assertThat(pop(10).isEmpty()).isTrue();
  }

  @Test
  @Guarantee("SF18")
  void retention_of_completed_messages_spares_a_lagging_and_an_unseeded_group() {
    streams.configure(retaining(StreamOption.COMPLETED_RETENTION));
    push("p", "a", "b");
    ack(pop(10), Verdict.COMPLETED);
    PopRequest slow = request(1).group("slow");
    ack(streams.pop(slow), Verdict.COMPLETED);

    pass(HOUR.multipliedBy(2));

    assertThat(streams.browser().dropped(QUEUE, 10))
        .singleElement()
        .satisfies(
            dropped -> {
              assertThat(dropped.through()).isEqualTo(1);
              assertThat(dropped.lost()).isZero();
            });
    assertThat(texts(streams.pop(slow))).containsExactly("b");
  }

  @Test
  @Guarantee("SF18")
  void retention_waits_for_a_group_that_has_no_cursor_yet() {
    streams.configure(retaining(StreamOption.COMPLETED_RETENTION));
    push("p", "a");
    ack(pop(10), Verdict.COMPLETED);
    streams.pop(request(1).group("kept"));
    streams.admin().deleteGroup("kept", QUEUE, true);
    time.advance(HOUR.multipliedBy(2));

    int dropped = subject.process().upkeep().retain(StoreCall.plain());

    assertThat(dropped).isZero();
    assertThat(texts(streams.pop(request(1).group("kept")))).containsExactly("a");
  }

  @Test
  @Guarantee("SF18")
  void an_abandoned_group_that_returns_goes_on_with_what_is_left() {
    streams.configure(
        retaining(StreamOption.COMPLETED_RETENTION)
            .with(StreamOption.ABANDONED_GROUP, HOUR.toSeconds()));
    push("p", "a", "b");
    PopRequest sleepy = request(1).group("sleepy");
    Popped held = streams.pop(sleepy);
    time.advance(HOUR.multipliedBy(2));
    ack(pop(10), Verdict.COMPLETED);
    settle();
    push("p", "c");

    List<Acked> late = streams.ack(held.ackAll(Verdict.COMPLETED));

    assertThat(streams.browser().tally(QUEUE, "sleepy").lost()).isEqualTo(2);
    assertThat(late).extracting(Acked::error).containsExactly(StreamError.LEASE_LOST);
    Popped back = streams.pop(sleepy);
    assertThat(texts(back)).containsExactly("c");
    assertThat(streams.ack(back.ackAll(Verdict.COMPLETED))).allMatch(Acked::isSuccess);
    assertThat(streams.browser().tally(QUEUE, "sleepy").pending()).isZero();
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  @Guarantee("SF19")
  void the_holder_of_a_lease_is_told_that_its_queue_or_group_was_deleted(boolean isQueue) {
    streams.configure(config());
    push("p", "a");
    Popped held = pop(1);
    UUID lease = held.leaseId();
    assertThat(lease).isNotNull();
    Streams elsewhere = process();

    if (isQueue) {
      assertThat(elsewhere.delete(QUEUE)).isTrue();
    } else {
      assertThat(elsewhere.admin().deleteGroup(GROUP, QUEUE, false)).isPositive();
    }

    assertThat(ack(held, Verdict.FAILED))
        .extracting(Acked::error)
        .containsExactly(StreamError.LEASE_LOST);
    failing(StreamError.LEASE_LOST, () -> streams.extend(lease, LEASE));
    failing(StreamError.LEASE_LOST, () -> streams.release(lease, null));
    assertThat(streams.transact(List.of(), held.ackAll(Verdict.COMPLETED)).isCommitted()).isFalse();
    assertThat(streams.browser().leases(null)).isEmpty();
    pass(Duration.ofMinutes(2));
    push("p", "b");
    assertThat(texts(pop(10))).isEqualTo(isQueue ? List.of("b") : List.of("a", "b"));
    assertThat(ack(held, Verdict.COMPLETED))
        .extracting(Acked::error)
        .containsExactly(StreamError.LEASE_LOST);
  }

  @Test
  @Guarantee("SF24")
  void without_a_key_nothing_is_pushed_to_an_encrypted_queue_in_plain() {
    streams.configure(config().with(StreamOption.ENCRYPTION_ENABLED, true));

    failing(StreamError.ENCRYPTION_UNAVAILABLE, () -> push("p", "secret"));

    assertThat(streams.browser().depth(QUEUE).depth()).isZero();
  }

  @Test
  @Guarantee("SF24")
  void a_message_that_another_key_sealed_is_delivered_unreadable_and_never_skipped() {
    Streams old = over(subject.process(), OPTIONS.withEncryptionKey(KEY));
    Streams rotated = over(subject.process(), OPTIONS.withEncryptionKey(OTHER_KEY));
    old.configure(config().with(StreamOption.ENCRYPTION_ENABLED, true));
    old.push(List.of(NewMessage.to(QUEUE, "first").in("p")));
    rotated.push(List.of(NewMessage.to(QUEUE, "second").in("p")));

    for (Streams reader : List.of(rotated, streams)) {
      Popped popped = reader.pop(request(10));
      assertThat(popped.messages()).hasSize(2);
      Message first = popped.messages().get(0);
      assertThat(first.payload().isReadable()).isFalse();
      failing(StreamError.DECRYPT_FAILED, () -> first.payload().text());
      assertThat(popped.batches().get(0).deliveries()).allMatch(Delivery::isEncrypted);
      assertThat(reader.ack(popped.ackAll(Verdict.RETRY))).allMatch(Acked::isSuccess);
    }

    Popped known = old.pop(request(10));
    assertThat(known.messages().get(0).payload().text()).isEqualTo("first");
    assertThat(known.messages().get(1).payload().isReadable()).isFalse();
  }

  @Test
  @Guarantee("SF24")
  void a_queue_that_begins_to_encrypt_gets_nothing_in_plain_from_who_did_not_know() {
    Streams knowing = over(subject.process(), OPTIONS.withEncryptionKey(KEY));
    knowing.configure(config());
    knowing.push(List.of(NewMessage.to(QUEUE, "plain").in("p")));
    push("p", "plain too");

    process().configure(StreamConfig.of(QUEUE).with(StreamOption.ENCRYPTION_ENABLED, true));
    knowing.push(List.of(NewMessage.to(QUEUE, "sealed").in("p")));
    failing(StreamError.ENCRYPTION_UNAVAILABLE, () -> push("p", "refused"));

    Popped popped = knowing.pop(request(10));
    assertThat(texts(popped)).containsExactly("plain", "plain too", "sealed");
    assertThat(popped.batches().get(0).deliveries())
        .extracting(Delivery::isEncrypted)
        .containsExactly(false, false, true);
  }

  @Test
  @Guarantee("SF25")
  void a_queue_deleted_elsewhere_is_made_again_by_the_next_push() {
    push("p", "a");
    pop(1);

    process().delete(QUEUE);
    List<Pushed> again = push("p", "b");

    assertThat(again).extracting(Pushed::offset).containsExactly(1L);
    assertThat(texts(pop(10))).containsExactly("b");
  }

  @Test
  @Guarantee("SF25")
  void an_idle_partition_that_was_removed_is_made_again_by_the_next_push() {
    streams.configure(retaining(StreamOption.COMPLETED_RETENTION));
    push("p", "a");
    ack(pop(10), Verdict.COMPLETED);

    pass(Duration.ofDays(40));
    assertThat(streams.admin().partitions(QUEUE, null, 10)).doesNotContain("p");
    push("p", "b");

    assertThat(texts(pop(10))).containsExactly("b");
    assertThat(streams.browser().tally(QUEUE, GROUP).pushed()).isEqualTo(1);
  }
}
