package io.holdfast.testkit.stream;

import static io.holdfast.stream.StreamError.GROUP_NOT_FOUND;
import static io.holdfast.stream.StreamError.INVALID_ARGUMENT;
import static io.holdfast.stream.StreamError.LEASE_LOST;
import static io.holdfast.stream.StreamError.PARTITION_NOT_FOUND;
import static io.holdfast.stream.StreamError.QUEUE_NOT_FOUND;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.holdfast.stream.CursorInfo;
import io.holdfast.stream.CursorKey;
import io.holdfast.stream.GroupInfo;
import io.holdfast.stream.NewMessage;
import io.holdfast.stream.PopRequest;
import io.holdfast.stream.PopSource;
import io.holdfast.stream.Popped;
import io.holdfast.stream.Position;
import io.holdfast.stream.Start;
import io.holdfast.stream.StreamOption;
import io.holdfast.stream.Verdict;
import io.holdfast.testkit.Guarantee;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Where groups start, and how operators move them. */
public abstract class StreamGroupContract extends StreamOperatorSuite {
  private static final Duration SECOND = Duration.ofSeconds(1);

  /** Five messages of partition p, a second apart, beginning now. */
  private void pushFive() {
    for (String text : List.of("a", "b", "c", "d", "e")) {
      push("p", text);
      time.advance(SECOND);
    }
  }

  private List<String> drained(Start start) {
    return drained(request(1).startingAt(start));
  }

  @Test
  @Guarantee("S70")
  void each_group_gets_every_message() {
    push("p", "a", "b");
    push("q", "c");

    assertThat(drained("one")).containsExactlyInAnyOrder("a", "b", "c");
    assertThat(drained("two")).containsExactlyInAnyOrder("a", "b", "c");
    assertThat(drained("one")).isEmpty();
  }

  @Test
  @Guarantee("S70")
  void what_one_group_does_is_nothing_to_another() {
    streams.configure(config());
    push("p", "a", "b");
    Popped mine = pop(2);
    ack(mine, Verdict.FAILED, "mine");

    assertThat(texts(popFor("other", 2))).containsExactly("a", "b");
    assertThat(pop(2).isEmpty()).isTrue();
  }

  @Test
  @Guarantee("S71")
  void mode_all_starts_at_the_first_retained() {
    streams.configure(
        config().with(StreamOption.RETENTION_ENABLED, true).with(StreamOption.RETENTION, 60));
    push("p", "dropped");
    pass(UPKEEP);
    push("p", "a", "b");

    assertThat(drained(Start.ALL)).containsExactly("a", "b");
  }

  @Test
  @Guarantee("S72")
  void mode_new_skips_what_exists_and_sees_later_partitions() {
    push("p", "old");
    push("q", "old too");
    time.advance(SECOND);

    assertThat(streams.pop(request(10).startingAt(Start.NEW)).isEmpty()).isTrue();
    push("p", "new");
    push("later", "first of its partition");

    assertThat(drained(GROUP)).containsExactlyInAnyOrder("new", "first of its partition");
  }

  @Test
  @Guarantee("S72")
  void mode_new_begins_with_the_first_pop_even_of_a_partition_that_is_not_there() {
    push("p", "old");
    PopRequest request = request(10).startingAt(Start.NEW);
    time.advance(SECOND);

    assertThat(streams.pop(request.partition("later")).isEmpty()).isTrue();
    push("later", "new");

    assertThat(drained(request.partition("later"))).containsExactly("new");
    assertThat(drained(GROUP)).isEmpty();
  }

  @Test
  @Guarantee("S72")
  void mode_new_begins_with_the_first_pop_even_while_deliveries_are_paused() {
    push("p", "old");
    time.advance(SECOND);
    streams.admin().pausePop(QUEUE);
    assertThat(streams.pop(request(10).startingAt(Start.NEW)).isEmpty()).isTrue();
    push("p", "new");
    streams.admin().resumePop(QUEUE);

    assertThat(drained(Start.NEW)).containsExactly("new");
  }

  @Test
  @Guarantee("S72")
  void who_waits_for_a_new_queue_gets_its_first_message() {
    PopRequest named = PopRequest.of("shop.made").group(GROUP).startingAt(Start.NEW);
    PopRequest labelled = PopRequest.of(PopSource.labels("shop", null)).group("other");
    streams.push(List.of(NewMessage.to("shop.known", "old")));
    time.advance(SECOND);
    CompletableFuture<Popped> byName = parked(named);
    CompletableFuture<Popped> byLabel = parked(labelled.startingAt(Start.NEW));

    streams.push(List.of(NewMessage.to("shop.made", "first")));

    assertThat(texts(now(byName))).containsExactly("first");
    assertThat(texts(now(byLabel))).containsExactly("first");
  }

  @Test
  @Guarantee("S73")
  void a_timestamp_starts_there() {
    Instant begin = instant();
    pushFive();

    assertThat(drained(request(1).group("x").startingAt(Start.at(begin.plusMillis(2_500)))))
        .containsExactly("d", "e");
    assertThat(drained(request(1).group("y").startingAt(Start.at(begin.minusMillis(1)))))
        .containsExactly("a", "b", "c", "d", "e");
    assertThat(drained(request(1).group("z").startingAt(Start.at(begin.plusSeconds(60)))))
        .isEmpty();
  }

