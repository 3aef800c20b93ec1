package io.holdfast.postgres;

import static io.holdfast.postgres.StreamAdminFixture.CALL;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.holdfast.stream.MessageQuery;
import io.holdfast.stream.MessageStatus;
import io.holdfast.stream.PageKey;
import io.holdfast.stream.Payload;
import io.holdfast.stream.StoredMessage;
import io.holdfast.stream.StreamConfig;
import io.holdfast.stream.StreamError;
import io.holdfast.stream.StreamException;
import io.holdfast.stream.StreamIds;
import io.holdfast.stream.StreamInfo;
import io.holdfast.stream.TimeRange;
import io.holdfast.stream.Trace;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Messages are found, paged, deleted and noted about. */
@Timeout(60)
class StreamReaderTest {
  private final StreamAdminFixture fixture = new StreamAdminFixture();
  private final PostgresStreamReader reader = new PostgresStreamReader(fixture.kernel);
  private StreamInfo.Key queue = new StreamInfo.Key(0, 0);

  @BeforeEach
  void configure() {
    queue = fixture.configure(StreamConfig.of("q")).key();
  }

  @AfterEach
  void close() {
    fixture.close();
  }

  private UUID partition(String name) {
    String id =
        fixture.query(
            "SELECT id FROM holdfast.stream_partition WHERE queue_id = {queue} AND name = ?",
            "q",
            name);
    return StreamIds.partition(queue, Long.parseLong(String.valueOf(id)));
  }

  private static List<String> ids(List<StoredMessage> messages) {
    return messages.stream().map(stored -> stored.message().transactionId()).toList();
  }

  /** Fifty messages over five partitions, with a quiet day in the middle. */
  private void history() {
    for (int i = 0; i < 50; i++) {
      fixture.push("q", "p" + i % 5, "t" + i, "" + i);
      fixture.time.advance(i == 25 ? Duration.ofDays(1) : Duration.ofMillis(i % 3 * 700));
    }
  }

  private List<String> paged(MessageQuery query) {
    List<String> all = new ArrayList<>();
    PageKey after = null;
    while (true) {
      List<StoredMessage> page = reader.messages(query.after(after), CALL);
      all.addAll(ids(page));
      if (page.size() < query.limit()) {
        return all;
      }
      StoredMessage last = page.get(page.size() - 1);
      after = new PageKey(last.message().createdAt(), last.message().id());
    }
  }

  @Test
  void pages_of_a_queue_neither_miss_nor_repeat() {
    history();

    List<String> all = paged(MessageQuery.of("q").limit(7));

    assertThat(all).hasSize(50).doesNotHaveDuplicates();
    assertThat(reader.messages(MessageQuery.of("q"), CALL))
        .isSortedAccordingTo((a, b) -> b.message().createdAt().compareTo(a.message().createdAt()));
    fixture.time.advance(Duration.ofDays(40));
    assertThat(paged(MessageQuery.of("q").limit(50))).isEqualTo(all);
    assertThat(reader.messages(MessageQuery.of("q"), CALL)).hasSize(50);
  }

  @Test
  void pages_of_a_partition_go_by_offset() {
    history();

    List<String> all = paged(MessageQuery.of("q").partition("p3").limit(3));

    assertThat(all)
        .containsExactly("t48", "t43", "t38", "t33", "t28", "t23", "t18", "t13", "t8", "t3");
  }

  @Test
  void a_time_range_has_its_beginning_and_not_its_end() {
    Instant start = fixture.now();
    for (int i = 0; i < 5; i++) {
      fixture.push("q", "a", "t" + i, "1");
      fixture.time.advance(Duration.ofSeconds(1));
    }
    TimeRange range = new TimeRange(start.plusSeconds(1), start.plusSeconds(3));

    for (String partition : new @Nullable String[] {"a", null}) {
      MessageQuery query = MessageQuery.of("q").partition(partition);
      assertThat(ids(reader.messages(query.created(range), CALL))).containsExactly("t2", "t1");
      TimeRange from = new TimeRange(start.plusSeconds(3), null);
      assertThat(ids(reader.messages(query.created(from), CALL))).containsExactly("t4", "t3");
      TimeRange to = new TimeRange(null, start.plusSeconds(1));
      assertThat(ids(reader.messages(query.created(to), CALL))).containsExactly("t0");
      TimeRange before = new TimeRange(null, start);
      assertThat(reader.messages(query.created(before), CALL)).isEmpty();
    }
  }

  @Test
  void a_status_is_told_for_every_group_and_can_be_asked_for() {
    for (int i = 1; i <= 5; i++) {
      fixture.push("q", "a", "t" + i, "1");
    }
    fixture.group("q", "g");
    fixture.group("q", "h");
    fixture.pass("q", "a", "g", 1);
    fixture.lease("q", "a", "g", 3);
    fixture.bury("q", "a", "g", 1);
    fixture.cursor("q", "a", "g", "marks = 1");
    fixture.execute(
        "INSERT INTO holdfast.stream_mark SELECT queue_id, id, {group}, 3, 'd', NULL, now()"
            + " FROM holdfast.stream_partition WHERE queue_id = {queue} AND name = 'a'",
        "q",
        "g");
    fixture.execute(
        "UPDATE holdfast.stream_message SET only_sub = {group} WHERE queue_id = {queue} AND off = 5",
        "q",
        "h");

    List<StoredMessage> all = reader.messages(MessageQuery.of("q"), CALL);

    assertThat(all)
        .extracting(StoredMessage::status)
        .containsExactly(
            Map.of("g", MessageStatus.COMPLETED, "h", MessageStatus.PENDING),
            Map.of("g", MessageStatus.PENDING, "h", MessageStatus.PENDING),
            Map.of("g", MessageStatus.COMPLETED, "h", MessageStatus.PENDING),
            Map.of("g", MessageStatus.PROCESSING, "h", MessageStatus.PENDING),
            Map.of("g", MessageStatus.DEAD_LETTER, "h", MessageStatus.PENDING));
    MessageQuery done = MessageQuery.of("q").status("g", MessageStatus.COMPLETED);
    assertThat(ids(reader.messages(done, CALL))).containsExactly("t5", "t3");
    assertThat(ids(reader.messages(done.partition("a").limit(1), CALL))).containsExactly("t5");
  }

