package io.holdfast.testkit.stream;

import static io.holdfast.stream.StreamError.GROUP_NOT_FOUND;
import static io.holdfast.stream.StreamError.PARTITION_NOT_FOUND;
import static io.holdfast.stream.StreamError.QUEUE_NOT_FOUND;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.holdfast.stream.ActiveLease;
import io.holdfast.stream.CursorKey;
import io.holdfast.stream.Depth;
import io.holdfast.stream.Explanation;
import io.holdfast.stream.NewMessage;
import io.holdfast.stream.PopRequest;
import io.holdfast.stream.Popped;
import io.holdfast.stream.StreamConfig;
import io.holdfast.stream.StreamOption;
import io.holdfast.stream.StuckPartition;
import io.holdfast.stream.Utilization;
import io.holdfast.stream.Verdict;
import io.holdfast.testkit.Guarantee;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What operators see of leases, depths and partitions that do not get on. */
public abstract class StreamMonitorContract extends StreamOperatorSuite {
  private static final Duration MINUTE = Duration.ofMinutes(1);

  private StuckPartition stuck() {
    List<StuckPartition> stuck = streams.browser().stuck(QUEUE);
    assertThat(stuck).hasSize(1);
    return stuck.get(0);
  }

  private void assertExplained(Explanation.State state, long pending, @Nullable Instant until) {
    Explanation explained = streams.browser().explain(cursor("p"));
    assertThat(explained.state()).as(explained.detail()).isEqualTo(state);
    assertThat(explained.pending()).isEqualTo(pending);
    assertThat(explained.until()).isEqualTo(until);
    assertThat(explained.cursor()).isEqualTo(cursor("p"));
    assertThat(explained.detail()).isNotBlank();
  }

  @Test
  @Guarantee("S108")
  void active_leases_utilization_stuck_partitions_and_depths_are_reported() {
    streams.configure(config().leaseFor(MINUTE).maxSize(10));
    push("p", "a", "b", "c");
    push("q", "d");
    Instant begin = instant();
    Popped first = popOf("p", 2);
    time.advance(Duration.ofSeconds(5));
    Popped second = popOf("q", 2);

    assertThat(streams.browser().leases(QUEUE))
        .containsExactly(
            new ActiveLease(cursor("p"), lease(first), fence(first), begin, begin.plus(MINUTE), 2),
            new ActiveLease(
                cursor("q"), lease(second), fence(second), instant(), instant().plus(MINUTE), 1));
    assertThat(streams.browser().utilization(QUEUE)).containsExactly(new Utilization(QUEUE, 3, 2));
    assertThat(streams.browser().stuck(QUEUE)).isEmpty();
    assertThat(streams.browser().depth(QUEUE)).isEqualTo(new Depth(QUEUE, 4, 10, 6L));
    ack(first, Verdict.COMPLETED);
    assertThat(streams.browser().depth(QUEUE)).isEqualTo(new Depth(QUEUE, 2, 10, 8L));
    assertThat(streams.browser().leases(null)).hasSize(1);
  }

  @Test
  @Guarantee("S108")
  void a_lease_shows_what_is_unsettled_of_it() {
    push("p", "a", "b", "c");
    Popped held = pop(3);

    ack(held, Verdict.COMPLETED, 0, 2);

    assertThat(streams.browser().leases(QUEUE))
        .extracting(ActiveLease::messages)
        .containsExactly(1);
  }

  @Test
  @Guarantee("S108")
  void a_partition_that_two_groups_hold_is_one_that_is_used() {
    push("p", "a");
    push("q", "b");
    pop(1);
    popFor("other", 1);
    streams.push(List.of(NewMessage.to("idle", "x")));

    Utilization used = streams.browser().utilization(QUEUE).get(0);

    assertThat(used).isEqualTo(new Utilization(QUEUE, 2, 1));
    assertThat(used.percent()).isEqualTo(50);
    assertThat(streams.browser().utilization(null))
        .containsExactly(new Utilization("idle", 1, 0), used);
  }