  @Test
  @Guarantee("S73")
  void a_message_of_that_very_instant_was_there() {
    Instant begin = instant();
    pushFive();

    assertThat(drained(Start.at(begin.plusSeconds(2)))).containsExactly("d", "e");
  }

  @Test
  void only_the_first_contact_decides_where_a_group_starts() {
    pushFive();
    assertThat(drained(Start.NEW)).isEmpty();

    push("p", "f");

    assertThat(drained(Start.ALL)).containsExactly("f");
    assertThat(group(GROUP).start().mode()).isEqualTo(Start.Mode.NEW);
  }

  @Test
  @Guarantee("S74")
  void the_default_group_ignores_modes() {
    pushFive();

    PopRequest request = PopRequest.of(QUEUE).startingAt(Start.NEW);
    assertThat(drained(request)).containsExactly("a", "b", "c", "d", "e");
    assertThat(group(PopRequest.QUEUE_MODE).start()).isEqualTo(Start.ALL);
    failing(INVALID_ARGUMENT, () -> streams.admin().startGroupAt(PopRequest.QUEUE_MODE, instant()));
  }

  @Test
  @Guarantee("S75")
  void seek_to_begin_end_timestamp_and_offset() {
    Instant begin = instant();
    pushFive();
    assertThat(drained(GROUP)).hasSize(5);

    assertThat(streams.admin().seek(QUEUE, GROUP, null, Position.BEGIN)).isEqualTo(1);
    assertThat(drained(GROUP)).containsExactly("a", "b", "c", "d", "e");
    streams.admin().seek(QUEUE, GROUP, "p", Position.at(begin.plusMillis(1_500)));
    assertThat(drained(GROUP)).containsExactly("c", "d", "e");
    streams.admin().seek(QUEUE, GROUP, null, Position.offset(5));
    assertThat(drained(GROUP)).containsExactly("e");
    streams.admin().seek(QUEUE, GROUP, null, Position.BEGIN);
    streams.admin().seek(QUEUE, GROUP, null, Position.END);
    assertThat(drained(GROUP)).isEmpty();
    push("p", "f");
    assertThat(drained(GROUP)).containsExactly("f");
  }

  @Test
  @Guarantee("S75")
  void a_position_outside_of_what_is_there_is_brought_inside() {
    pushFive();
    drained(GROUP);

    streams.admin().seek(QUEUE, GROUP, "p", Position.offset(0));
    assertThat(drained(GROUP)).containsExactly("a", "b", "c", "d", "e");
    streams.admin().seek(QUEUE, GROUP, "p", Position.offset(1_000));
    push("p", "f");
    assertThat(drained(GROUP)).containsExactly("f");
  }

  @Test
  @Guarantee("S75")
  void seek_of_a_partition_or_group_leaves_the_others_where_they_are() {
    push("p", "a");
    push("q", "b");
    drained(GROUP);
    drained("other");

    assertThat(streams.admin().seek(QUEUE, GROUP, "q", Position.BEGIN)).isEqualTo(1);

    assertThat(drained(GROUP)).containsExactly("b");
    assertThat(drained("other")).isEmpty();
  }

  @Test
  @Guarantee("S75")
  void seek_knows_what_is_not_there() {
    push("p", "a");
    drained(GROUP);

    failing(QUEUE_NOT_FOUND, () -> streams.admin().seek("nowhere", GROUP, null, Position.BEGIN));
    failing(GROUP_NOT_FOUND, () -> streams.admin().seek(QUEUE, "nobody", null, Position.BEGIN));
    failing(PARTITION_NOT_FOUND, () -> streams.admin().seek(QUEUE, GROUP, "nowhere", Position.END));
    failing(INVALID_ARGUMENT, () -> streams.admin().seek(QUEUE, GROUP, "p", Position.offset(-1)));
  }

  @Test
  @Guarantee("S75")
  void seek_wakes_who_waits() {
    push("p", "a");
    drained(GROUP);
    CompletableFuture<Popped> waiting = parked(request(1));

    streams.admin().seek(QUEUE, GROUP, null, Position.BEGIN);

    assertThat(texts(now(waiting))).containsExactly("a");
  }

  @Test
  @Guarantee("S76")
  void seek_revokes_live_leases() {
    streams.configure(config());
    push("p", "a", "b");
    Popped held = pop(2);

    streams.admin().seek(QUEUE, GROUP, null, Position.offset(2));

    assertThat(ack(held, Verdict.COMPLETED))
        .extracting(acked -> acked.error())
        .containsOnly(LEASE_LOST);
    failing(LEASE_LOST, () -> streams.extend(lease(held), LEASE));
    failing(LEASE_LOST, () -> streams.release(lease(held), null));
    Popped next = pop(2);
    assertThat(texts(next)).containsExactly("b");
    assertThat(fence(next)).isGreaterThan(fence(held));
    assertThat(attempts(next)).containsExactly(1);
  }

