package io.holdfast.postgres;

import static io.holdfast.postgres.StreamFixture.CALL;
import static io.holdfast.postgres.StreamFixture.about;
import static io.holdfast.postgres.StreamFixture.attempts;
import static io.holdfast.postgres.StreamFixture.entry;
import static io.holdfast.postgres.StreamFixture.texts;
import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.stream.Ack;
import io.holdfast.stream.Acked;
import io.holdfast.stream.Popped;
import io.holdfast.stream.StreamError;
import io.holdfast.stream.StreamLeases;
import io.holdfast.stream.StreamLeases.Ready;
import io.holdfast.stream.Verdict;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What verdicts do, rule by rule. */
@Timeout(60)
class StreamAckTest {
  private static final Acked GOOD = new Acked(null, false, false, false);
  private static final Acked LAST = new Acked(null, false, false, true);
  private static final Acked KNOWN = new Acked(null, true, false, false);
  private final StreamFixture streams = StreamFixture.manual();

  @AfterEach
  void close() {
    assertThat(streams.drift()).isNull();
    assertThat(
            streams.query(
                "SELECT count(*) FROM holdfast.stream_cursor AS c WHERE c.marks <> (SELECT count(*) FROM"
                    + " holdfast.stream_mark AS m WHERE m.queue_id = c.queue_id AND m.partition_id ="
                    + " c.partition_id AND m.sub_id = c.sub_id)"))
        .isEqualTo("0");
    streams.close();
  }

  private static List<StreamError> errors(List<Acked> acked) {
    return acked.stream().map(Acked::error).toList();
  }

  private Popped popped(String... texts) {
    streams.push("p", texts);
    return streams.pop();
  }

  @Test
  void a_full_batch_releases() {
    Popped popped = popped("1", "2");

    assertThat(streams.ack(popped, Verdict.COMPLETED)).containsExactly(LAST, LAST);

    assertThat(streams.cursor("ready_at")).isNull();
    assertThat(streams.cursor("committed")).isEqualTo("2");
    assertThat(streams.cursor("lease_id")).isNotNull();
    assertThat(streams.pop().isEmpty()).isTrue();
  }

  @Test
  void what_is_left_is_ready_and_told() {
    streams.push("p", "1", "2");
    Popped popped = streams.pop(streams.request().batch(1));

    StreamLeases.AckAnswer answer = streams.leases.ack(popped.ackAll(Verdict.COMPLETED), CALL);

    assertThat(answer.ready()).containsExactly(new Ready("q", "g", Duration.ZERO));
    assertThat(texts(streams.pop())).containsExactly("2");
  }

  @Test
  void a_partial_ack_keeps_the_lease_and_moves_over_the_prefix_only() {
    Popped popped = popped("1", "2", "3", "4");

    assertThat(streams.ack(about(popped, 0, Verdict.COMPLETED))).containsExactly(GOOD);
    assertThat(streams.cursor("committed")).isEqualTo("1");
    assertThat(streams.cursor("batch_count")).isEqualTo("3");
    assertThat(streams.ack(about(popped, 2, Verdict.COMPLETED))).containsExactly(GOOD);
    assertThat(streams.cursor("committed")).isEqualTo("1");
    assertThat(streams.cursor("batch_count")).isEqualTo("2");

    streams.advance(300);
    Popped again = streams.pop();
    assertThat(texts(again)).containsExactly("2", "4");
    assertThat(attempts(again)).containsExactly(2, 2);
    assertThat(streams.ack(again, Verdict.COMPLETED)).containsExactly(LAST, LAST);
    assertThat(streams.cursor("committed")).isEqualTo("4");
  }

