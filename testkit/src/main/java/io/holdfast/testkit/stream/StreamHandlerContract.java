package io.holdfast.testkit.stream;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.stream.ConsumerOptions;
import io.holdfast.stream.DeadLetter;
import io.holdfast.stream.DeadLetterQuery;
import io.holdfast.stream.Handling;
import io.holdfast.stream.HandlingBatch;
import io.holdfast.stream.Message;
import io.holdfast.stream.MessageHandler;
import io.holdfast.stream.NewMessage;
import io.holdfast.stream.PopRequest;
import io.holdfast.stream.Refusal;
import io.holdfast.stream.StreamConsumer;
import io.holdfast.stream.StreamException;
import io.holdfast.stream.StreamService;
import io.holdfast.stream.Streams;
import io.holdfast.stream.StuckPartition;
import io.holdfast.testkit.Guarantee;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;

/** What becomes of messages by what their handler does. */
public abstract class StreamHandlerContract extends StreamOperatorSuite {
  private static final UUID TRACE = new UUID(7, 7);
  private static final ConsumerOptions CONSUME = ConsumerOptions.DEFAULTS;
  private static final Duration SECOND = Duration.ofSeconds(1);

  /** Notes what comes, then does something with it. */
  private static final class Noting implements MessageHandler {
    final List<String> texts = new CopyOnWriteArrayList<>();
    final List<Integer> attempts = new CopyOnWriteArrayList<>();
    private final MessageHandler then;

    Noting(MessageHandler then) {
      this.then = then;
    }

    @Override
    public void handle(Handling handling) throws Exception {
      texts.add(handling.message().payload().text());
      attempts.add(handling.attempt());
      then.handle(handling);
    }

    long count(String text) {
      return texts.stream().filter(text::equals).count();
    }
  }

  private static boolean isText(Handling handling, String text) {
    return handling.message().payload().text().equals(text);
  }

  private StreamConsumer consume(MessageHandler handler) {
    return streams.consume(QUEUE, GROUP, handler, CONSUME);
  }

  private List<DeadLetter> letters() {
    return streams.deadLetters().list(DeadLetterQuery.of(QUEUE));
  }

  private boolean isStuck(StuckPartition.Reason reason) {
    return streams.browser().stuck(QUEUE).stream().anyMatch(stuck -> stuck.reason() == reason);
  }

  @Test
  @Guarantee("S109")
  void an_exception_fails_its_message_and_the_rest_waits_in_order() {
    streams.configure(config().leaseFor(Duration.ofDays(1)).retrying(3, SECOND));
    push("p", "a", "b", "c");
    Noting noting =
        new Noting(
            handling -> {
              if (isText(handling, "b") && handling.attempt() == 1) {
                throw new IllegalStateException("boom");
              }
            });
    try (StreamConsumer consumer = consume(noting)) {
      stepping(() -> isStuck(StuckPartition.Reason.RETRYING));

      StuckPartition stuck = streams.browser().stuck(QUEUE).get(0);
      assertThat(stuck.error()).contains("boom");
      assertThat(noting.texts).containsExactly("a", "b");
      assertThat(passed()).isEqualTo(1);
      ticking(() -> passed() == 3);
      assertThat(noting.texts).containsExactly("a", "b", "b", "c");
      assertThat(noting.attempts.get(2)).isEqualTo(2);
      assertThat(consumer.stats().failures()).isEqualTo(1);
    }
  }

  @Test
  void what_fails_too_often_becomes_a_dead_letter_with_the_text_of_the_exception() {
    streams.configure(config().retrying(1, Duration.ZERO));
    push("p", "a", "b");
    Noting noting =
        new Noting(
            handling -> {
              if (isText(handling, "a")) {
                throw new IllegalStateException("boom");
              }
            });
    try (StreamConsumer consumer = consume(noting)) {
      stepping(() -> passed() == 2);
      assertThat(consumer).isNotNull();
    }

    assertThat(noting.texts).containsExactly("a", "a", "b");
    DeadLetter.Failure failure = letters().get(0).failure();
    assertThat(failure.reason()).isEqualTo(DeadLetter.Reason.RETRY_LIMIT);
    assertThat(failure.error()).contains("IllegalStateException").contains("boom");
    assertThat(failure.retryCount()).isEqualTo(2);
  }

