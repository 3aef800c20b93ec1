package io.holdfast.postgres;

import static io.holdfast.postgres.StreamAdminFixture.CALL;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.holdfast.stream.Dropped;
import io.holdfast.stream.MessageQuery;
import io.holdfast.stream.Payload;
import io.holdfast.stream.StreamConfig;
import io.holdfast.stream.StreamIds;
import io.holdfast.stream.StreamInfo;
import io.holdfast.stream.StreamOption;
import io.holdfast.stream.Trace;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What the background does, step by step. */
@Timeout(60)
class StreamUpkeepTest {
  private final StreamAdminFixture fixture = new StreamAdminFixture();
  private final PostgresStreamUpkeep upkeep = new PostgresStreamUpkeep(fixture.kernel);
  private final PostgresStreamMonitor monitor = new PostgresStreamMonitor(fixture.kernel);
  private final PostgresStreamReader reader = new PostgresStreamReader(fixture.kernel);

  @AfterEach
  void close() {
    assertThat(fixture.drift("q")).isNull();
    fixture.close();
  }

  /** Five messages in partition a, ten seconds apart; the last is ten seconds old. */
  private StreamInfo fill(StreamConfig config) {
    StreamInfo made = fixture.configure(config);
    for (int i = 1; i <= 5; i++) {
      fixture.push("q", "a", "t" + i, "" + i);
      fixture.time.advance(Duration.ofSeconds(10));
    }
    return made;
  }

  private static StreamConfig retaining(StreamOption option, int seconds) {
    return StreamConfig.of("q").with(StreamOption.RETENTION_ENABLED, true).with(option, seconds);
  }

  private List<String> left() {
    return reader.messages(MessageQuery.of("q"), CALL).stream()
        .map(stored -> stored.message().transactionId())
        .toList();
  }

  private String cursor(String group) {
    return String.valueOf(
        fixture.query(
            "SELECT concat_ws(' ', c.committed, CASE WHEN c.ready_at IS NULL THEN 'idle' ELSE 'pending' END,"
                + " c.leased_at IS NOT NULL) FROM holdfast.stream_cursor AS c JOIN holdfast.stream_partition AS p"
                + " ON p.queue_id = c.queue_id AND p.id = c.partition_id"
                + " WHERE c.queue_id = {queue} AND c.sub_id = {group} AND p.name = 'a'",
            "q",
            group));
  }

  @Test
  void completed_retention_drops_what_every_group_has_passed() {
    fill(retaining(StreamOption.COMPLETED_RETENTION, 30));
    assertThat(upkeep.retain(CALL)).isZero();
    fixture.group("q", "g");
    fixture.group("q", "h");
    fixture.pass("q", "a", "g", 5);
    fixture.pass("q", "a", "h", 2);

    assertThat(upkeep.retain(CALL)).isEqualTo(2);

    assertThat(left()).containsExactly("t5", "t4", "t3");
    assertThat(monitor.dropped("q", 10, CALL))
        .containsExactly(new Dropped("q", "a", Dropped.Reason.COMPLETED, 2, 2, 0, fixture.now()));
    fixture.pass("q", "a", "h", 5);
    assertThat(upkeep.retain(CALL)).isEqualTo(1);
    assertThat(upkeep.retain(CALL)).isZero();
    assertThat(left()).containsExactly("t5", "t4");
  }

  @Test
  void a_group_that_is_not_seeded_has_passed_nothing() {
    fill(retaining(StreamOption.COMPLETED_RETENTION, 1));
    fixture.group("q", "g");
    fixture.pass("q", "a", "g", 5);
    fixture.query(
        "SELECT holdfast.stream_register_v1(?, {queue}, 'late', 'a', NULL)",
        "q",
        fixture.now().toString());

    assertThat(upkeep.retain(CALL)).isZero();
    assertThat(upkeep.seed(CALL)).isEqualTo(2);
    assertThat(upkeep.seed(CALL)).isZero();
    fixture.pass("q", "a", "late", 5);
    assertThat(upkeep.retain(CALL)).isEqualTo(5);
  }