  @Test
  @Guarantee("S108")
  void an_expired_lease_is_neither_active_nor_used() {
    streams.configure(config());
    push("p", "a");
    pop(1);

    time.advance(LEASE);

    assertThat(streams.browser().leases(QUEUE)).isEmpty();
    assertThat(streams.browser().utilization(QUEUE).get(0).leased()).isZero();
  }

  @Test
  @Guarantee("S108")
  void depth_is_what_the_slowest_group_has_not_passed() {
    push("p", "a", "b");
    streams.push(List.of(NewMessage.to("another", "x")));
    assertThat(streams.browser().depth(QUEUE)).isEqualTo(new Depth(QUEUE, 2, 0, null));

    drained("fast");
    assertThat(streams.browser().depth(QUEUE).depth()).isZero();
    ack(popFor("slow", 1), Verdict.COMPLETED);

    assertThat(streams.browser().depths())
        .extracting(Depth::queue, Depth::depth)
        .containsExactly(tuple("another", 1L), tuple(QUEUE, 1L));
    failing(QUEUE_NOT_FOUND, () -> streams.browser().depth("nowhere"));
  }

  @Test
  @Guarantee("S108")
  void a_lease_that_ends_within_half_a_minute_is_expiring() {
    streams.configure(config().leaseFor(MINUTE));
    push("p", "a");
    Instant begin = instant();
    pop(1);
    time.advance(Duration.ofSeconds(29));
    assertThat(streams.browser().stuck(QUEUE)).isEmpty();

    time.advance(Duration.ofSeconds(1));

    assertThat(stuck())
        .isEqualTo(
            new StuckPartition(
                cursor("p"),
                StuckPartition.Reason.EXPIRING,
                begin,
                begin.plus(MINUTE),
                Duration.ofSeconds(30),
                1,
                null));
  }

  @Test
  @Guarantee("S108")
  void a_lease_that_is_over_and_that_nobody_took_is_expired() {
    streams.configure(config());
    push("p", "a");
    Instant begin = instant();
    pop(1);

    time.advance(Duration.ofSeconds(15));

    StuckPartition stuck = stuck();
    assertThat(stuck.reason()).isEqualTo(StuckPartition.Reason.EXPIRED);
    assertThat(stuck.leasedAt()).isEqualTo(begin);
    assertThat(stuck.readyAt()).isEqualTo(begin.plus(LEASE));
    pop(1);
    assertThat(stuck().reason()).isEqualTo(StuckPartition.Reason.EXPIRING);
    assertThat(stuck().attempt()).isEqualTo(2);
    assertThat(stuck().error()).isEqualTo("Partition lease expired");
  }

  @Test
  @Guarantee("S108")
  void a_head_that_failed_is_retrying() {
    streams.configure(config().retrying(3, MINUTE));
    push("p", "a");
    ack(pop(1), Verdict.FAILED, "boom");

    assertThat(stuck())
        .isEqualTo(
            new StuckPartition(
                cursor("p"),
                StuckPartition.Reason.RETRYING,
                null,
                instant().plus(MINUTE),
                Duration.ZERO,
                1,
                "boom"));
    time.advance(MINUTE);
    drained(GROUP);
    assertThat(streams.browser().stuck(QUEUE)).isEmpty();
  }

  @Test
  @Guarantee("S108")
  void a_parked_partition_is_stuck_for_its_reason() {
    push("p", "a");
    ack(pop(1), Verdict.PARK, "look");

    StuckPartition stuck = stuck();

    assertThat(stuck.reason()).isEqualTo(StuckPartition.Reason.PARKED);
    assertThat(stuck.leasedAt()).isNull();
    assertThat(stuck.readyAt()).isNull();
    assertThat(stuck.error()).isEqualTo("look");
    assertThat(streams.browser().stuck(null)).containsExactly(stuck);
  }

  @Test
  @Guarantee("S108")
  void stuck_partitions_are_listed_by_name() {
    streams.configure(config().retrying(3, MINUTE));
    for (String partition : List.of("q", "p")) {
      push(partition, "a");
      ack(popOf(partition, 1), Verdict.FAILED, "boom");
    }

    assertThat(streams.browser().stuck(QUEUE))
        .extracting(StuckPartition::cursor)
        .containsExactly(cursor("p"), cursor("q"));
  }

