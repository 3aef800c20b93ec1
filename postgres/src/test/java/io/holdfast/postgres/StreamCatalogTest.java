package io.holdfast.postgres;

import static io.holdfast.postgres.StreamAdminFixture.CALL;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.holdfast.stream.StreamConfig;
import io.holdfast.stream.StreamError;
import io.holdfast.stream.StreamException;
import io.holdfast.stream.StreamInfo;
import io.holdfast.stream.StreamOption;
import io.holdfast.stream.StreamSettings;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Queues are made, changed, paused and deleted. */
@Timeout(60)
class StreamCatalogTest {
  private final StreamAdminFixture fixture = new StreamAdminFixture();
  private final PostgresStreamCatalog catalog = new PostgresStreamCatalog(fixture.kernel);

  @AfterEach
  void close() {
    fixture.close();
  }

  @Test
  void a_new_queue_has_defaults_and_a_partition() {
    StreamInfo made = catalog.configure(StreamConfig.of("q"), CALL);

    assertThat(made.settings()).isEqualTo(StreamSettings.DEFAULTS);
    assertThat(made.labels()).isEqualTo(new StreamInfo.Labels("", ""));
    assertThat(made.createdAt()).isEqualTo(fixture.now());
    assertThat(catalog.find("q", CALL)).contains(made);
    assertThat(catalog.partitions("q", null, 10, CALL)).containsExactly("Default");
    assertThat(catalog.partitions("other", null, 10, CALL)).isEmpty();
  }

  @Test
  void every_option_comes_back_as_it_was_given() {
    StreamConfig config =
        StreamConfig.of("q")
            .labelled("sales", "mail")
            .with(StreamOption.LEASE_TIME, 7)
            .with(StreamOption.RETRY_LIMIT, 8)
            .with(StreamOption.RETRY_DELAY, 9)
            .with(StreamOption.DELIVERY_LIMIT, 10)
            .with(StreamOption.ON_EXHAUSTED, "park")
            .with(StreamOption.MAX_SIZE, 11)
            .with(StreamOption.DELAYED_PROCESSING, 12)
            .with(StreamOption.WINDOW_BUFFER, 13)
            .with(StreamOption.MAX_WAIT_TIME, 14)
            .with(StreamOption.MAX_WAIT_ACTION, "deadLetter")
            .with(StreamOption.RETENTION, 15)
            .with(StreamOption.COMPLETED_RETENTION, 16)
            .with(StreamOption.RETENTION_ENABLED, true)
            .with(StreamOption.ABANDONED_GROUP, 17)
            .with(StreamOption.DEDUP_WINDOW, 0)
            .with(StreamOption.ENCRYPTION_ENABLED, true)
            .with(StreamOption.UNPARTITIONED, "spread")
            .with(StreamOption.TTL, -18)
            .with(StreamOption.PRIORITY, 19)
            .with(StreamOption.DEAD_LETTER_QUEUE, true)
            .with(StreamOption.DLQ_AFTER_MAX_RETRIES, true);

    StreamInfo made = catalog.configure(config, CALL);

    assertThat(made.settings().values()).containsAllEntriesOf(config.options());
    assertThat(config.options()).hasSize(StreamOption.values().length);
    assertThat(catalog.find("q", CALL)).contains(made);
  }

  @Test
  void configuring_changes_only_what_is_given_and_replacing_the_rest_too() {
    StreamInfo first =
        catalog.configure(
            StreamConfig.of("q").labelled("a", "b").maxSize(5).with(StreamOption.DEDUP_WINDOW, 9),
            CALL);

    StreamInfo merged =
        catalog.configure(
            StreamConfig.of("q").labelled(null, "c").with(StreamOption.DEDUP_WINDOW, null), CALL);
    StreamInfo replaced =
        catalog.configure(StreamConfig.of("q").with(StreamOption.TTL, 1).replacing(), CALL);

    assertThat(merged.key()).isEqualTo(first.key());
    assertThat(merged.labels()).isEqualTo(new StreamInfo.Labels("a", "c"));
    assertThat(merged.settings().number(StreamOption.MAX_SIZE)).isEqualTo(5);
    assertThat(merged.settings().has(StreamOption.DEDUP_WINDOW)).isFalse();
    assertThat(replaced.settings().number(StreamOption.MAX_SIZE)).isZero();
    assertThat(replaced.settings().number(StreamOption.TTL)).isEqualTo(1);
    assertThat(catalog.find("q", CALL)).contains(replaced);
  }

