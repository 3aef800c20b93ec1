package io.holdfast.postgres;

import static io.holdfast.postgres.StreamFixture.CALL;
import static io.holdfast.postgres.StreamFixture.attempts;
import static io.holdfast.postgres.StreamFixture.entry;
import static io.holdfast.postgres.StreamFixture.texts;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.stream.Batch;
import io.holdfast.stream.CursorKey;
import io.holdfast.stream.Entry;
import io.holdfast.stream.Extended;
import io.holdfast.stream.PopRequest;
import io.holdfast.stream.PopSource;
import io.holdfast.stream.Popped;
import io.holdfast.stream.Start;
import io.holdfast.stream.StreamError;
import io.holdfast.stream.StreamException;
import io.holdfast.stream.StreamLeases.Extension;
import io.holdfast.stream.StreamLeases.PopAnswer;
import io.holdfast.stream.Verdict;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a claim takes, rule by rule. */
@Timeout(60)
class StreamPopTest {
  private static final CursorKey CURSOR = new CursorKey("q", "p", "g");
  private final StreamFixture streams = StreamFixture.manual();

  @AfterEach
  void close() {
    assertThat(streams.drift()).isNull();
    streams.close();
  }

  private static Batch.Held lease(Popped popped) {
    return Objects.requireNonNull(popped.batches().get(0).lease());
  }

  @Test
  void nothing_comes_of_what_there_is_not() {
    assertThat(streams.answer(streams.request()))
        .isEqualTo(new PopAnswer(Popped.nothing("g"), null, false));
    streams.push("p", "1");

    assertThat(streams.pop(streams.request().partition("other")).isEmpty()).isTrue();
    assertThat(streams.query("SELECT count(*) FROM holdfast.stream_subscription")).isEqualTo("1");
    assertThat(streams.pop(PopRequest.of(PopSource.labels("none", null))).isEmpty()).isTrue();
  }

  @Test
  void a_paused_queue_gives_nothing_but_knows_who_asked() {
    streams.push("p", "1");
    streams.update("UPDATE holdfast.stream_global SET pop_paused = true");
    assertThat(streams.pop().isEmpty()).isTrue();
    streams.update("UPDATE holdfast.stream_global SET pop_paused = false");
    streams.update("UPDATE holdfast.stream_queue SET pop_paused = true");
    assertThat(streams.pop().isEmpty()).isTrue();

    assertThat(streams.query("SELECT count(*) FROM holdfast.stream_subscription")).isEqualTo("1");
  }

  @Test
  void a_claim_holds_the_partition_for_its_group_only() {
    streams.push("p", "1", "2");

    Popped popped = streams.pop();

    assertThat(texts(popped)).containsExactly("1", "2");
    assertThat(attempts(popped)).containsExactly(1, 1);
    assertThat(lease(popped).expiresAt()).isEqualTo(streams.now().plusSeconds(300));
    long micros = streams.now().toEpochMilli() * 1000;
    assertThat(lease(popped).fence()).isEqualTo(micros + 1);
    PopAnswer none = streams.answer(streams.request());
    assertThat(none.popped().isEmpty()).isTrue();
    assertThat(none.nextIn()).isEqualTo(Duration.ofSeconds(300));
    assertThat(texts(streams.pop(streams.request().group("other")))).hasSize(2);
  }

  @Test
  void an_expired_lease_goes_to_the_next_and_is_counted() {
    streams.push("p", "1", "2");
    Popped first = streams.pop(streams.request().leaseFor(Duration.ofSeconds(5)).batch(1));
    streams.advance(5);

    Popped second = streams.pop();

    assertThat(texts(second)).containsExactly("1", "2");
    assertThat(attempts(second)).containsExactly(2, 1);
    assertThat(lease(second).fence()).isEqualTo(lease(first).fence() + 1);
    assertThat(lease(second).id()).isNotEqualTo(lease(first).id());
    assertThat(streams.cursor("expiries")).isEqualTo("1");
    assertThat(streams.cursor("last_error")).isEqualTo("Partition lease expired");
  }

  @Test
  void after_three_expiries_one_message_comes_alone() {
    streams.push("p", "1", "2");
    for (int i = 0; i < 3; i++) {
      assertThat(texts(streams.pop())).hasSize(2);
      streams.advance(300);
    }

    assertThat(texts(streams.pop())).containsExactly("1");
  }