  @Test
  void a_failure_stops_rewinds_and_comes_again_after_the_delay() {
    Popped popped = popped("1", "2", "3", "4");

    List<Acked> acked =
        streams.ack(
            about(popped, 0, Verdict.COMPLETED),
            about(popped, 1, Verdict.FAILED).because("no"),
            about(popped, 2, Verdict.COMPLETED),
            about(popped, 3, Verdict.FAILED));

    assertThat(errors(acked)).containsExactly(null, null, StreamError.REWOUND, null);
    assertThat(acked).allMatch(Acked::isReleased);
    assertThat(streams.cursor("retry_count")).isEqualTo("1");
    assertThat(streams.cursor("last_error")).isEqualTo("no");
    assertThat(streams.answer(streams.request()).nextIn()).isEqualTo(Duration.ofSeconds(1));
    streams.advance(1);
    assertThat(texts(streams.pop())).containsExactly("2", "3", "4");
  }

  @Test
  void the_failure_after_the_last_retry_is_a_dead_letter() {
    streams.configure("retry_limit = 1, retry_delay_ms = 0");
    streams.push("p", "1", "2");
    assertThat(streams.ack(streams.pop(), Verdict.FAILED)).allMatch(a -> !a.isDead());

    Popped popped = streams.pop();
    List<Acked> acked =
        streams.ack(
            about(popped, 0, Verdict.FAILED).because("again"), about(popped, 1, Verdict.COMPLETED));

    assertThat(acked).containsExactly(new Acked(null, false, true, true), LAST);
    assertThat(
            streams.query(
                "SELECT reason || retry_count || error || attempt FROM holdfast.stream_dead"))
        .isEqualTo("retry_limit2again2");
  }

  @Test
  void exhaustion_can_park() {
    streams.configure("retry_limit = 0, on_exhausted = 'park'");
    Popped popped = popped("1", "2");

    assertThat(streams.ack(popped, Verdict.FAILED)).containsExactly(LAST, LAST);

    assertThat(streams.cursor("park_reason")).isEqualTo("retries exhausted");
    assertThat(streams.cursor("ready_at")).isEqualTo("infinity");
    assertThat(streams.ack(popped, Verdict.COMPLETED))
        .allMatch(a -> a.error() == StreamError.LEASE_LOST);
  }

  @Test
  void retry_is_immediate_and_free_and_park_parks() {
    Popped popped = popped("1", "2");

    assertThat(streams.ack(popped, Verdict.RETRY)).containsExactly(LAST, LAST);

    Popped again = streams.pop();
    assertThat(attempts(again)).containsExactly(2, 2);
    assertThat(streams.cursor("retry_count")).isEqualTo("0");
    assertThat(streams.ack(about(again, 0, Verdict.PARK).because("look"))).containsExactly(LAST);
    assertThat(streams.cursor("park_reason")).isEqualTo("look");
  }

  @Test
  void dead_letters_are_honoured_everywhere() {
    Popped popped = popped("1", "2", "3", "4", "5");

    List<Acked> first =
        streams.ack(
            about(popped, 0, Verdict.DEAD_LETTER).because("a"),
            about(popped, 2, Verdict.DEAD_LETTER));
    List<Acked> second =
        streams.ack(about(popped, 1, Verdict.RETRY), about(popped, 3, Verdict.DEAD_LETTER));

    assertThat(first).allMatch(Acked::isDead).allMatch(a -> !a.isReleased());
    assertThat(second).containsExactly(LAST, new Acked(null, false, true, true));
    assertThat(streams.query("SELECT count(*) FROM holdfast.stream_dead WHERE reason = 'verdict'"))
        .isEqualTo("3");
    assertThat(texts(streams.pop())).containsExactly("2", "5");
  }

  @Test
  void verdicts_above_a_gap_count_later() {
    Popped popped = popped("1", "2", "3");

    assertThat(streams.ack(about(popped, 1, Verdict.FAILED).because("why"))).containsExactly(GOOD);
    assertThat(streams.ack(about(popped, 1, Verdict.FAILED))).containsExactly(KNOWN);
    assertThat(errors(streams.ack(about(popped, 1, Verdict.COMPLETED))))
        .containsExactly(StreamError.INVALID_ARGUMENT);

    assertThat(streams.ack(about(popped, 0, Verdict.COMPLETED))).containsExactly(LAST);
    assertThat(streams.cursor("retry_count")).isEqualTo("1");
    assertThat(streams.cursor("last_error")).isEqualTo("why");
    assertThat(streams.cursor("marks")).isEqualTo("0");
  }

