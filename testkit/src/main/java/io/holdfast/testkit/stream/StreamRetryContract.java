package io.holdfast.testkit.stream;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.stream.Ack;
import io.holdfast.stream.Acked;
import io.holdfast.stream.DeadLetter;
import io.holdfast.stream.NewMessage;
import io.holdfast.stream.Popped;
import io.holdfast.stream.StreamError;
import io.holdfast.stream.StreamOption;
import io.holdfast.stream.Verdict;
import io.holdfast.testkit.Guarantee;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** How often a message is tried, when, and what becomes of it in the end. */
public abstract class StreamRetryContract extends StreamSuite {
  private static final Duration DELAY = Duration.ofSeconds(5);

  /** Pops what is due after the retry delay, and fails all of it. */
  private List<Acked> failAll(String why) {
    time.advance(DELAY);
    Popped popped = pop(10);
    assertThat(popped.isEmpty()).as("something was redelivered").isFalse();
    return streams.ack(
        popped.ackAll(Verdict.FAILED).stream().map(ack -> ack.because(why)).toList());
  }

  @Test
  @Guarantee("S54")
  void a_failure_redelivers_after_the_retry_delay() {
    streams.configure(config().retrying(3, DELAY));
    push("p", "a", "b");
    push("q", "c");
    ack(streams.pop(request(2).partition("p")), Verdict.FAILED, 0);

    assertThat(texts(pop(10))).containsExactly("c");
    time.advance(DELAY.minusMillis(1));
    assertThat(pop(10).isEmpty()).isTrue();
    time.advanceMs(1);
    Popped again = pop(10);

    assertThat(texts(again)).containsExactly("a", "b");
    assertThat(attempts(again)).containsExactly(2, 2);
  }

  @Test
  @Guarantee("S54")
  void without_a_retry_delay_a_failure_redelivers_at_once() {
    streams.configure(config().retrying(3, Duration.ZERO));
    push("p", "a");
    ack(pop(1), Verdict.FAILED);

    assertThat(texts(pop(1))).containsExactly("a");
  }

  @Test
  @Guarantee("S55")
  void retry_limit_failures_are_retried_and_the_next_is_dead_lettered() {
    streams.configure(config().retrying(2, DELAY));
    UUID trace = UUID.randomUUID();
    NewMessage message = NewMessage.to(QUEUE, "a").in("p").once("tx").traced(trace);
    streams.push(List.of(message), producer());

    assertThat(failAll("first").get(0).isDead()).isFalse();
    assertThat(failAll("second").get(0).isDead()).isFalse();
    assertThat(dead()).isEmpty();
    Acked last = failAll("third").get(0);
    push("p", "b");

    assertThat(last).isEqualTo(new Acked(null, false, true, true));
    DeadLetter letter = dead().get(0);
    assertThat(letter.group()).isEqualTo(GROUP);
    assertThat(letter.message().payload().text()).isEqualTo("a");
    assertThat(letter.message().transactionId()).isEqualTo("tx");
    assertThat(letter.message().traceId()).isEqualTo(trace);
    assertThat(letter.message().producer()).isEqualTo(producer());
    assertThat(letter.failure())
        .isEqualTo(new DeadLetter.Failure(DeadLetter.Reason.RETRY_LIMIT, "third", 3, 3, instant()));
    assertThat(texts(pop(10))).containsExactly("b");
    assertThat(dead()).hasSize(1);
  }

  @Test
  @Guarantee("S55")
  void with_a_retry_limit_of_zero_the_first_failure_is_dead_lettered() {
    streams.configure(config().retrying(0, DELAY));
    push("p", "a", "b", "c");

    List<Acked> acked = failAll("no");

    assertThat(acked).allMatch(one -> one.isSuccess() && one.isDead() && one.isReleased());
    assertThat(deadTexts()).containsExactlyInAnyOrder("a", "b", "c");
    assertThat(committed("p")).isEqualTo(3);
  }

