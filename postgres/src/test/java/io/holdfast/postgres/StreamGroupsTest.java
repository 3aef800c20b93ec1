package io.holdfast.postgres;

import static io.holdfast.postgres.StreamAdminFixture.CALL;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.assertj.core.api.Assertions.tuple;

import io.holdfast.stream.CursorInfo;
import io.holdfast.stream.CursorKey;
import io.holdfast.stream.GroupInfo;
import io.holdfast.stream.Position;
import io.holdfast.stream.Start;
import io.holdfast.stream.StreamConfig;
import io.holdfast.stream.StreamError;
import io.holdfast.stream.StreamException;
import io.holdfast.stream.StreamOption;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Groups are put somewhere else, forgotten, and looked at. */
@Timeout(60)
class StreamGroupsTest {
  private final StreamAdminFixture fixture = new StreamAdminFixture();
  private final PostgresStreamGroups groups = new PostgresStreamGroups(fixture.kernel);

  @BeforeEach
  void fill() {
    fixture.configure(StreamConfig.of("q"));
    for (int i = 1; i <= 5; i++) {
      fixture.push("q", "a", "t" + i, "" + i);
      fixture.time.advance(Duration.ofSeconds(10));
    }
    fixture.push("q", "b", null, "1");
    fixture.group("q", "g");
  }

  @AfterEach
  void close() {
    assertThat(fixture.drift("q")).isNull();
    fixture.close();
  }

  private CursorInfo cursor(String partition) {
    return groups.cursors("q", "g", null, 100, CALL).stream()
        .filter(cursor -> cursor.key().partition().equals(partition))
        .findFirst()
        .orElseThrow();
  }

  private @Nullable String readyAt(String partition) {
    return fixture.query(
        "SELECT extract(epoch FROM c.ready_at)::bigint FROM holdfast.stream_cursor AS c JOIN holdfast.stream_partition AS p"
            + " ON p.queue_id = c.queue_id AND p.id = c.partition_id"
            + " WHERE c.queue_id = {queue} AND c.sub_id = {group} AND p.name = ?",
        "q",
        "g",
        partition);
  }

  @Test
  void a_cursor_goes_to_every_kind_of_position() {
    Instant second = fixture.now().minusSeconds(40);

    assertThat(groups.seek("q", "g", "a", Position.END, CALL)).isEqualTo(1);
    assertThat(cursor("a").committed()).isEqualTo(5);
    assertThat(readyAt("a")).isNull();
    groups.seek("q", "g", "a", Position.at(second), CALL);
    assertThat(cursor("a").committed()).isEqualTo(2);
    assertThat(readyAt("a")).isEqualTo("" + fixture.now().getEpochSecond());
    groups.seek("q", "g", "a", Position.at(second.minusSeconds(100)), CALL);
    assertThat(cursor("a").committed()).isZero();
    groups.seek("q", "g", "a", Position.offset(4), CALL);
    assertThat(cursor("a").committed()).isEqualTo(3);
    groups.seek("q", "g", "a", Position.offset(99), CALL);
    assertThat(cursor("a").committed()).isEqualTo(5);
    groups.seek("q", "g", "a", Position.offset(-1), CALL);
    assertThat(cursor("a").committed()).isZero();
    groups.seek("q", "g", "a", Position.BEGIN, CALL);
    assertThat(cursor("a").committed()).isZero();
    assertThat(cursor("b").committed()).isZero();
  }

  @Test
  void a_seek_takes_leases_away_and_clears_budgets() {
    fixture.lease("q", "a", "g", 3);
    fixture.cursor("q", "a", "g", "retry_count = 2, last_error = 'x', expiries = 1, marks = 1");
    fixture.execute(
        "INSERT INTO holdfast.stream_mark SELECT queue_id, id, {group}, 2, 'd', NULL, now()"
            + " FROM holdfast.stream_partition WHERE queue_id = {queue} AND name = 'a'",
        "q",
        "g");
    String fence = fence();

    assertThat(groups.seek("q", "g", null, Position.offset(2), CALL)).isEqualTo(3);

    assertThat(cursor("a").leaseId()).isNull();
    assertThat(cursor("a").committed()).isEqualTo(1);
    assertThat(Long.parseLong(fence())).isEqualTo(Long.parseLong(fence) + 1);
    assertThat(
            fixture.query(
                "SELECT (SELECT count(*) FROM holdfast.stream_mark) || ' ' || sum(retry_count + expiries + attempt + marks)"
                    + " FROM holdfast.stream_cursor WHERE queue_id = {queue}",
                "q"))
        .isEqualTo("0 0");
  }

  private String fence() {
    return String.valueOf(
        fixture.query(
            "SELECT c.fence FROM holdfast.stream_cursor AS c JOIN holdfast.stream_partition AS p"
                + " ON p.queue_id = c.queue_id AND p.id = c.partition_id WHERE p.name = 'a' AND c.queue_id = {queue}",
            "q"));
  }

  @Test
  void a_seek_goes_over_many_partitions_and_seeds_them_first() {
    fixture.execute(
        "SELECT holdfast.stream_make_partition_v1(now(), {queue}, 'p' || i) FROM generate_series(1, 1200) AS i",
        "q",
        null);
    fixture.query(
        "SELECT holdfast.stream_register_v1(?, {queue}, 'late', 'a', NULL)",
        "q",
        fixture.now().toString());

    int moved = groups.seek("q", "late", null, Position.END, CALL);

    assertThat(moved).isEqualTo(1203);
    assertThat(groups.list("q", CALL))
        .extracting(GroupInfo::name, GroupInfo::lag, GroupInfo::isSeeded)
        .contains(tuple("late", 0L, true));
  }

