package io.holdfast.postgres;

import static io.holdfast.postgres.StreamAdminFixture.CALL;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.assertj.core.api.Assertions.tuple;

import io.holdfast.stream.ActiveLease;
import io.holdfast.stream.CursorKey;
import io.holdfast.stream.Depth;
import io.holdfast.stream.Explanation;
import io.holdfast.stream.Explanation.State;
import io.holdfast.stream.StreamConfig;
import io.holdfast.stream.StreamError;
import io.holdfast.stream.StreamException;
import io.holdfast.stream.StreamMonitor;
import io.holdfast.stream.StreamOption;
import io.holdfast.stream.StuckPartition;
import io.holdfast.stream.Utilization;
import java.time.Duration;
import java.time.Instant;
import java.util.UUID;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Depths, leases, stuck partitions, and why nothing comes. */
@Timeout(60)
class StreamMonitorTest {
  private final StreamAdminFixture fixture = new StreamAdminFixture();
  private final PostgresStreamMonitor monitor = new PostgresStreamMonitor(fixture.kernel);
  private final PostgresStreamCatalog catalog = new PostgresStreamCatalog(fixture.kernel);

  @BeforeEach
  void fill() {
    fixture.configure(StreamConfig.of("q").maxSize(10));
    fixture.push("q", "a", "t1", "1");
    fixture.push("q", "a", "t2", "1");
    fixture.push("q", "b", "t3", "1");
  }

  @AfterEach
  void close() {
    fixture.close();
  }

  private Depth depth() {
    return monitor.depths("q", CALL).get(0);
  }

  @Test
  void depth_is_what_the_slowest_active_group_has_before_it() {
    fixture.configure(StreamConfig.of("q").with(StreamOption.ABANDONED_GROUP, 60));
    assertThat(depth()).isEqualTo(new Depth("q", 3, 10, 7L));
    fixture.group("q", "slow");
    fixture.time.advance(Duration.ofSeconds(30));
    fixture.group("q", "quick");
    fixture.pass("q", "a", "quick", 2);

    assertThat(depth().depth()).isEqualTo(3);
    fixture.time.advance(Duration.ofSeconds(30));
    assertThat(depth().depth()).isEqualTo(1);
    fixture.time.advance(Duration.ofSeconds(30));
    assertThat(depth().depth()).isEqualTo(3);
    assertThat(monitor.depths(null, CALL)).containsExactly(depth());
  }

  @Test
  void leases_and_utilization_are_those_that_last() {
    fixture.configure(StreamConfig.of("empty"));
    fixture.group("q", "g");
    fixture.group("q", "h");
    UUID later = fixture.lease("q", "b", "g", 1);
    fixture.cursor("q", "b", "g", "ready_at = ready_at + interval '1 s'");
    UUID sooner = fixture.lease("q", "a", "g", 2);
    fixture.lease("q", "a", "h", 2);
    fixture.cursor("q", "a", "h", "ready_at = leased_at");

    assertThat(monitor.leases(null, CALL))
        .extracting(ActiveLease::leaseId)
        .containsExactly(sooner, later);
    ActiveLease first = monitor.leases("q", CALL).get(0);
    assertThat(first.cursor()).isEqualTo(new CursorKey("q", "a", "g"));
    assertThat(first.startedAt()).isEqualTo(fixture.now());
    assertThat(first.expiresAt()).isEqualTo(fixture.now().plusSeconds(60));
    assertThat(first.messages()).isEqualTo(2);
    assertThat(monitor.utilization(null, CALL))
        .containsExactly(new Utilization("empty", 1, 0), new Utilization("q", 3, 2));
    assertThat(monitor.leases("other", CALL)).isEmpty();
  }

  @Test
  void stuck_partitions_have_one_reason_each() {
    for (String partition : new String[] {"c", "d", "e", "f"}) {
      fixture.push("q", partition, null, "1");
    }
    fixture.group("q", "g");
    fixture.lease("q", "a", "g", 1);
    fixture.cursor("q", "a", "g", "ready_at = leased_at + interval '30 s'");
    fixture.lease("q", "b", "g", 1);
    fixture.cursor("q", "b", "g", "ready_at = leased_at, last_error = 'late'");
    fixture.cursor("q", "c", "g", "retry_count = 1, last_error = 'bad', attempt = 2");
    fixture.cursor("q", "d", "g", "ready_at = 'infinity', park_reason = 'why', last_error = 'x'");
    fixture.lease("q", "e", "g", 1);

    assertThat(monitor.stuck("q", CALL))
        .extracting(
            stuck -> stuck.cursor().partition(), StuckPartition::reason, StuckPartition::error)
        .containsExactly(
            tuple("a", StuckPartition.Reason.EXPIRING, null),
            tuple("b", StuckPartition.Reason.EXPIRED, "late"),
            tuple("c", StuckPartition.Reason.RETRYING, "bad"),
            tuple("d", StuckPartition.Reason.PARKED, "why"));
    assertThat(monitor.stuck(null, CALL).get(3).readyAt()).isNull();
    fixture.time.advance(Duration.ofSeconds(5));
    assertThat(monitor.stuck(null, CALL).get(0).heldFor()).isEqualTo(Duration.ofSeconds(5));
  }