  @Test
  @Guarantee("S55")
  void progress_gives_the_next_message_a_budget_of_its_own() {
    streams.configure(config().retrying(1, DELAY));
    push("p", "a", "b");
    failAll("charged to a");
    time.advance(DELAY);
    Popped popped = pop(10);

    ack(popped, Verdict.COMPLETED, 0);
    ack(popped, Verdict.FAILED, 1);
    assertThat(dead()).isEmpty();
    failAll("again");

    assertThat(deadTexts()).containsExactly("b");
  }

  @Test
  @Guarantee("S56")
  void retry_is_immediate_and_free() {
    streams.configure(config().retrying(1, DELAY));
    push("p", "a", "b");
    for (int i = 1; i <= 20; i++) {
      Popped popped = pop(2);

      assertThat(texts(popped)).containsExactly("a", "b");
      assertThat(attempts(popped)).containsOnly(i);
      List<Acked> acked = ack(popped, Verdict.RETRY, 0);
      assertThat(acked).containsExactly(new Acked(null, false, false, true));
    }
    assertThat(committed("p")).isZero();
    assertThat(ack(pop(2), Verdict.FAILED, 0).get(0).isDead()).isFalse();
    assertThat(dead()).isEmpty();
  }

  @Test
  @Guarantee("S57")
  void dlq_dead_letters_at_once_and_the_rest_counts() {
    streams.configure(config().retrying(3, DELAY));
    push("p", numbered(4));
    Popped popped = pop(3);

    List<Ack> verdicts =
        List.of(
            acks(popped, Verdict.COMPLETED, 2).get(0),
            acks(popped, Verdict.DEAD_LETTER, 1).get(0).because("poison"),
            acks(popped, Verdict.COMPLETED, 0).get(0));
    List<Acked> acked = streams.ack(verdicts);

    assertThat(acked).allMatch(one -> one.isSuccess() && one.isReleased());
    assertThat(acked).extracting(Acked::isDead).containsExactly(false, true, false);
    assertThat(committed("p")).isEqualTo(3);
    assertThat(dead()).singleElement().matches(d -> d.message().place().offset() == 2);
    assertThat(dead().get(0).failure())
        .isEqualTo(new DeadLetter.Failure(DeadLetter.Reason.VERDICT, "poison", 0, 1, instant()));
    assertThat(texts(pop(10))).containsExactly("m4");
  }

  @Test
  @Guarantee("S57")
  void a_text_that_no_database_stores_does_not_keep_a_message_from_failing() {
    push("p", "m");

    streams.ack(List.of(acks(pop(1), Verdict.DEAD_LETTER, 0).get(0).because("a\0b\ud800c😀")));

    assertThat(dead().get(0).failure().error()).isEqualTo("a\ufffdb\ufffdc😀");
  }

  @Test
  @Guarantee("S57")
  void dlq_counts_also_above_a_gap_and_above_a_failure() {
    streams.configure(config().retrying(3, DELAY));
    push("p", numbered(5));
    Popped popped = pop(5);

    assertThat(ack(popped, Verdict.DEAD_LETTER, 3).get(0).isDead()).isTrue();
    List<Acked> acked =
        streams.ack(
            List.of(
                acks(popped, Verdict.FAILED, 0).get(0),
                acks(popped, Verdict.DEAD_LETTER, 1).get(0),
                acks(popped, Verdict.COMPLETED, 2).get(0)));

    assertThat(errors(acked)).containsExactly(null, null, StreamError.REWOUND);
    assertThat(acked).extracting(Acked::isDead).containsExactly(false, true, false);
    assertThat(deadTexts()).containsExactlyInAnyOrder("m2", "m4");
    time.advance(DELAY);
    assertThat(texts(pop(10))).containsExactly("m1", "m3", "m5");
    assertThat(deadTexts()).containsExactlyInAnyOrder("m2", "m4");
  }

  @Test
  @Guarantee("S58")
  void one_failed_batch_is_one_charge() {
    streams.configure(config().retrying(2, DELAY));
    push("p", "a", "b", "c");

    assertThat(failAll("1")).allMatch(one -> one.isSuccess() && !one.isDead());
    assertThat(failAll("2")).allMatch(one -> one.isSuccess() && !one.isDead());
    List<Acked> third = failAll("3");

    assertThat(third.get(0).isDead()).isTrue();
    assertThat(dead().get(0).message().payload().text()).isEqualTo("a");
    assertThat(dead().get(0).failure().retryCount()).isEqualTo(3);
  }