  @Test
  void age_drops_unread_messages_and_reports_the_loss() {
    fill(retaining(StreamOption.RETENTION, 30));
    fixture.group("q", "g");
    fixture.group("q", "h");
    fixture.pass("q", "a", "h", 2);

    assertThat(upkeep.retain(CALL)).isEqualTo(3);

    assertThat(left()).containsExactly("t5", "t4");
    assertThat(monitor.dropped(null, 10, CALL))
        .containsExactly(new Dropped("q", "a", Dropped.Reason.AGE, 3, 3, 4, fixture.now()));
    assertThat(monitor.tally("q", "g", CALL).lost()).isEqualTo(3);
    assertThat(monitor.tally("q", "h", CALL).lost()).isEqualTo(1);
    assertThat(cursor("g")).isEqualTo("3 pending f");
    fixture.time.advance(Duration.ofSeconds(100));
    assertThat(upkeep.retain(CALL)).isEqualTo(2);
    assertThat(cursor("g")).isEqualTo("5 idle f");
    assertThat(
            fixture.query(
                "SELECT log_start || ' ' || (oldest_at IS NULL) FROM holdfast.stream_partition"
                    + " WHERE queue_id = {queue} AND name = 'a'",
                "q"))
        .isEqualTo("6 true");
  }

  @Test
  void a_live_batch_and_one_under_retry_are_not_dropped() {
    fill(retaining(StreamOption.RETENTION, 1));
    fixture.group("q", "g");
    fixture.group("q", "h");
    fixture.pass("q", "a", "g", 3);
    fixture.lease("q", "a", "g", 4);
    fixture.pass("q", "a", "h", 2);
    fixture.cursor("q", "a", "h", "retry_count = 1");

    assertThat(upkeep.retain(CALL)).isEqualTo(2);
    assertThat(left()).containsExactly("t5", "t4", "t3");
    fixture.cursor("q", "a", "h", "retry_count = 0");
    assertThat(upkeep.retain(CALL)).isEqualTo(1);
    assertThat(left()).containsExactly("t5", "t4");
  }

  @Test
  void an_abandoned_group_loses_its_batch() {
    fill(retaining(StreamOption.COMPLETED_RETENTION, 1).with(StreamOption.ABANDONED_GROUP, 1000));
    fixture.group("q", "silent");
    fixture.lease("q", "a", "silent", 2);
    fixture.time.advance(Duration.ofSeconds(1000));
    fixture.cursor("q", "a", "silent", "ready_at = ready_at + interval '1 day'");
    assertThat(upkeep.retain(CALL)).isZero();
    fixture.group("q", "g");
    fixture.pass("q", "a", "g", 5);

    assertThat(upkeep.retain(CALL)).isEqualTo(5);

    assertThat(cursor("silent")).isEqualTo("5 idle f");
    assertThat(monitor.tally("q", "silent", CALL).lost()).isEqualTo(5);
    assertThat(monitor.dropped("q", 1, CALL).get(0).lost()).isEqualTo(5);
  }

  @Test
  void what_waited_too_long_goes_and_is_counted() {
    fill(StreamConfig.of("q").with(StreamOption.MAX_WAIT_TIME, 40));
    fixture.group("q", "g");
    fixture.pass("q", "a", "g", 1);

    assertThat(upkeep.retain(CALL)).isEqualTo(2);

    assertThat(monitor.tally("q", "g", CALL).expired()).isEqualTo(1);
    assertThat(monitor.dropped("q", 10, CALL))
        .containsExactly(new Dropped("q", "a", Dropped.Reason.MAX_WAIT, 2, 2, 1, fixture.now()));
  }

  @Test
  void what_is_left_for_other_groups_is_passed_with_the_drop() {
    fill(retaining(StreamOption.RETENTION, 30));
    fixture.group("q", "g");
    fixture.group("q", "h");
    fixture.execute(
        "UPDATE holdfast.stream_message SET only_sub = {group} WHERE queue_id = {queue} AND off > 3",
        "q",
        "h");

    assertThat(upkeep.retain(CALL)).isEqualTo(3);

    assertThat(cursor("g")).isEqualTo("5 idle f");
    assertThat(cursor("h")).isEqualTo("3 pending f");
  }

  @Test
  void what_shall_become_a_dead_letter_waits_for_its_pop() {
    fill(
        StreamConfig.of("q")
            .with(StreamOption.MAX_WAIT_TIME, 1)
            .with(StreamOption.MAX_WAIT_ACTION, "deadLetter"));
    fixture.group("q", "g");
    fixture.pass("q", "a", "g", 1);

    assertThat(upkeep.retain(CALL)).isEqualTo(1);
    assertThat(monitor.tally("q", "g", CALL).expired()).isZero();
  }