  @Test
  void retry_later_brings_it_again_at_once_and_free_of_charge() {
    streams.configure(config().retrying(0, Duration.ofHours(1)));
    push("p", "a", "b");
    Noting noting =
        new Noting(
            handling -> {
              if (isText(handling, "a") && handling.attempt() < 4) {
                throw Refusal.retryLater("not now");
              }
            });
    try (StreamConsumer consumer = consume(noting)) {
      stepping(() -> passed() == 2);
      assertThat(consumer).isNotNull();
    }

    assertThat(noting.texts).containsExactly("a", "a", "a", "a", "b");
    assertThat(letters()).isEmpty();
  }

  @Test
  void dead_letter_gives_it_up_and_the_rest_is_handled() {
    streams.configure(config());
    push("p", "a", "b", "c");
    Noting noting =
        new Noting(
            handling -> {
              if (isText(handling, "b")) {
                throw Refusal.deadLetter("never");
              }
            });
    try (StreamConsumer consumer = consume(noting)) {
      stepping(() -> passed() == 3);
      assertThat(consumer).isNotNull();
    }

    assertThat(noting.texts).containsExactly("a", "b", "c");
    assertThat(letters()).hasSize(1);
    assertThat(letters().get(0).message().payload().text()).isEqualTo("b");
    assertThat(letters().get(0).failure().reason()).isEqualTo(DeadLetter.Reason.VERDICT);
    assertThat(letters().get(0).failure().error()).isEqualTo("never");
  }

  @Test
  void park_stops_the_partition_and_no_other() {
    streams.configure(config());
    push("p", "a", "b");
    push("q", "c");
    Noting noting =
        new Noting(
            handling -> {
              if (isText(handling, "a")) {
                throw Refusal.park("look");
              }
            });
    try (StreamConsumer consumer = consume(noting)) {
      stepping(() -> passed() == 1 && isStuck(StuckPartition.Reason.PARKED));
      assertThat(consumer).isNotNull();
    }

    assertThat(noting.texts).containsExactlyInAnyOrder("a", "c");
    assertThat(streams.browser().stuck(QUEUE).get(0).error()).isEqualTo("look");
  }

  @Test
  void a_handler_pushes_with_the_trace_of_its_message() {
    streams.configure(config());
    UUID own = new UUID(9, 9);
    streams.push(List.of(NewMessage.to(QUEUE, "a").in("p").traced(TRACE)));
    MessageHandler handler =
        handling ->
            handling.push(
                List.of(
                    NewMessage.to("next", "inherited"), NewMessage.to("next", "own").traced(own)));
    try (StreamConsumer consumer = consume(handler)) {
      stepping(() -> passed() == 1);
      assertThat(consumer).isNotNull();
    }

    assertThat(streams.browser().byTrace(TRACE))
        .extracting(stored -> stored.message().payload().text())
        .containsExactlyInAnyOrder("a", "inherited");
    assertThat(streams.browser().byTrace(own)).hasSize(1);
  }

  @Test
  void a_handler_may_settle_its_message_in_a_transaction_of_its_own() {
    streams.configure(config());
    push("p", "a", "b");
    Noting noting =
        new Noting(
            handling -> {
              String text = "after " + handling.message().payload().text();
              List<NewMessage> next = List.of(NewMessage.to("next", text));
              boolean isDone = streams.transact(next, List.of(handling.completed())).isCommitted();
              assertThat(isDone).isTrue();
              handling.settled();
            });
    try (StreamConsumer consumer = consume(noting)) {
      stepping(() -> passed() == 2);
      push("p", "c");
      stepping(() -> passed() == 3);
      assertThat(consumer.stats().failures()).isZero();
    }

    assertThat(noting.texts).containsExactly("a", "b", "c");
    assertThat(drained(PopRequest.of("next"))).containsExactly("after a", "after b", "after c");
  }

  @Test
  void batches_are_handled_together() {
    streams.configure(config().leaseFor(Duration.ofDays(1)).retrying(1, SECOND));
    push("p", "a", "b", "c", "d");
    List<List<String>> batches = new CopyOnWriteArrayList<>();
    try (StreamConsumer consumer =
        streams.consumeBatches(
            QUEUE,
            GROUP,
            batch -> {
              batches.add(
                  batch.messages().stream()
                      .map((Message message) -> message.payload().text())
                      .toList());
              if (batches.size() == 1) {
                throw new IllegalStateException("boom");
              }
            },
            CONSUME.withBatch(3))) {
      stepping(() -> isStuck(StuckPartition.Reason.RETRYING));
      assertThat(passed()).isZero();
      ticking(() -> passed() == 4);
      assertThat(consumer.stats().messages()).isEqualTo(7);
    }

    assertThat(batches)
        .containsExactly(List.of("a", "b", "c"), List.of("a", "b", "c"), List.of("d"));
    assertThat(letters()).isEmpty();
  }