  @Test
  void a_push_that_is_not_committed_is_not_missed_by_a_seek_to_the_end() throws Exception {
    try (Connection producer = TestDatabase.begin();
        Statement statement = producer.createStatement()) {
      statement.execute(
          fixture.kernel.sql(
              "SELECT FROM holdfast.stream_partition WHERE name = 'a' FOR NO KEY UPDATE"));

      groups.seek("q", "g", "a", Position.END, CALL);
      producer.rollback();
    }
    assertThat(cursor("a").committed()).isEqualTo(5);
    assertThat(
            fixture.query(
                "SELECT c.ready_at - ?::timestamptz FROM holdfast.stream_cursor AS c"
                    + " JOIN holdfast.stream_partition AS p ON p.queue_id = c.queue_id AND p.id = c.partition_id"
                    + " WHERE c.queue_id = {queue} AND p.name = 'a'",
                "q",
                fixture.now().toString()))
        .isEqualTo("00:00:00.1");
  }

  @Test
  void a_seek_respects_the_delay() {
    fixture.configure(StreamConfig.of("q").with(StreamOption.DELAYED_PROCESSING, 1000));

    groups.seek("q", "g", "a", Position.offset(5), CALL);

    assertThat(readyAt("a")).isEqualTo("" + fixture.now().plusSeconds(990).getEpochSecond());
  }

  @Test
  void unknown_names_are_told() {
    assertThat(errorOf("no", "g", null)).isEqualTo(StreamError.QUEUE_NOT_FOUND);
    assertThat(errorOf("q", "no", null)).isEqualTo(StreamError.GROUP_NOT_FOUND);
    assertThat(errorOf("q", "g", "no")).isEqualTo(StreamError.PARTITION_NOT_FOUND);
  }

  private StreamError errorOf(String queue, String group, @Nullable String partition) {
    return catchThrowableOfType(
            StreamException.class, () -> groups.seek(queue, group, partition, Position.END, CALL))
        .error();
  }

  @Test
  void a_deleted_group_leaves_nothing_and_its_name_is_free() {
    fixture.lease("q", "a", "g", 3);

    assertThat(groups.delete("g", "q", false, CALL)).isEqualTo(3);

    assertThat(groups.list("q", CALL)).isEmpty();
    assertThat(groups.delete("g", null, false, CALL)).isZero();
    assertThat(
            fixture.query(
                "SELECT (SELECT count(*) FROM holdfast.stream_cursor) + (SELECT count(*) FROM holdfast.stream_subscription)"
                    + " + (SELECT count(*) FROM holdfast.stream_counter WHERE kind = 'C')",
                "q"))
        .isEqualTo("0");
    fixture.group("q", "g");
    assertThat(cursor("a").committed()).isZero();
  }

  @Test
  void a_group_can_be_forgotten_but_for_its_start() {
    Instant at = fixture.now().minusSeconds(40);
    assertThat(groups.startAt("g", at, CALL)).isEqualTo(1);

    assertThat(groups.delete("g", null, true, CALL)).isEqualTo(3);

    assertThat(groups.list(null, CALL))
        .singleElement()
        .satisfies(
            group -> {
              assertThat(group.start()).isEqualTo(Start.at(at));
              assertThat(group.isSeeded()).isFalse();
              assertThat(group.lag()).isEqualTo(6);
            });
    assertThat(groups.seed("q", "g", CALL)).isTrue();
    assertThat(cursor("a").committed()).isEqualTo(2);
  }

  @Test
  void deleting_a_group_of_an_unknown_queue_is_refused() {
    StreamException refusal =
        catchThrowableOfType(StreamException.class, () -> groups.delete("g", "no", false, CALL));

    assertThat(refusal.error()).isEqualTo(StreamError.QUEUE_NOT_FOUND);
    assertThat(groups.seed("no", "g", CALL)).isTrue();
    assertThat(groups.seed("q", "no", CALL)).isTrue();
  }

  @Test
  void groups_are_listed_with_lag_and_silence() {
    fixture.configure(StreamConfig.of("q").with(StreamOption.ABANDONED_GROUP, 60));
    fixture.pass("q", "a", "g", 4);
    fixture.time.advance(Duration.ofSeconds(60));
    fixture.group("q", "active");

    List<GroupInfo> all = groups.list("q", CALL);

    assertThat(all).extracting(GroupInfo::name).containsExactly("active", "g");
    assertThat(all).extracting(GroupInfo::lag).containsExactly(6L, 2L);
    assertThat(all).extracting(GroupInfo::isAbandoned).containsExactly(false, true);
    assertThat(all.get(1).start()).isEqualTo(Start.ALL);
    assertThat(groups.list("other", CALL)).isEmpty();
  }

  @Test
  void cursors_come_in_pages_by_partition_and_group() {
    fixture.group("q", "h");
    fixture.pass("q", "a", "g", 2);

    List<CursorInfo> all = groups.cursors("q", null, null, 100, CALL);
    List<CursorInfo> first = groups.cursors("q", null, null, 3, CALL);
    List<CursorInfo> second = groups.cursors("q", null, first.get(2).key(), 100, CALL);

    assertThat(all)
        .extracting(CursorInfo::key)
        .containsExactly(
            new CursorKey("q", "Default", "g"),
            new CursorKey("q", "Default", "h"),
            new CursorKey("q", "a", "g"),
            new CursorKey("q", "a", "h"),
            new CursorKey("q", "b", "g"),
            new CursorKey("q", "b", "h"));
    assertThat(first).hasSize(3);
    assertThat(second).isEqualTo(all.subList(3, 6));
    assertThat(all.get(2).oldestAt()).isEqualTo(fixture.now().minusSeconds(30));
    assertThat(all.get(2).last()).isEqualTo(5);
    assertThat(all.get(0).oldestAt()).isNull();
  }
}