  @Test
  void a_tally_adds_up() {
    fixture.group("q", "g");
    fixture.pass("q", "a", "g", 2);
    fixture.execute(
        "INSERT INTO holdfast.stream_counter VALUES ({queue}, 'W', {group}, 0, 4), ({queue}, 'L', {group}, 7, 5)",
        "q",
        "g");

    assertThat(monitor.tally("q", "g", CALL)).isEqualTo(new StreamMonitor.Tally(3, 2, 4, 5));
    assertThat(errorOf(() -> monitor.tally("no", "g", CALL)))
        .isEqualTo(StreamError.QUEUE_NOT_FOUND);
    assertThat(errorOf(() -> monitor.tally("q", "no", CALL)))
        .isEqualTo(StreamError.GROUP_NOT_FOUND);
    assertThat(errorOf(() -> monitor.depths("no", CALL))).isEqualTo(StreamError.QUEUE_NOT_FOUND);
    assertThat(errorOf(() -> monitor.explain(new CursorKey("q", "no", "g"), CALL)))
        .isEqualTo(StreamError.PARTITION_NOT_FOUND);
  }

  private static StreamError errorOf(ThrowingCallable call) {
    return catchThrowableOfType(StreamException.class, call).error();
  }

  private Explanation explain() {
    return monitor.explain(new CursorKey("q", "a", "g"), CALL);
  }

  private void expect(State state, long pending, Instant... until) {
    Explanation found = explain();
    assertThat(found.state()).isEqualTo(state);
    assertThat(found.pending()).isEqualTo(pending);
    assertThat(found.until()).isEqualTo(until.length == 0 ? null : until[0]);
    assertThat(found.detail()).isNotBlank();
  }

  @Test
  void every_state_is_explained() {
    Instant start = fixture.now();
    expect(State.UNSEEDED, 2);
    fixture.group("q", "g");
    expect(State.READY, 2);
    fixture.configure(StreamConfig.of("q").with(StreamOption.WINDOW_BUFFER, 20));
    expect(State.WINDOW, 2, start.plusSeconds(20).plusNanos(1000));
    fixture.configure(StreamConfig.of("q").with(StreamOption.DELAYED_PROCESSING, 15));
    expect(State.DELAYED, 2, start.plusSeconds(15));
    fixture.cursor(
        "q",
        "a",
        "g",
        "retry_count = 1, last_failed_at = '%s', last_error = 'bad', ready_at = '%s'"
            .formatted(start, start.plusSeconds(1)));
    expect(State.RETRYING, 2, start.plusSeconds(1));
    assertThat(explain().detail()).contains("failure 1");
    fixture.lease("q", "a", "g", 1);
    expect(State.LEASED, 2, start.plusSeconds(60));
    fixture.cursor("q", "a", "g", "leased_at = NULL, ready_at = 'infinity', park_reason = 'odd'");
    expect(State.PARKED, 2);
    assertThat(explain().detail()).contains("odd");
    catalog.pausePop(null, true, CALL);
    expect(State.PAUSED, 2);
    catalog.pausePop(null, false, CALL);
    fixture.cursor("q", "a", "g", "ready_at = NULL, committed = 2");
    expect(State.IDLE, 0);
  }

  @Test
  void the_views_say_the_same_by_the_servers_clock() {
    fixture.group("q", "g");
    fixture.lease("q", "a", "g", 2);
    fixture.cursor(
        "q", "a", "g", "leased_at = now() - interval '10 s', ready_at = now() + interval '20 s'");

    assertThat(
            fixture.query(
                "SELECT concat_ws(' ', queue_name, partition_name, consumer_group, lease_id IS NOT NULL,"
                    + " lease_expires_at - lease_started_at, message_count, round(seconds_remaining / 10))"
                    + " FROM holdfast.stream_active_leases",
                "q"))
        .isEqualTo("q a g t 00:00:30 2 2");
    assertThat(
            fixture.query(
                "SELECT concat_ws(' ', queue_name, total_partitions, leased_partitions, utilization_pct)"
                    + " FROM holdfast.stream_partition_utilization",
                "q"))
        .isEqualTo("q 3 1 33.33");
    assertThat(
            fixture.query(
                "SELECT concat_ws(' ', queue_name, partition_name, consumer_group,"
                    + " lease_expires_at - lease_started_at, floor(lease_held_seconds / 10), attempt, reason)"
                    + " FROM holdfast.stream_stuck_partitions",
                "q"))
        .isEqualTo("q a g 00:00:30 1 1 expiring");
    assertThat(
            fixture.query(
                "SELECT concat_ws(' ', queue_name, current_depth, max_queue_size, remaining_capacity)"
                    + " FROM holdfast.stream_queue_depths",
                "q"))
        .isEqualTo("q 3 10 7");
  }
}