  @Test
  void the_longest_ready_comes_first_then_the_fuller() {
    streams.configure("lease_time = 300");
    streams.pop();
    streams.push(entry("q", "a", "a1"), entry("q", "b", "b1"), entry("q", "b", "b2"));
    streams.advance(1);
    streams.push("c", "c1", "c2", "c3");

    Popped all = streams.pop(streams.request().partitions(5));

    assertThat(all.batches()).extracting(Batch::partition).containsExactly("b", "a", "c");
    assertThat(all.batches())
        .extracting(batch -> Objects.requireNonNull(batch.lease()).id())
        .containsOnly(all.leaseId());
  }

  @Test
  void batch_is_a_total_and_partitions_a_limit() {
    streams.push(entry("q", "a", "1"), entry("q", "a", "2"), entry("q", "b", "3"));

    Popped popped = streams.pop(streams.request().partitions(2).batch(2));

    assertThat(texts(popped)).containsExactly("1", "2");
    assertThat(texts(streams.pop(streams.request().partitions(1)))).containsExactly("3");
  }

  @Test
  void every_waiting_partition_is_served_before_any_twice() {
    streams.configure("lease_time = 300");
    streams.pop();
    streams.push(entry("q", "a", "1"), entry("q", "a", "2"), entry("q", "b", "3"));
    List<String> order = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      streams.advance(1);
      Popped popped = streams.pop(streams.request().batch(1));
      order.addAll(texts(popped));
      streams.ack(popped, Verdict.COMPLETED);
    }

