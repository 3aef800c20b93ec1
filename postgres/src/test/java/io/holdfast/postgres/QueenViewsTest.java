package io.holdfast.postgres;

import static io.holdfast.postgres.StreamAdminFixture.CALL;
import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.stream.StreamConfig;
import io.holdfast.stream.StreamIds;
import io.holdfast.stream.StreamInfo;
import io.holdfast.stream.StreamOption;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Streams can be read under the names of Queen's tables. */
@Timeout(60)
class QueenViewsTest {
  private static final String DATABASE = TestDatabase.freshDatabase();

  private final StreamAdminFixture fixture = new StreamAdminFixture(DATABASE, "holdfast");
  private StreamInfo queue =
      new PostgresStreamCatalog(fixture.kernel).configure(StreamConfig.of("q"), CALL);

  @BeforeEach
  void apply() {
    fixture.migrations().applyQueenViews();
    fixture.migrations().applyQueenViews();
    queue =
        fixture.configure(
            StreamConfig.of("q")
                .maxSize(10)
                .with(StreamOption.RETENTION_ENABLED, true)
                .with(StreamOption.RETENTION, 60)
                .with(StreamOption.PRIORITY, 3));
  }

  @AfterEach
  void close() {
    new PostgresStreamCatalog(fixture.kernel).delete("q", CALL);
    fixture.close();
  }

  private String read(String sql) {
    return String.valueOf(fixture.query(sql, "q"));
  }

  @Test
  void queues_partitions_and_depths_are_shown() {
    fixture.push("q", "a", "t", "1");

    assertThat(
            read(
                "SELECT concat_ws(' ', id, name, lease_time, retry_delay, priority, ttl, max_size) FROM queen.queues"))
        .isEqualTo(queue.uid() + " q 300 1000 3 3600 10");
    assertThat(
            read("SELECT string_agg(name || ' ' || id, ' ' ORDER BY name) FROM queen.partitions"))
        .isEqualTo(
            "Default %s a %s"
                .formatted(
                    StreamIds.partition(queue.key(), 1), StreamIds.partition(queue.key(), 2)));
    assertThat(
            read(
                "SELECT concat_ws(' ', queue_name, current_depth, remaining_capacity) FROM queen.queue_depths"))
        .isEqualTo("q 1 9");
  }

  @Test
  void payloads_are_json_or_nothing() {
    String generated = fixture.push("q", "a", null, "{\"a\": 1}");
    fixture.push("q", "a", "text", "no json");
    fixture.push("q", "a", "secret", "{}");
    fixture.execute(
        """
        UPDATE holdfast.stream_message SET encrypted = true WHERE transaction_id = 'secret';
        UPDATE holdfast.stream_message SET payload = '\\xff00' WHERE transaction_id = 'text' AND off = 99
        """,
        "q",
        null);
    fixture.push("q", "a", "bytes", "x");
    fixture.execute(
        "UPDATE holdfast.stream_message SET payload = '\\xff00' WHERE transaction_id = 'bytes'",
        "q",
        null);

    assertThat(
            read("SELECT payload FROM queen.messages WHERE transaction_id = '" + generated + "'"))
        .isEqualTo("{\"a\": 1}");
    assertThat(
            read(
                "SELECT count(*) || ' ' || count(payload) || ' ' || count(*) FILTER (WHERE is_encrypted) FROM queen.messages"))
        .isEqualTo("4 1 1");
  }

  @Test
  void leases_and_drops_are_shown() {
    fixture.push("q", "a", "t1", "1");
    String second = fixture.push("q", "a", "t2", "2");
    fixture.group("q", "g");
    fixture.pass("q", "a", "g", 1);
    fixture.lease("q", "a", "g", 2);
    fixture.cursor(
        "q",
        "a",
        "g",
        "leased_at = now(), ready_at = now() + interval '1 minute', batch_count = 1");

    assertThat(
            read(
                "SELECT concat_ws(' ', consumer_group, message_batch, message_count, lease_expires_at - created_at, released_at)"
                    + " FROM queen.partition_leases"))
        .isEqualTo("g [\"" + second + "\"] 1 00:01:00");
    fixture.time.advance(Duration.ofSeconds(60));
    new PostgresStreamUpkeep(fixture.kernel).retain(CALL);
    assertThat(
            read("SELECT concat_ws(' ', queue_id, messages_deleted) FROM queen.retention_history"))
        .isEqualTo(queue.uid() + " 1");
  }
}