  @Test
  void a_whole_batch_can_be_given_up_or_settled_by_its_handler() {
    streams.configure(config());
    push("p", "a", "b");
    push("q", "c", "d");
    try (StreamConsumer consumer =
        streams.consumeBatches(QUEUE, GROUP, this::giveUpOrSettle, CONSUME)) {
      stepping(() -> passed() == 4);
      assertThat(consumer).isNotNull();
    }

    assertThat(letters())
        .extracting(letter -> letter.message().payload().text())
        .containsExactlyInAnyOrder("a", "b");
    assertThat(streams.browser().leases(QUEUE)).isEmpty();
  }

  private void giveUpOrSettle(HandlingBatch batch) throws Refusal {
    if (batch.messages().get(0).place().partition().equals("p")) {
      throw Refusal.deadLetter("never");
    }
    streams.ack(batch.completed());
    batch.settled();
  }

  @Test
  void a_consumer_counts_what_it_did() {
    streams.configure(config());
    push("p", "a", "b");
    push("q", "c");
    MessageHandler slow =
        handling -> {
          time.advance(isText(handling, "c") ? SECOND : SECOND.multipliedBy(2));
        };
    StreamConsumer consumer = consume(slow);
    stepping(() -> passed() == 3);
    time.advance(Duration.ofSeconds(5));
    consumer.close();

    StreamConsumer.Stats stats = consumer.stats();
    assertThat(stats.pops()).isEqualTo(2);
    assertThat(stats.messages()).isEqualTo(3);
    assertThat(stats.messagesPerPop()).isEqualTo(1.5);
    assertThat(stats.failures()).isZero();
    assertThat(stats.handling()).isEqualTo(Duration.ofSeconds(5));
    assertThat(stats.busy()).isEqualTo(0.5);
    assertThat(stats.slowest().keySet()).containsExactly("p", "q");
    assertThat(stats.slowest()).containsEntry("p", Duration.ofSeconds(4));
  }

  @Test
  void a_consumer_outlives_a_store_that_is_away_for_a_moment() {
    streams.configure(config().leaseFor(Duration.ofDays(1)));
    UnreliableStreamStore store = new UnreliableStreamStore(subject.process());
    StreamService serving = serving(store, OPTIONS);
    Streams there = subject.seen(serving);
    store.beforeNext("ackAndPop", StreamHandlerContract::away);
    Noting noting = new Noting(handling -> {});
    try (StreamConsumer consumer = there.consume(QUEUE, GROUP, noting, CONSUME)) {
      push("p", "a");
      ticking(() -> passed() == 1);

      pass(Duration.ofSeconds(6));
      stepping(() -> serving.waiting() == 1);
      store.beforeNext("find", StreamHandlerContract::away);
      push("p", "b");
      ticking(() -> noting.count("b") >= 1 && passed() == 2);
      assertThat(consumer).isNotNull();
    }
    assertThat(noting.count("a")).isEqualTo(1);
  }

  private static void away() {
    throw StreamException.unavailable("planned", null);
  }

  @Test
  void an_ack_whose_answer_is_lost_is_repeated_and_nothing_is_handled_twice() {
    streams.configure(config().leaseFor(Duration.ofDays(1)));
    UnreliableStreamStore store = new UnreliableStreamStore(subject.process());
    Streams there = over(store, OPTIONS);
    push("p", "a");
    store.beforeNext("ackAndPop", () -> {});
    store.afterNext(
        "ackAndPop",
        () -> {
          throw StreamException.unknown("planned", null);
        });
    Noting noting = new Noting(handling -> {});
    try (StreamConsumer consumer = there.consume(QUEUE, GROUP, noting, CONSUME)) {
      stepping(() -> passed() == 1);
      push("p", "b");
      ticking(() -> passed() == 2);
      assertThat(consumer.stats().messages()).isEqualTo(2);
    }
    assertThat(noting.texts).containsExactly("a", "b");
  }

  @Test
  void an_error_in_a_handler_does_not_end_the_consumer() {
    streams.configure(config().retrying(3, Duration.ZERO));
    push("p", "a", "b");
    Noting noting =
        new Noting(
            handling -> {
              if (isText(handling, "a") && handling.attempt() == 1) {
                throw new StackOverflowError("planned");
              }
            });
    try (StreamConsumer consumer = consume(noting)) {
      stepping(() -> passed() == 2);
      assertThat(consumer).isNotNull();
    }

    assertThat(noting.texts).containsExactly("a", "a", "b");
  }
}