  @Test
  void a_shorter_delay_brings_waiting_cursors_forward() {
    catalog.configure(StreamConfig.of("q").with(StreamOption.DELAYED_PROCESSING, 100), CALL);
    for (String partition : new String[] {"waits", "parked", "leased", "failed"}) {
      fixture.push("q", partition, null, "1");
    }
    fixture.group("q", "g");
    fixture.cursor("q", "parked", "g", "ready_at = 'infinity', park_reason = 'x'");
    fixture.lease("q", "leased", "g", 1);
    fixture.cursor("q", "failed", "g", "retry_count = 1, last_failed_at = '" + fixture.now() + "'");

    catalog.configure(StreamConfig.of("q").with(StreamOption.DELAYED_PROCESSING, 10), CALL);

    assertThat(
            fixture.query(
                "SELECT string_agg(p.name, ' ') FROM holdfast.stream_cursor AS c"
                    + " JOIN holdfast.stream_partition AS p ON p.queue_id = c.queue_id AND p.id = c.partition_id"
                    + " WHERE c.queue_id = {queue} AND c.ready_at <= ?::timestamptz",
                "q",
                fixture.now().toString()))
        .isEqualTo("waits");
  }

  @Test
  void a_deleted_queue_frees_its_name_at_once() {
    StreamInfo first = catalog.configure(StreamConfig.of("q"), CALL);

    assertThat(catalog.delete("q", CALL)).isTrue();
    assertThat(catalog.delete("q", CALL)).isFalse();
    assertThat(catalog.find("q", CALL)).isEmpty();
    assertThat(catalog.configure(StreamConfig.of("q"), CALL).key()).isNotEqualTo(first.key());
  }

  @Test
  void queues_and_partitions_are_listed_byte_by_byte() {
    for (String name : new String[] {"b", "a", "B", "ä", ""}) {
      catalog.configure(StreamConfig.of(name), CALL);
    }
    fixture.push("a", "z", null, "1");

    assertThat(catalog.list(null, 10, CALL))
        .extracting(StreamInfo::name)
        .containsExactly("", "B", "a", "b", "ä");
    assertThat(catalog.list("B", 2, CALL)).extracting(StreamInfo::name).containsExactly("a", "b");
    assertThat(catalog.partitions("a", "Default", 10, CALL)).containsExactly("z");
  }

  @Test
  void pauses_are_shown_and_ended() {
    catalog.configure(StreamConfig.of("q"), CALL);

    catalog.pausePush("q", true, CALL);
    catalog.pausePop("q", true, CALL);
    catalog.pausePop(null, true, CALL);

    assertThat(catalog.find("q", CALL).orElseThrow().paused())
        .isEqualTo(new StreamInfo.Paused(true, true));
    assertThat(catalog.pausedAll(CALL)).isEqualTo(new StreamInfo.Paused(false, true));
    catalog.pausePush("q", false, CALL);
    catalog.pausePop("q", false, CALL);
    catalog.pausePush(null, true, CALL);
    catalog.pausePop(null, false, CALL);
    assertThat(catalog.find("q", CALL).orElseThrow().paused())
        .isEqualTo(new StreamInfo.Paused(false, false));
    assertThat(catalog.pausedAll(CALL)).isEqualTo(new StreamInfo.Paused(true, false));
  }

  @Test
  void pausing_what_is_not_there_is_refused() {
    StreamException refusal =
        catchThrowableOfType(StreamException.class, () -> catalog.pausePop("nope", true, CALL));

    assertThat(refusal.error()).isEqualTo(StreamError.QUEUE_NOT_FOUND);
  }

  @Test
  void a_new_partition_has_a_cursor_for_every_group() {
    catalog.configure(StreamConfig.of("q"), CALL);
    fixture.group("q", "g");
    fixture.time.advance(Duration.ofSeconds(1));

    fixture.push("q", "new", null, "1");

    assertThat(new PostgresStreamGroups(fixture.kernel).cursors("q", "g", null, 10, CALL))
        .extracting(cursor -> cursor.key().partition())
        .containsExactly("Default", "new");
  }
}