  @Test
  void every_reason_has_a_line_of_its_own() {
    fill(
        retaining(StreamOption.COMPLETED_RETENTION, 1)
            .with(StreamOption.RETENTION, 30)
            .with(StreamOption.MAX_WAIT_TIME, 20));
    fixture.group("q", "g");
    fixture.pass("q", "a", "g", 1);

    assertThat(upkeep.retain(CALL)).isEqualTo(4);

    assertThat(monitor.dropped("q", 10, CALL))
        .extracting(Dropped::reason, Dropped::messages, Dropped::through, Dropped::lost)
        .containsExactly(
            tuple(Dropped.Reason.MAX_WAIT, 1L, 4L, 1L),
            tuple(Dropped.Reason.AGE, 2L, 3L, 2L),
            tuple(Dropped.Reason.COMPLETED, 1L, 1L, 0L));
  }

  @Test
  void a_step_drops_a_thousand_and_gaps_do_not_matter() {
    StreamInfo made = fill(retaining(StreamOption.RETENTION, 1));
    UUID a = StreamIds.partition(made.key(), 2);
    assertThat(reader.delete(a, "t1", CALL)).isTrue();
    fixture.execute(
        """
        INSERT INTO holdfast.stream_message (queue_id, partition_id, off, id, payload, encrypted, created_at)
        SELECT {queue}, 2, 5 + i, gen_random_uuid(), '', false, '%s'::timestamptz + i * interval '1 us'
          FROM generate_series(1, 1500) AS i;
        UPDATE holdfast.stream_partition SET last_offset = 1505 WHERE queue_id = {queue} AND id = 2;
        UPDATE holdfast.stream_counter SET n = 1505 WHERE queue_id = {queue} AND kind = 'P'
        """
            .formatted(fixture.now()),
        "q",
        null);
    fixture.time.advance(Duration.ofSeconds(10));

    assertThat(upkeep.retain(CALL)).isEqualTo(1000);
    assertThat(upkeep.retain(CALL)).isEqualTo(504);
    assertThat(upkeep.retain(CALL)).isZero();
  }

  @Test
  void a_partition_or_a_cursor_in_use_is_left_for_later() throws Exception {
    fill(retaining(StreamOption.RETENTION, 1));
    fixture.group("q", "g");
    try (Connection other = TestDatabase.begin();
        Statement statement = other.createStatement()) {
      statement.execute(
          fixture.kernel.sql("SELECT FROM holdfast.stream_partition WHERE name = 'a' FOR UPDATE"));
      assertThat(upkeep.retain(CALL)).isZero();
      other.rollback();
      statement.execute(fixture.kernel.sql("SELECT FROM holdfast.stream_cursor FOR UPDATE"));
      assertThat(upkeep.retain(CALL)).isZero();
      other.rollback();
    }
    assertThat(upkeep.retain(CALL)).isEqualTo(5);
  }

  @Test
  void a_queue_that_another_process_is_busy_with_is_left_alone() throws Exception {
    StreamInfo made = fill(retaining(StreamOption.RETENTION, 1));
    try (Connection other = TestDatabase.begin();
        Statement statement = other.createStatement()) {
      statement.execute(
          fixture.kernel.sql("SELECT holdfast.stream_alone_v1(" + made.key().id() + ")"));

      assertThat(upkeep.retain(CALL)).isZero();
      assertThat(upkeep.purge(0, CALL)).isZero();
      other.rollback();
    }
    assertThat(upkeep.retain(CALL)).isEqualTo(5);
  }

  @Test
  void counters_that_were_written_apart_are_added_up() {
    fill(StreamConfig.of("q"));
    fixture.group("q", "g");
    fixture.execute(
        "INSERT INTO holdfast.stream_counter VALUES ({queue}, 'P', 0, 5, -2), ({queue}, 'P', 0, 6, 2),"
            + " ({queue}, 'C', {group}, 9, 0), ({queue}, 'C', 999, 9, 5)",
        "q",
        "g");

    assertThat(upkeep.count(CALL)).isEqualTo(4);
    assertThat(upkeep.count(CALL)).isZero();
    assertThat(monitor.tally("q", "g", CALL).pushed()).isEqualTo(5);
    assertThat(fixture.query("SELECT count(*) FROM holdfast.stream_counter WHERE stripe > 0", "q"))
        .isEqualTo("0");
  }

