package io.holdfast.postgres;

import static io.holdfast.postgres.StreamAdminFixture.CALL;
import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.stream.DeadLetter;
import io.holdfast.stream.DeadLetterQuery;
import io.holdfast.stream.PageKey;
import io.holdfast.stream.Payload;
import io.holdfast.stream.Redrive;
import io.holdfast.stream.Redriven;
import io.holdfast.stream.StreamConfig;
import io.holdfast.stream.StreamInfo;
import io.holdfast.stream.TimeRange;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Dead letters are listed, removed, and moved back once. */
@Timeout(60)
class StreamDeadLettersTest {
  private final StreamAdminFixture fixture = new StreamAdminFixture();
  private final PostgresStreamDeadLetters letters = new PostgresStreamDeadLetters(fixture.kernel);

  @BeforeEach
  void fill() {
    fixture.configure(StreamConfig.of("q"));
    for (int i = 1; i <= 3; i++) {
      fixture.push("q", "a", "t" + i, "payload " + i, new UUID(7, i));
    }
    fixture.group("q", "g");
    fixture.group("q", "h");
  }

  @AfterEach
  void close() {
    assertThat(fixture.drift("q")).isNull();
    fixture.close();
  }

  private UUID bury(String group, long offset) {
    fixture.time.advance(Duration.ofSeconds(1));
    return fixture.bury("q", "a", group, offset);
  }

  @Test
  void a_letter_has_everything_about_its_message() {
    UUID id = bury("g", 2);

    DeadLetter letter = letters.get(id, CALL).orElseThrow();

    assertThat(letter.group()).isEqualTo("g");
    assertThat(letter.message().transactionId()).isEqualTo("t2");
    assertThat(letter.message().payload().text()).isEqualTo("payload 2");
    assertThat(letter.message().traceId()).isEqualTo(new UUID(7, 2));
    assertThat(letter.message().place().offset()).isEqualTo(2);
    assertThat(letter.failure())
        .isEqualTo(
            new DeadLetter.Failure(DeadLetter.Reason.VERDICT, "broken", 2, 3, fixture.now()));
    assertThat(letters.get(UUID.randomUUID(), CALL)).isEmpty();
  }

  @Test
  void pages_go_from_the_newest_back() {
    UUID first = bury("g", 1);
    UUID second = bury("h", 2);
    UUID third = bury("g", 3);

    List<DeadLetter> newest = letters.list(DeadLetterQuery.of("q").limit(2), CALL);
    DeadLetter last = newest.get(1);
    List<DeadLetter> older =
        letters.list(
            DeadLetterQuery.of(null).after(new PageKey(last.failure().at(), last.id())), CALL);

    assertThat(newest).extracting(DeadLetter::id).containsExactly(third, second);
    assertThat(older).extracting(DeadLetter::id).containsExactly(first);
    assertThat(letters.list(DeadLetterQuery.of("q").group("h"), CALL))
        .extracting(DeadLetter::id)
        .containsExactly(second);
    TimeRange middle = new TimeRange(fixture.now().minusSeconds(1), fixture.now());
    assertThat(letters.list(DeadLetterQuery.of("q").failed(middle), CALL))
        .extracting(DeadLetter::id)
        .containsExactly(second);
    assertThat(letters.list(DeadLetterQuery.of("q").partition("b"), CALL)).isEmpty();
    assertThat(letters.list(DeadLetterQuery.of("other"), CALL)).isEmpty();
  }

  @Test
  void purging_removes_what_a_query_finds() {
    bury("g", 1);
    bury("h", 2);
    bury("g", 3);

    assertThat(letters.purge(DeadLetterQuery.of("q").group("g").limit(1), CALL)).isEqualTo(1);
    assertThat(letters.purge(DeadLetterQuery.of("q"), CALL)).isEqualTo(2);
    assertThat(letters.purge(DeadLetterQuery.of("q"), CALL)).isZero();
  }