  @Test
  void what_is_not_there_is_told() {
    assertThat(
            catchThrowableOfType(
                    StreamException.class, () -> reader.messages(MessageQuery.of("no"), CALL))
                .error())
        .isEqualTo(StreamError.QUEUE_NOT_FOUND);
    assertThat(
            catchThrowableOfType(
                    StreamException.class,
                    () -> reader.messages(MessageQuery.of("q").partition("no"), CALL))
                .error())
        .isEqualTo(StreamError.PARTITION_NOT_FOUND);
    assertThat(reader.messages(MessageQuery.of("q"), CALL)).isEmpty();
    assertThat(reader.find("no", "t", CALL)).isEmpty();
  }

  @Test
  void a_message_is_found_by_a_given_or_a_generated_id() {
    fixture.push("q", "a", "t", "first");
    String generated = fixture.push("q", "a", null, "generated");
    fixture.push("q", "a", "t", "again");
    fixture.time.advance(Duration.ofSeconds(1));
    fixture.push("q", "b", "t", "other");
    UUID a = partition("a");

    assertThat(reader.message(a, "t", CALL).orElseThrow().message().payload().text())
        .isEqualTo("again");
    assertThat(reader.message(a, generated, CALL).orElseThrow().message().payload().text())
        .isEqualTo("generated");
    assertThat(reader.message(a, UUID.randomUUID().toString(), CALL)).isEmpty();
    assertThat(reader.message(partition("b"), generated, CALL)).isEmpty();
    assertThat(reader.find("q", "t", CALL))
        .extracting(stored -> stored.message().payload().text())
        .containsExactly("first", "again", "other");
    assertThat(reader.find("q", generated, CALL))
        .extracting(stored -> stored.message().payload().text())
        .containsExactly("generated");
  }

  @Test
  void a_forged_partition_id_finds_nothing() {
    fixture.push("q", "a", "t", "1");
    StreamIds.PartitionKey real = StreamIds.partition(partition("a")).orElseThrow();
    UUID forged =
        StreamIds.partition(
            new StreamInfo.Key(queue.id(), (queue.tag() + 1) % StreamIds.TAGS), real.partition());

    assertThat(reader.message(forged, "t", CALL)).isEmpty();
    assertThat(reader.delete(forged, "t", CALL)).isFalse();
    assertThat(reader.traces(forged, "t", CALL)).isEmpty();
    assertThat(reader.message(UUID.randomUUID(), "t", CALL)).isEmpty();
  }

  @Test
  void a_trace_finds_its_messages_in_all_queues() {
    UUID trace = UUID.randomUUID();
    fixture.configure(StreamConfig.of("other"));
    fixture.push("q", "a", "t1", "1", trace);
    fixture.time.advance(Duration.ofSeconds(1));
    fixture.push("other", "a", "t2", "1", trace);
    fixture.time.advance(Duration.ofSeconds(1));
    fixture.push("q", "b", "t3", "1", trace);

    assertThat(ids(reader.byTrace(trace, 10, CALL))).containsExactly("t1", "t2", "t3");
    assertThat(ids(reader.byTrace(trace, 2, CALL))).containsExactly("t1", "t2");
    new PostgresStreamCatalog(fixture.kernel).delete("other", CALL);
    assertThat(ids(reader.byTrace(trace, 2, CALL))).containsExactly("t1", "t3");
  }

  @Test
  void a_deleted_message_leaves_a_gap() {
    fixture.push("q", "a", "t1", "1");
    fixture.push("q", "a", "t2", "1");
    UUID a = partition("a");

    assertThat(reader.delete(a, "t1", CALL)).isTrue();
    assertThat(reader.delete(a, "t1", CALL)).isFalse();
    assertThat(ids(reader.messages(MessageQuery.of("q"), CALL))).containsExactly("t2");
    assertThat(fixture.drift("q")).isNull();
  }

  @Test
  void notes_are_found_by_message_and_by_name() {
    fixture.push("q", "a", "t1", "1");
    UUID a = partition("a");
    Trace.Note note = new Trace.Note("g", "info", Payload.of("{}"), List.of("y", "x", "y"));

    Trace first = reader.record(a, "t1", note, CALL).orElseThrow();
    fixture.time.advance(Duration.ofSeconds(1));
    Trace second =
        reader
            .record(a, "t1", new Trace.Note(null, "step", Payload.EMPTY, List.of("y")), CALL)
            .orElseThrow();

    assertThat(first.at()).isEqualTo(fixture.now().minusSeconds(1));
    assertThat(reader.record(a, "no", note, CALL)).isEmpty();
    assertThat(reader.traces(a, "t1", CALL))
        .extracting(Trace::id)
        .containsExactly(first.id(), second.id());
    assertThat(reader.traces(a, "t1", CALL).get(0).note().names()).containsExactly("y", "x");
    assertThat(reader.tracesNamed("y", 10, CALL))
        .extracting(Trace::id)
        .containsExactly(second.id(), first.id());
    assertThat(reader.tracesNamed("x", 10, CALL)).extracting(Trace::id).containsExactly(first.id());
    assertThat(reader.tracesNamed("y", 1, CALL)).containsExactly(second);
  }
}