  @Test
  void late_and_repeated_verdicts() {
    Popped popped = popped("1", "2", "3");
    streams.ack(about(popped, 0, Verdict.COMPLETED), about(popped, 2, Verdict.COMPLETED));

    assertThat(
            streams.ack(about(popped, 0, Verdict.COMPLETED), about(popped, 2, Verdict.COMPLETED)))
        .containsExactly(KNOWN, KNOWN);
    assertThat(
            errors(streams.ack(about(popped, 0, Verdict.FAILED), about(popped, 2, Verdict.RETRY))))
        .containsOnly(StreamError.ALREADY_COMMITTED);
    streams.advance(300);
    List<Acked> late =
        streams.ack(
            about(popped, 0, Verdict.COMPLETED),
            about(popped, 1, Verdict.COMPLETED),
            about(popped, 2, Verdict.COMPLETED),
            about(popped, 0, Verdict.RETRY));

    assertThat(errors(late))
        .containsExactly(null, StreamError.LEASE_LOST, null, StreamError.ALREADY_COMMITTED);
    assertThat(late.get(2).isNoop()).isTrue();
  }

  @Test
  void named_twice_the_first_counts() {
    Popped popped = popped("1");

    List<Acked> acked =
        streams.ack(
            about(popped, 0, Verdict.COMPLETED),
            about(popped, 0, Verdict.COMPLETED),
            about(popped, 0, Verdict.FAILED));

    assertThat(acked)
        .containsExactly(
            LAST,
            new Acked(null, true, false, true),
            new Acked(StreamError.INVALID_ARGUMENT, false, false, true));
  }

  @Test
  void what_is_not_in_the_batch_is_unresolvable() {
    streams.push("p", "1", "2");
    Popped popped = streams.pop(streams.request().batch(1));
    Ack ack = about(popped, 0, Verdict.COMPLETED);

    List<Acked> acked =
        Arrays.stream(new long[] {0, -1, 2, 99})
            .mapToObj(
                offset -> streams.ack(of(ack, Ack.Target.offset(offset), ack.leaseId())).get(0))
            .toList();

    assertThat(errors(acked)).containsOnly(StreamError.UNRESOLVABLE);
    assertThat(errors(streams.ack(of(ack, Ack.Target.transaction("none"), ack.leaseId()))))
        .containsExactly(StreamError.UNRESOLVABLE);
    assertThat(streams.ack(ack)).containsExactly(LAST);
  }

  private static Ack of(Ack ack, Ack.Target target, UUID lease) {
    return new Ack(ack.partitionId(), ack.group(), lease, target, ack.verdict(), ack.error());
  }

  @Test
  void messages_are_found_by_transaction_id() {
    streams.push(entry("q", "p", "1", "one"), entry("q", "p", "2"), entry("q", "p", "3", "three"));
    Popped popped = streams.pop();
    String generated = popped.messages().get(1).transactionId();
    Ack ack = about(popped, 0, Verdict.COMPLETED);

    List<Acked> acked =
        streams.ack(
            of(ack, Ack.Target.transaction("one"), ack.leaseId()),
            of(ack, Ack.Target.transaction(generated), ack.leaseId()));
    assertThat(acked).containsExactly(GOOD, GOOD);
    assertThat(
            streams.ack(
                of(ack, Ack.Target.transaction("one"), ack.leaseId()),
                of(ack, Ack.Target.transaction(generated), ack.leaseId()),
                of(ack, Ack.Target.transaction("three"), ack.leaseId())))
        .containsExactly(
            new Acked(null, true, false, true), new Acked(null, true, false, true), LAST);
  }