  @Test
  void a_letter_goes_back_to_its_group_only() {
    UUID id = bury("g", 1);
    fixture.pass("q", "a", "g", 3);
    fixture.pass("q", "a", "h", 3);

    Redriven moved = letters.redrive(id, Redrive.BACK, false, CALL);

    assertThat(moved.outcome()).isEqualTo(Redriven.Outcome.MOVED);
    assertThat(
            fixture.query(
                "SELECT concat_ws(' ', m.off, m.transaction_id, m.trace_id, convert_from(m.payload, 'UTF8'), m.only_sub = {group})"
                    + " FROM holdfast.stream_message AS m WHERE m.queue_id = {queue} AND m.id = ?::uuid",
                "q",
                "g",
                String.valueOf(moved.messageId())))
        .isEqualTo("4 redrive:" + id + " " + new UUID(7, 1) + " payload 1 t");
    assertThat(pending("g")).isEqualTo("1");
    assertThat(pending("h")).isEqualTo("0");
    assertThat(letters.get(id, CALL)).isEmpty();
    assertThat(letters.redrive(id, Redrive.BACK, false, CALL).outcome())
        .isEqualTo(Redriven.Outcome.GONE);
  }

  private String pending(String group) {
    return String.valueOf(
        fixture.query(
            "SELECT count(c.ready_at) FROM holdfast.stream_cursor AS c WHERE c.queue_id = {queue} AND c.sub_id = {group}",
            "q",
            group));
  }

  @Test
  void two_at_once_move_a_letter_once() {
    UUID id = bury("g", 1);

    List<CompletableFuture<Redriven>> both =
        List.of(
            CompletableFuture.supplyAsync(() -> letters.redrive(id, Redrive.BACK, false, CALL)),
            CompletableFuture.supplyAsync(() -> letters.redrive(id, Redrive.BACK, false, CALL)));

    assertThat(both)
        .extracting(future -> future.join().outcome())
        .containsExactlyInAnyOrder(Redriven.Outcome.MOVED, Redriven.Outcome.GONE);
  }

  @Test
  void a_full_queue_keeps_the_letter() {
    UUID id = bury("g", 1);
    fixture.configure(StreamConfig.of("q").maxSize(3));

    assertThat(letters.redrive(id, Redrive.BACK, false, CALL).outcome())
        .isEqualTo(Redriven.Outcome.FULL);
    assertThat(letters.get(id, CALL)).isPresent();
    fixture.pass("q", "a", "g", 1);
    fixture.pass("q", "a", "h", 1);
    assertThat(letters.redrive(id, Redrive.BACK, false, CALL).outcome())
        .isEqualTo(Redriven.Outcome.MOVED);
  }

  @Test
  void a_letter_may_go_elsewhere_with_another_payload() {
    UUID id = bury("g", 1);
    Redrive how = new Redrive(false, "sales.mail", "x", Payload.of("edited"));

    Redriven moved = letters.redrive(id, how, true, CALL);

    assertThat(moved.outcome()).isEqualTo(Redriven.Outcome.MOVED);
    assertThat(new PostgresStreamCatalog(fixture.kernel).find("sales.mail", CALL).orElseThrow())
        .extracting(StreamInfo::labels)
        .isEqualTo(new StreamInfo.Labels("sales", "mail"));
    assertThat(
            fixture.query(
                "SELECT concat_ws(' ', off, convert_from(payload, 'UTF8'), encrypted, only_sub)"
                    + " FROM holdfast.stream_message WHERE queue_id = {queue}",
                "sales.mail"))
        .isEqualTo("1 edited t");
    assertThat(fixture.drift("sales.mail")).isNull();
  }

  @Test
  void a_letter_of_a_forgotten_group_goes_to_all() {
    UUID id = bury("g", 1);
    new PostgresStreamGroups(fixture.kernel).delete("g", "q", true, CALL);

    assertThat(letters.redrive(id, Redrive.BACK, false, CALL).outcome())
        .isEqualTo(Redriven.Outcome.MOVED);
    assertThat(
            fixture.query(
                "SELECT count(*) FROM holdfast.stream_message WHERE queue_id = {queue} AND only_sub IS NULL",
                "q"))
        .isEqualTo("4");
  }

  @Test
  void letters_of_a_deleted_queue_are_gone() {
    UUID id = bury("g", 1);
    new PostgresStreamCatalog(fixture.kernel).delete("q", CALL);

    assertThat(letters.get(id, CALL)).isEmpty();
    assertThat(letters.list(DeadLetterQuery.of(null), CALL)).isEmpty();
    assertThat(letters.redrive(id, Redrive.BACK, false, CALL).outcome())
        .isEqualTo(Redriven.Outcome.GONE);
  }
}