    assertThat(order).containsExactly("1", "3", "2");
  }

  @Test
  void a_pop_of_one_partition_takes_only_that_one() {
    streams.push(entry("q", "a", "1"), entry("q", "b", "2"));

    assertThat(texts(streams.pop(streams.request().partition("b").partitions(2))))
        .containsExactly("2");
    assertThat(streams.answer(streams.request().partition("b")).nextIn())
        .isEqualTo(Duration.ofSeconds(300));
  }

  @Test
  void auto_ack_settles_by_delivery() {
    streams.push("p", "1", "2", "3");

    Popped popped = streams.pop(streams.request().batch(2).autoAck(true));

    assertThat(texts(popped)).containsExactly("1", "2");
    assertThat(popped.leaseId()).isNull();
    assertThat(texts(streams.pop(streams.request().autoAck(true)))).containsExactly("3");
    assertThat(streams.cursor("ready_at")).isNull();
    streams.push("p", "4");
    assertThat(texts(streams.pop())).containsExactly("4");
  }

  @Test
  void a_delayed_message_comes_when_it_is_old_enough() {
    streams.configure("delayed_processing = 10");
    streams.push("p", "1");
    assertThat(streams.answer(streams.request()).nextIn()).isEqualTo(Duration.ofSeconds(10));
    streams.advance(5);
    streams.push("p", "2");
    streams.advance(5);

    assertThat(texts(streams.pop())).containsExactly("1");
  }

  @Test
  void a_window_holds_a_partition_until_it_is_quiet_but_not_forever() {
    streams.configure("window_buffer = 10");
    streams.push("p", "1");
    streams.pop();
    streams.advance(9);
    streams.push("p", "2");
    streams.advance(1);
    assertThat(streams.answer(streams.request()).nextIn()).isEqualTo(Duration.ofSeconds(9));
    for (int i = 0; i < 5; i++) {
      streams.advance(7);
      streams.push("p", "more");
      assertThat(streams.pop().isEmpty()).isTrue();
    }
    streams.advance(5);

    assertThat(texts(streams.pop())).hasSize(7);
  }

  @Test
  void too_old_messages_are_passed_and_counted() {
    streams.configure("max_wait_time_seconds = 10");
    streams.push("p", "1", "2");
    streams.pop(streams.request().batch(1).leaseFor(Duration.ofSeconds(1)));
    streams.advance(10);
    streams.push("p", "3");

    Popped popped = streams.pop();

    assertThat(texts(popped)).containsExactly("3");
    assertThat(streams.query("SELECT n FROM holdfast.stream_counter WHERE kind = 'W'"))
        .isEqualTo("2");
    assertThat(streams.cursor("committed")).isEqualTo("2");
  }

  @Test
  void too_old_messages_may_be_dead_letters() {
    streams.configure("max_wait_time_seconds = 10, max_wait_action = 'deadLetter'");
    streams.push("p", "1", "2");
    streams.advance(10);

    assertThat(streams.pop().isEmpty()).isTrue();

    assertThat(
            streams.query(
                "SELECT string_agg(off || reason, ',' ORDER BY off) FROM holdfast.stream_dead"))
        .isEqualTo("1max_wait,2max_wait");
    assertThat(streams.cursor("ready_at")).isNull();
  }

  @Test
  void a_crash_loop_ends_at_the_delivery_limit() {
    streams.configure("delivery_limit = 2");
    streams.push("p", "1", "2");
    for (int i = 0; i < 2; i++) {
      streams.pop();
      streams.advance(300);
    }

    Popped popped = streams.pop();

    assertThat(texts(popped)).containsExactly("2");
    assertThat(attempts(popped)).containsExactly(1);
    assertThat(streams.query("SELECT reason || attempt FROM holdfast.stream_dead"))
        .isEqualTo("delivery_limit2");
  }

  @Test
  void a_crash_loop_may_park() {
    streams.configure("delivery_limit = 1, on_exhausted = 'park'");
    streams.push("p", "1");
    streams.pop();
    streams.advance(300);

    assertThat(streams.answer(streams.request()).nextIn()).isNull();

    assertThat(streams.cursor("park_reason")).isEqualTo("delivery limit reached");
    assertThat(streams.cursor("ready_at")).isEqualTo("infinity");
    assertThat(streams.leases.unpark(CURSOR, false, CALL)).isTrue();
    assertThat(attempts(streams.pop())).containsExactly(1);
  }

  @Test
  void a_drained_cursor_is_repaired_by_a_look() {
    streams.push("p", "1", "2");
    streams.pop();
    streams.update("DELETE FROM holdfast.stream_message");
    streams.advance(300);

    assertThat(streams.answer(streams.request()).nextIn()).isNull();

    assertThat(streams.cursor("committed")).isEqualTo("2");
    assertThat(streams.cursor("ready_at")).isNull();
    streams.push("p", "3");
    assertThat(texts(streams.pop())).containsExactly("3");
  }

  @Test
  void a_message_for_another_group_is_passed() {
    streams.push("p", "1", "2", "3");
    streams.update("UPDATE holdfast.stream_message SET only_sub = 999 WHERE off <> 2");

    Popped popped = streams.pop();

    assertThat(texts(popped)).containsExactly("2");
    streams.ack(popped, Verdict.COMPLETED);
    assertThat(streams.cursor("committed")).isEqualTo("3");
    assertThat(streams.cursor("ready_at")).isNull();
  }

  @Test
  void starts_are_all_new_or_a_moment() {
    streams.push("p", "1");
    streams.advance(10);
    streams.push("p", "2");
    streams.advance(10);

    PopRequest request = streams.request();
    assertThat(texts(streams.pop(request.group("all")))).containsExactly("1", "2");
    assertThat(texts(streams.pop(request.group("new").startingAt(Start.NEW)))).isEmpty();
    assertThat(
            texts(
                streams.pop(
                    request.group("at").startingAt(Start.at(streams.now().minusSeconds(15))))))
        .containsExactly("2");
    assertThat(texts(streams.pop(PopRequest.of("q").batch(9).startingAt(Start.NEW))))
        .containsExactly("1", "2");
    streams.push("p", "3");
    assertThat(texts(streams.pop(request.group("new")))).containsExactly("3");
  }

  @Test
  void a_new_group_is_seeded_in_steps() {
    List<Entry> entries = new ArrayList<>();
    for (int i = 0; i < 2500; i++) {
      entries.add(entry("q", "p" + i, "x"));
    }
    streams.push(entries);

    assertThat(texts(streams.pop(streams.request().partition("p2499")))).hasSize(1);
    assertThat(streams.query("SELECT count(*) FROM holdfast.stream_cursor")).isEqualTo("1001");
    assertThat(streams.answer(streams.request().partition("p2499")).isSeeding()).isTrue();
    int left = 0;
    for (int i = 0; i < 4; i++) {
      left += streams.pop(streams.request().partitions(1000).batch(10_000)).messages().size();
    }

    assertThat(left).isEqualTo(2499);
    assertThat(streams.answer(streams.request()).isSeeding()).isFalse();
  }

  @Test
  void labels_find_the_queue_that_waited_longest() {
    streams.push(entry("n.a", "p", "1"));
    streams.advance(1);
    streams.push(entry("n.b", "p", "2"));
    PopRequest request = PopRequest.of(PopSource.labels("n", null)).batch(10);

    Popped first = streams.pop(request);
    Popped second = streams.pop(request);

    assertThat(first.queue()).isEqualTo("n.a");
    assertThat(texts(second)).containsExactly("2");
    assertThat(streams.pop(PopRequest.of(PopSource.labels(null, "a")).group("g")).queue())
        .isEqualTo("n.a");
  }

  @Test
  void requests_of_one_call_are_served_in_turn() {
    streams.push(entry("q", "a", "1"), entry("q", "b", "2"));
    PopRequest one = streams.request();

    List<PopAnswer> answers = streams.leases.pop(List.of(one, one, one, one.group("h")), CALL);

    assertThat(answers).extracting(a -> a.popped().messages().size()).containsExactly(1, 1, 0, 1);
    assertThat(answers.get(2).nextIn()).isEqualTo(Duration.ofSeconds(300));
  }

  @Test
  void rivals_never_get_the_same_partition() {
    List<Entry> entries = new ArrayList<>();
    for (int i = 0; i < 200; i++) {
      entries.add(entry("q", "p" + i % 50, "m" + i));
    }
    streams.push(entries);
    List<CompletableFuture<List<String>>> all = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      all.add(
          CompletableFuture.supplyAsync(
              () -> {
                List<String> got = new ArrayList<>();
                Popped popped = streams.pop(streams.request().partitions(3));
                while (!popped.isEmpty()) {
                  got.addAll(texts(popped));
                  streams.ack(popped, Verdict.COMPLETED);
                  popped = streams.pop(streams.request().partitions(3));
                }
                return got;
              }));
    }

    List<String> got = all.stream().flatMap(f -> f.join().stream()).toList();

    assertThat(got).hasSize(200).doesNotHaveDuplicates();
  }

  @Test
  void extend_prolongs_and_never_shortens() {
    streams.push(entry("q", "a", "1"), entry("q", "b", "2"));
    Popped popped = streams.pop(streams.request().partitions(2));
    UUID id = lease(popped).id();

    List<Extended> extended =
        streams.leases.extend(
            List.of(
                new Extension(id, Duration.ofSeconds(1000)),
                new Extension(id, Duration.ofSeconds(1)),
                new Extension(UUID.randomUUID(), Duration.ofSeconds(1))),
            CALL);

    Extended longer = new Extended(2, streams.now().plusSeconds(1000));
    assertThat(extended).containsExactly(longer, longer, Extended.LOST);
    streams.advance(1000);
    assertThat(streams.leases.extend(List.of(new Extension(id, Duration.ofSeconds(9))), CALL))
        .containsExactly(Extended.LOST);
  }

  @Test
  void release_hands_back_uncharged() {
    streams.push(entry("q", "a", "1"), entry("q", "b", "2"));
    Popped popped = streams.pop(streams.request().partitions(2));
    UUID id = lease(popped).id();

    assertThat(streams.leases.release(id, popped.batches().get(0).partitionId(), CALL).ready())
        .hasSize(1);
    assertThat(streams.leases.release(id, null, CALL).partitions()).isEqualTo(1);
    assertThat(streams.leases.release(id, null, CALL).partitions()).isZero();
    assertThat(streams.leases.release(UUID.randomUUID(), null, CALL).partitions()).isZero();
    assertThat(attempts(streams.pop(streams.request().partitions(2)))).containsExactly(1, 1);
  }

  @Test
  void park_and_revoke_take_the_lease_away() {
    streams.push("p", "1", "2");
    Popped popped = streams.pop();
    assertThat(streams.leases.revoke(CURSOR, lease(popped).fence() + 1, CALL)).isFalse();
    assertThat(streams.leases.revoke(CURSOR, lease(popped).fence(), CALL)).isTrue();
    assertThat(streams.ack(popped, Verdict.COMPLETED))
        .allMatch(acked -> acked.error() == StreamError.LEASE_LOST);
    Popped again = streams.pop();
    assertThat(lease(again).fence()).isEqualTo(lease(popped).fence() + 2);

    streams.leases.park(CURSOR, "look at it", CALL);

    assertThat(streams.ack(again, Verdict.COMPLETED))
        .allMatch(acked -> acked.error() == StreamError.LEASE_LOST);
    assertThat(streams.answer(streams.request()).nextIn()).isNull();
    assertThat(streams.leases.unpark(CURSOR, true, CALL)).isTrue();
    assertThat(streams.leases.unpark(CURSOR, true, CALL)).isFalse();
    assertThat(texts(streams.pop())).containsExactly("2");
    assertThat(streams.query("SELECT reason || error FROM holdfast.stream_dead"))
        .isEqualTo("skippedlook at it");
    assertThatThrownBy(() -> streams.leases.park(new CursorKey("q", "p", "nobody"), "x", CALL))
        .isInstanceOfSatisfying(
            StreamException.class,
            e -> assertThat(e.error()).isEqualTo(StreamError.GROUP_NOT_FOUND));
  }
}