  @Test
  void strangers_are_lost() {
    Popped popped = popped("1");
    Ack ack = about(popped, 0, Verdict.COMPLETED);
    UUID id = ack.partitionId();
    UUID forged = new UUID(id.getMostSignificantBits(), id.getLeastSignificantBits() ^ 1);

    List<Acked> acked =
        streams.ack(
            of(ack, ack.message(), UUID.randomUUID()),
            of(ack, ack.message(), null),
            new Ack(forged, "g", ack.leaseId(), ack.message(), ack.verdict(), null),
            new Ack(UUID.randomUUID(), "g", ack.leaseId(), ack.message(), ack.verdict(), null),
            new Ack(id, "nobody", ack.leaseId(), ack.message(), ack.verdict(), null));

    assertThat(errors(acked)).containsOnly(StreamError.LEASE_LOST);
    assertThat(streams.ack(ack)).containsExactly(LAST);
  }

  @Test
  void without_a_lease_only_what_nobody_holds_is_settled() {
    streams.push("p", "1", "2");
    Popped popped = streams.pop(streams.request().batch(1));
    Ack ack = of(about(popped, 0, Verdict.COMPLETED), Ack.Target.offset(1), null);
    assertThat(errors(streams.ack(ack))).containsExactly(StreamError.LEASE_LOST);
    streams.advance(300);

    assertThat(errors(streams.ack(of(ack, Ack.Target.offset(2), null))))
        .containsExactly(StreamError.UNRESOLVABLE);
    assertThat(streams.ack(ack)).containsExactly(LAST);
    assertThat(texts(streams.pop())).containsExactly("2");
  }

  @Test
  void several_partitions_and_groups_in_one_call() {
    streams.push(entry("q", "a", "1"), entry("q", "b", "2"), entry("r", "c", "3"));
    Popped both = streams.pop(streams.request().partitions(2));
    Popped other = streams.pop(streams.request().group("h").partitions(1));
    Popped third = streams.pop(io.holdfast.stream.PopRequest.of("r").group("g"));
    List<Ack> acks = new java.util.ArrayList<>(third.ackAll(Verdict.COMPLETED));
    acks.addAll(other.ackAll(Verdict.FAILED));
    acks.addAll(both.ackAll(Verdict.COMPLETED));

    StreamLeases.AckAnswer answer = streams.leases.ack(acks, CALL);

    assertThat(answer.acked()).containsExactly(LAST, LAST, LAST, LAST);
    assertThat(answer.ready()).containsExactly(new Ready("q", "h", Duration.ofSeconds(1)));
  }

  @Test
  void ack_and_pop_is_both() {
    streams.push("p", "1", "2");
    Popped popped = streams.pop(streams.request().batch(1));

    StreamLeases.AckPopAnswer answer =
        streams.leases.ackAndPop(
            popped.ackAll(Verdict.COMPLETED), List.of(streams.request()), CALL);

    assertThat(answer.acks().acked()).containsExactly(LAST);
    assertThat(texts(answer.pops().get(0).popped())).containsExactly("2");
  }

  @Test
  void ack_and_pop_commit_together() {
    streams.push("p", "1", "2");
    Popped popped = streams.pop(streams.request().batch(1));
    streams.update(
        "CREATE OR REPLACE FUNCTION holdfast.pause_point(name text) RETURNS void LANGUAGE plpgsql AS"
            + " 'BEGIN IF name = ''pop:claimed'' THEN RAISE division_by_zero; END IF; END'");

    org.assertj.core.api.Assertions.assertThatThrownBy(
            () ->
                streams.leases.ackAndPop(
                    popped.ackAll(Verdict.COMPLETED), List.of(streams.request()), CALL))
        .isInstanceOf(io.holdfast.stream.StreamException.class);

    assertThat(streams.cursor("committed")).isEqualTo("0");
  }
}