  @Test
  @Guarantee("S76")
  void seek_forgets_what_was_completed_ahead_and_what_failed() {
    streams.configure(config().retrying(3, Duration.ofHours(1)));
    push("p", "a", "b", "c");
    Popped held = pop(3);
    ack(held, Verdict.COMPLETED, 2);
    ack(held, Verdict.FAILED, 0);
    assertThat(pop(3).isEmpty()).isTrue();

    streams.admin().seek(QUEUE, GROUP, null, Position.BEGIN);

    assertThat(texts(pop(3))).containsExactly("a", "b", "c");
  }

  @Test
  @Guarantee("S77")
  void a_deleted_group_replays_under_its_name_or_from_its_kept_start() {
    push("p", "a");
    time.advance(SECOND);
    assertThat(drained(Start.NEW)).isEmpty();
    time.advance(SECOND);
    push("p", "b", "c");
    assertThat(drained(GROUP)).containsExactly("b", "c");

    assertThat(streams.admin().deleteGroup(GROUP, QUEUE, true)).isEqualTo(1);
    assertThat(drained(Start.ALL)).containsExactly("b", "c");
    assertThat(streams.admin().deleteGroup(GROUP, QUEUE, false)).isEqualTo(1);
    assertThat(drained(Start.ALL)).containsExactly("a", "b", "c");
  }

  @Test
  @Guarantee("S77")
  void a_deleted_group_loses_its_leases_and_gets_greater_fences() {
    push("p", "a");
    Popped held = pop(1);

    streams.admin().deleteGroup(GROUP, null, false);

    assertThat(streams.admin().groups(QUEUE)).isEmpty();
    assertThat(ack(held, Verdict.COMPLETED).get(0).error()).isEqualTo(LEASE_LOST);
    failing(LEASE_LOST, () -> streams.extend(lease(held), LEASE));
    time.advance(Duration.ofMillis(1));
    assertThat(fence(pop(1))).isGreaterThan(fence(held));
    assertThat(streams.admin().deleteGroup("nobody", null, false)).isZero();
    failing(QUEUE_NOT_FOUND, () -> streams.admin().deleteGroup(GROUP, "nowhere", false));
  }

  @Test
  @Guarantee("S77")
  void another_start_holds_where_the_group_has_not_been() {
    Instant begin = instant();
    pushFive();
    assertThat(drained(GROUP)).hasSize(5);

    assertThat(streams.admin().startGroupAt(GROUP, begin.plusMillis(3_500))).isEqualTo(1);
    assertThat(drained(GROUP)).isEmpty();
    streams.admin().deleteGroup(GROUP, QUEUE, true);

    assertThat(drained(GROUP)).containsExactly("e");
  }

  @Test
  void groups_are_listed_with_their_lag() {
    push("p", "a", "b", "c");
    streams.push(List.of(NewMessage.to("other", "x")));
    ack(popFor("slow", 1), Verdict.COMPLETED);
    drained("fast");
    streams.pop(PopRequest.of("other").group("fast"));

    assertThat(streams.admin().groups(QUEUE))
        .extracting(GroupInfo::name, GroupInfo::lag)
        .containsExactly(tuple("fast", 0L), tuple("slow", 2L));
    assertThat(streams.admin().groups(null)).hasSize(3);
    assertThat(group("slow").lastSeenAt()).isEqualTo(instant());
  }

  @Test
  void cursors_are_listed_page_by_page() {
    push("p", "a", "b");
    push("q", "c");
    Popped held = popOf("p", 1);
    drained("other");

    List<CursorInfo> first = streams.admin().cursors(QUEUE, null, null, 3);
    CursorKey last = first.get(2).key();
    List<CursorInfo> rest = streams.admin().cursors(QUEUE, null, last, 3);

    List<CursorKey> keys = new ArrayList<>();
    first.forEach(cursor -> keys.add(cursor.key()));
    rest.forEach(cursor -> keys.add(cursor.key()));
    assertThat(keys)
        .containsExactly(
            cursor("p"),
            new CursorKey(QUEUE, "p", "other"),
            cursor("q"),
            new CursorKey(QUEUE, "q", "other"));
    assertThat(first.get(0).leaseId()).isEqualTo(held.leaseId());
    assertThat(first.get(0).committed()).isZero();
    assertThat(first.get(0).oldestAt()).isEqualTo(instant());
    assertThat(first.get(1).committed()).isEqualTo(first.get(1).last()).isEqualTo(2);
    assertThat(first.get(1).oldestAt()).isNull();
    assertThat(first.get(1).lastAckAt()).isEqualTo(instant());
  }

  @Test
  void what_is_settled_by_delivery_counts_as_acknowledged() {
    push("p", "a");
    time.advance(SECOND);
    streams.pop(request(1).autoAck(true));

    assertThat(streams.admin().cursors(QUEUE, GROUP, null, 10).get(0).lastAckAt())
        .isEqualTo(instant());
  }
}