  @Test
  void drift_is_found() {
    fill(StreamConfig.of("q"));
    fixture.group("q", "g");
    fixture.execute(
        "UPDATE holdfast.stream_counter SET n = n + 1 WHERE queue_id = {queue} AND kind = 'P'",
        "q",
        null);

    assertThat(fixture.drift("q")).isEqualTo("(P,0,6,5)");
    assertThat(upkeep.count(CALL)).isZero();
    fixture.execute(
        "UPDATE holdfast.stream_counter SET n = n - 1 WHERE queue_id = {queue} AND kind = 'P'",
        "q",
        null);
  }

  @Test
  void a_deleted_queue_leaves_nothing() {
    StreamInfo made = fill(StreamConfig.of("q"));
    fixture.group("q", "g");
    fixture.bury("q", "a", "g", 1);
    reader.record(
        StreamIds.partition(made.key(), 2),
        "t1",
        new Trace.Note(null, "x", Payload.EMPTY, List.of("n")),
        CALL);
    new PostgresStreamCatalog(fixture.kernel).delete("q", CALL);

    assertThat(upkeep.purge(30, CALL)).isPositive();
    assertThat(upkeep.purge(30, CALL)).isEqualTo(1);
    assertThat(upkeep.purge(30, CALL)).isZero();
    for (String table :
        new String[] {
          "queue",
          "partition",
          "message",
          "subscription",
          "cursor",
          "mark",
          "dead",
          "counter",
          "trace",
          "trace_name"
        }) {
      assertThat(fixture.query("SELECT count(*) FROM holdfast.stream_" + table, "q"))
          .as(table)
          .isEqualTo("0");
    }
  }

  @Test
  void what_a_forgotten_group_left_is_removed() {
    fill(StreamConfig.of("q"));
    fixture.group("q", "g");
    fixture.execute(
        "UPDATE holdfast.stream_subscription SET name = NULL WHERE queue_id = {queue}", "q", null);

    assertThat(upkeep.purge(30, CALL)).isEqualTo(3);
    assertThat(upkeep.purge(30, CALL)).isZero();
  }

  @Test
  void empty_partitions_go_after_a_while_with_their_cursors() {
    fill(retaining(StreamOption.RETENTION, 1));
    fixture.group("q", "g");
    upkeep.retain(CALL);
    fixture.push("q", "b", null, "1");
    fixture.time.advance(Duration.ofDays(30).minusSeconds(10));
    assertThat(upkeep.purge(30, CALL)).isEqualTo(1);
    assertThat(upkeep.purge(30, CALL)).isZero();
    fixture.time.advance(Duration.ofSeconds(1));

    assertThat(upkeep.purge(30, CALL)).isEqualTo(1);

    assertThat(new PostgresStreamCatalog(fixture.kernel).partitions("q", null, 10, CALL))
        .containsExactly("b");
    assertThat(monitor.tally("q", "g", CALL).pushed()).isEqualTo(1);
    assertThat(monitor.depths("q", CALL).get(0).depth()).isEqualTo(1);
  }

  @Test
  void old_notes_and_log_entries_go() {
    StreamInfo made = fill(retaining(StreamOption.RETENTION, 45));
    UUID a = StreamIds.partition(made.key(), 2);
    reader.record(a, "t5", new Trace.Note(null, "x", Payload.EMPTY, List.of("n")), CALL);
    assertThat(upkeep.retain(CALL)).isEqualTo(1);
    fixture.time.advance(Duration.ofDays(30));
    assertThat(upkeep.purge(1000, CALL)).isZero();
    fixture.time.advanceMs(1);

    assertThat(upkeep.purge(1000, CALL)).isEqualTo(1);
    assertThat(reader.tracesNamed("n", 10, CALL)).isEmpty();
    fixture.time.advance(Duration.ofDays(60));
    assertThat(upkeep.purge(1000, CALL)).isEqualTo(1);
    assertThat(monitor.dropped("q", 10, CALL)).isEmpty();
  }
}