  @Test
  @Guarantee({"S58", "SF9"})
  void a_repeated_nack_is_not_charged_twice() {
    streams.configure(config().retrying(1, DELAY));
    push("p", "a");
    Popped popped = pop(1);

    ack(popped, Verdict.FAILED);
    for (int i = 0; i < 3; i++) {
      assertThat(errors(ack(popped, Verdict.FAILED))).containsExactly(StreamError.LEASE_LOST);
    }
    time.advance(DELAY);

    assertThat(dead()).isEmpty();
    assertThat(texts(pop(1))).containsExactly("a");
  }

  @Test
  @Guarantee("S59")
  void a_message_that_joined_later_has_its_own_budget() {
    streams.configure(config().retrying(1, DELAY));
    push("p", "a");
    failAll("first of a");
    push("p", "b");

    List<Acked> second = failAll("second of a, first of b");
    assertThat(second).extracting(Acked::isDead).containsExactly(true, false);
    assertThat(deadTexts()).containsExactly("a");
    time.advance(DELAY);
    Popped popped = pop(10);
    assertThat(texts(popped)).containsExactly("b");
    assertThat(ack(popped, Verdict.FAILED).get(0).isDead()).isTrue();
  }

  @Test
  @Guarantee("S60")
  void lease_expiry_does_not_charge_the_budget() {
    streams.configure(config().retrying(1, DELAY));
    push("p", "a");
    for (int i = 1; i <= 10; i++) {
      assertThat(attempts(pop(1))).containsExactly(i);
      time.advance(LEASE);
    }

    Popped popped = pop(1);
    assertThat(ack(popped, Verdict.FAILED).get(0).isDead()).isFalse();
    assertThat(dead()).isEmpty();
    assertThat(failAll("second").get(0).isDead()).isTrue();
    assertThat(dead().get(0).failure().retryCount()).isEqualTo(2);
  }

  @Test
  @Guarantee({"S61", "SF23"})
  void the_delivery_limit_dead_letters_a_crash_loop() {
    streams.configure(config().with(StreamOption.DELIVERY_LIMIT, 3));
    push("p", "a", "b");
    for (int i = 1; i <= 3; i++) {
      Popped popped = pop(1);
      assertThat(texts(popped)).containsExactly("a");
      assertThat(attempts(popped)).containsExactly(i);
      time.advance(LEASE);
    }
    assertThat(dead()).isEmpty();

    Popped next = pop(1);

    assertThat(texts(next)).containsExactly("b");
    assertThat(attempts(next)).containsExactly(1);
    assertThat(deadTexts()).containsExactly("a");
    DeadLetter.Failure failure = dead().get(0).failure();
    assertThat(failure.reason()).isEqualTo(DeadLetter.Reason.DELIVERY_LIMIT);
    assertThat(failure.at()).isEqualTo(instant());
    assertThat(committed("p")).isEqualTo(1);
  }

  @Test
  @Guarantee("S61")
  void releases_and_progress_do_not_bring_the_delivery_limit_nearer() {
    streams.configure(config().with(StreamOption.DELIVERY_LIMIT, 2));
    push("p", "a", "b");
    for (int i = 0; i < 5; i++) {
      streams.release(leaseOf(pop(1)), null);
    }
    pop(2);
    time.advance(LEASE);
    ack(pop(2), Verdict.COMPLETED, 0);
    time.advance(LEASE);

    Popped popped = pop(2);

    assertThat(texts(popped)).containsExactly("b");
    assertThat(dead()).isEmpty();
  }

  @Test
  @Guarantee("S61")
  void after_three_expiries_without_progress_only_the_head_is_delivered() {
    streams.configure(config());
    push("p", numbered(5));
    for (int i = 0; i < 3; i++) {
      assertThat(pop(10).messages()).hasSize(5);
      time.advance(LEASE);
    }

    Popped narrow = pop(10);
    assertThat(texts(narrow)).containsExactly("m1");
    ack(narrow, Verdict.COMPLETED);

    assertThat(texts(pop(10))).containsExactly("m2", "m3", "m4", "m5");
  }
}