  @Test
  @Guarantee("S108")
  void it_is_explained_that_the_group_has_not_been_here() {
    push("p", "a", "b");

    assertExplained(Explanation.State.UNSEEDED, 2, null);
    pop(1);
    assertExplained(Explanation.State.LEASED, 2, instant().plus(Duration.ofSeconds(300)));
  }

  @Test
  @Guarantee("S108")
  void it_is_explained_that_pops_are_paused() {
    push("p", "a");
    pop(1);

    streams.admin().pausePop(QUEUE);
    assertExplained(Explanation.State.PAUSED, 1, null);
    streams.admin().resumePop(QUEUE);
    streams.admin().pausePop(null);
    assertExplained(Explanation.State.PAUSED, 1, null);
  }

  @Test
  @Guarantee("S108")
  void it_is_explained_that_a_partition_is_parked() {
    push("p", "a");
    ack(pop(1), Verdict.PARK, "look");

    assertExplained(Explanation.State.PARKED, 1, null);
    assertThat(streams.browser().explain(cursor("p")).detail()).contains("look");
  }

  @Test
  @Guarantee("S108")
  void it_is_explained_that_nothing_is_pending_or_that_it_is_ready() {
    streams.configure(config());
    push("p", "a");
    drained(GROUP);
    assertExplained(Explanation.State.IDLE, 0, null);

    push("p", "b", "c");
    assertExplained(Explanation.State.READY, 2, null);
    pop(1);
    assertExplained(Explanation.State.LEASED, 2, instant().plus(LEASE));
    time.advance(LEASE);
    assertExplained(Explanation.State.READY, 2, null);
  }

  @Test
  @Guarantee("S108")
  void it_is_explained_when_a_failed_head_is_tried_again() {
    streams.configure(config().retrying(3, MINUTE));
    push("p", "a");
    ack(pop(1), Verdict.FAILED, "boom");

    assertExplained(Explanation.State.RETRYING, 1, instant().plus(MINUTE));
    time.advance(MINUTE);
    assertExplained(Explanation.State.READY, 1, null);
  }

  @Test
  @Guarantee("S108")
  void it_is_explained_how_long_the_head_is_too_young() {
    streams.configure(config().with(StreamOption.DELAYED_PROCESSING, 60));
    push("p", "a");
    pop(1);

    assertExplained(Explanation.State.DELAYED, 1, instant().plus(MINUTE));
    time.advance(MINUTE);
    assertExplained(Explanation.State.READY, 1, null);
  }

  @Test
  @Guarantee("S108")
  void it_is_explained_how_long_the_window_is_open() {
    streams.configure(config().with(StreamOption.WINDOW_BUFFER, 60));
    Instant begin = instant();
    push("p", "a");
    pop(1);
    assertExplained(Explanation.State.WINDOW, 1, begin.plus(MINUTE));

    time.advance(Duration.ofSeconds(30));
    push("p", "b");

    assertExplained(Explanation.State.WINDOW, 2, begin.plusSeconds(90));
    time.advance(MINUTE);
    assertExplained(Explanation.State.READY, 2, null);
  }

  @Test
  @Guarantee("S108")
  void explaining_knows_what_is_not_there() {
    streams.configure(StreamConfig.of(QUEUE));

    failing(
        QUEUE_NOT_FOUND,
        () -> streams.browser().explain(new CursorKey("nowhere", "Default", GROUP)));
    failing(PARTITION_NOT_FOUND, () -> streams.browser().explain(cursor("nowhere")));
    failing(GROUP_NOT_FOUND, () -> streams.browser().tally(QUEUE, "nobody"));
    failing(QUEUE_NOT_FOUND, () -> streams.browser().tally("nowhere", GROUP));
    assertThat(streams.pop(PopRequest.of(QUEUE).group(GROUP)).isEmpty()).isTrue();
  }
}
