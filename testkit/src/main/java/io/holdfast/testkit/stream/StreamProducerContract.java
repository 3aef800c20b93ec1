package io.holdfast.testkit.stream;

import static io.holdfast.stream.StreamError.CLOSED;
import static io.holdfast.stream.StreamError.ENCRYPTION_UNAVAILABLE;
import static io.holdfast.stream.StreamError.INVALID_ARGUMENT;
import static io.holdfast.stream.StreamError.PAUSED;
import static io.holdfast.stream.StreamError.UNAVAILABLE;
import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.stream.MessageQuery;
import io.holdfast.stream.NewMessage;
import io.holdfast.stream.Popped;
import io.holdfast.stream.ProducerOptions;
import io.holdfast.stream.Pushed;
import io.holdfast.stream.StreamConfig;
import io.holdfast.stream.StreamException;
import io.holdfast.stream.StreamOption;
import io.holdfast.stream.StreamProducer;
import io.holdfast.stream.Streams;
import io.holdfast.stream.Verdict;
import io.holdfast.testkit.Guarantee;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** How a producer keeps order, gathers messages, and bears with a queue that refuses them. */
@SuppressWarnings("NullAway.Init") // the fields are set before each test
public abstract class StreamProducerContract extends StreamOperatorSuite {
  private static final Duration SECOND = Duration.ofSeconds(1);
  private static final ProducerOptions OPTIONS_OF_ALL =
      ProducerOptions.DEFAULTS.withDeliveryTimeout(Duration.ofDays(1));

  private UnreliableStreamStore store;
  private Streams there;

  @BeforeEach
  void openUnreliable() {
    store = new UnreliableStreamStore(subject.process());
    there = over(store, OPTIONS);
  }

  private static NewMessage message(String text) {
    return NewMessage.to(QUEUE, text).in("p");
  }

  private static List<String> textsOf(List<NewMessage> messages) {
    return messages.stream().map((NewMessage m) -> m.payload().text()).toList();
  }

  /** Stops the next push until the latch is down. */
  private CountDownLatch gate() {
    CountDownLatch gate = new CountDownLatch(1);
    store.beforeNext("push", () -> await(gate));
    return gate;
  }

  private static void await(CountDownLatch latch) {
    try {
      assertThat(latch.await(30, TimeUnit.SECONDS)).isTrue();
    } catch (InterruptedException e) {
      throw StreamException.unavailable("interrupted", e);
    }
  }

  /** Waits until a sender waits on the clock, beside the thread of a client. */
  private void awaitBlocked() {
    time.awaitParked(subject.isInProcess() ? 1 : 2);
  }

  private CompletableFuture<CompletableFuture<Pushed>> sending(
      StreamProducer producer, String text) {
    return CompletableFuture.supplyAsync(() -> producer.send(message(text)), crew);
  }

  @Test
  void messages_of_a_partition_arrive_in_the_order_of_their_sends() {
    List<CompletableFuture<Boolean>> senders = new ArrayList<>();
    try (StreamProducer producer = there.producer(OPTIONS_OF_ALL)) {
      for (int p = 0; p < 4; p++) {
        List<NewMessage> mine = numbered("p" + p, 100);
        senders.add(
            CompletableFuture.supplyAsync(
                () -> {
                  mine.forEach(producer::send);
                  return true;
                },
                crew));
      }
      senders.forEach(StreamSuite::now);
      producer.flush();
    }

    for (int p = 0; p < 4; p++) {
      List<String> stored = new ArrayList<>();
      streams
          .browser()
          .messages(MessageQuery.of(QUEUE).partition("p" + p).limit(1_000))
          .forEach(found -> stored.add(found.message().payload().text()));
      Collections.reverse(stored);
      assertThat(stored).containsExactlyElementsOf(textsOf(numbered("p" + p, 100)));
    }
  }

  @Test
  void what_gathers_while_a_call_is_under_way_is_one_call() {
    CountDownLatch gate = gate();
    List<CompletableFuture<Pushed>> sent = new ArrayList<>();
    try (StreamProducer producer = there.producer(OPTIONS_OF_ALL)) {
      numbered("p", 501).forEach(message -> sent.add(producer.send(message)));
      assertThat(sent).noneMatch(CompletableFuture::isDone);

      gate.countDown();
      producer.flush();
    }

    assertThat(store.calls("push")).isEqualTo(2);
    assertThat(sent).allMatch(CompletableFuture::isDone);
    assertThat(now(sent.get(500)).offset()).isEqualTo(501);
    assertThat(stored()).containsExactlyElementsOf(textsOf(numbered("p", 501)));
  }

  @Test
  @Guarantee("S113")
  void a_full_buffer_blocks_the_producer() {
    CountDownLatch gate = gate();
    try (StreamProducer producer = there.producer(OPTIONS_OF_ALL.withBuffer(2, 1 << 20))) {
      producer.send(message("a"));
      producer.send(message("b"));

      CompletableFuture<CompletableFuture<Pushed>> third = sending(producer, "c");
      awaitBlocked();
      assertThat(third).isNotDone();
      gate.countDown();

      assertThat(now(now(third)).offset()).isEqualTo(3);
    }
    assertThat(stored()).containsExactly("a", "b", "c");
  }

  @Test
  @Guarantee("S113")
  void bytes_fill_the_buffer_too_but_one_message_always_fits() {
    CountDownLatch gate = gate();
    ProducerOptions small = OPTIONS_OF_ALL.withBuffer(100, 10).withMaxBlock(Duration.ZERO);
    try (StreamProducer producer = there.producer(small)) {
      CompletableFuture<Pushed> large = producer.send(message("more than ten bytes"));

      failing(UNAVAILABLE, () -> producer.send(message("x")));
      gate.countDown();

      assertThat(now(large).offset()).isEqualTo(1);
      assertThat(now(producer.send(message("x"))).offset()).isEqualTo(2);
    }
  }

  @Test
  @Guarantee("S113")
  void a_send_that_finds_no_room_in_time_fails() {
    CountDownLatch gate = gate();
    ProducerOptions small =
        OPTIONS_OF_ALL.withBuffer(1, 1 << 20).withMaxBlock(Duration.ofSeconds(5));
    try (StreamProducer producer = there.producer(small)) {
      producer.send(message("a"));
      CompletableFuture<CompletableFuture<Pushed>> blocked = sending(producer, "b");
      awaitBlocked();

      time.advance(Duration.ofMillis(4_999));
      assertThat(blocked).isNotDone();
      time.advance(Duration.ofMillis(1));

      failing(UNAVAILABLE, () -> now(blocked));
      gate.countDown();
    }
    assertThat(stored()).containsExactly("a");
  }

  @Test
  @Guarantee("S114")
  void queue_full_slows_the_producer_without_loss_or_reordering() {
    streams.configure(config().maxSize(10));
    assertThat(pop(1).isEmpty()).isTrue();
    List<CompletableFuture<Pushed>> sent = new ArrayList<>();
    List<String> got = new ArrayList<>();
    long until = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
    try (StreamProducer producer = there.producer(OPTIONS_OF_ALL)) {
      numbered("p", 100).forEach(message -> sent.add(producer.send(message)));

      while (got.size() < 100) {
        pass(Duration.ofSeconds(5));
        assertThat(streams.browser().depth(QUEUE).depth()).isLessThanOrEqualTo(10);
        Popped popped = pop(7);
        got.addAll(texts(popped));
        ack(popped, Verdict.COMPLETED);
        assertThat(System.nanoTime() - until).as("it gets on").isNegative();
      }
    }

    assertThat(got).containsExactlyElementsOf(textsOf(numbered("p", 100)));
    assertThat(sent).allMatch(pushed -> now(pushed).status() == Pushed.Status.QUEUED);
  }

  @Test
  @Guarantee("S114")
  void a_queue_that_refuses_holds_up_no_other() {
    streams.configure(config());
    streams.admin().pausePush(QUEUE);
    try (StreamProducer producer = there.producer(OPTIONS_OF_ALL)) {
      CompletableFuture<Pushed> waiting = producer.send(message("a"));
      CompletableFuture<Pushed> later = producer.send(message("b"));

      assertThat(now(producer.send(NewMessage.to("other", "x"))).offset()).isEqualTo(1);
      pass(SECOND);
      assertThat(waiting).isNotDone();
      streams.admin().resumePush(QUEUE);
      ticking(later::isDone);
      assertThat(now(waiting).offset()).isEqualTo(1);
      assertThat(now(later).offset()).isEqualTo(2);
    }
  }

  @Test
  void a_lost_answer_does_not_store_anything_twice() {
    store.afterNext(
        "push",
        () -> {
          throw StreamException.unknown("planned", null);
        });
    try (StreamProducer producer = there.producer(OPTIONS_OF_ALL)) {
      CompletableFuture<Pushed> first = producer.send(message("a"));
      CompletableFuture<Pushed> second = producer.send(message("b"));
      ticking(second::isDone);

      assertThat(now(first).offset()).isEqualTo(1);
      assertThat(now(second).offset()).isEqualTo(2);
    }
    assertThat(store.calls("push")).isGreaterThan(1);
    assertThat(stored()).containsExactly("a", "b");
  }

  @Test
  void a_lost_answer_does_not_store_spread_messages_twice() {
    streams.configure(config().with(StreamOption.UNPARTITIONED, "spread"));
    push("p", "x");
    push("q", "y");
    there.push(List.of(NewMessage.to(QUEUE, "first in turn")));
    store.afterNext(
        "push",
        () -> {
          throw StreamException.unknown("planned", null);
        });
    try (StreamProducer producer = there.producer(OPTIONS_OF_ALL)) {
      CompletableFuture<Pushed> sent = producer.send(NewMessage.to(QUEUE, "a"));
      ticking(sent::isDone);
      assertThat(now(sent).offset()).isPositive();
    }
    assertThat(stored()).containsExactlyInAnyOrder("x", "y", "first in turn", "a");
  }

  @Test
  void a_store_that_is_away_is_waited_for() {
    for (int i = 0; i < 3; i++) {
      store.beforeNext(
          "push",
          () -> {
            throw StreamException.unavailable("planned", null);
          });
    }
    try (StreamProducer producer = there.producer(OPTIONS_OF_ALL)) {
      CompletableFuture<Pushed> sent = producer.send(message("a"));
      ticking(sent::isDone);

      assertThat(now(sent).status()).isEqualTo(Pushed.Status.QUEUED);
    }
    assertThat(store.calls("push")).isEqualTo(4);
  }

  @Test
  void what_cannot_be_delivered_in_time_fails_with_the_reason() {
    streams.configure(config());
    streams.admin().pausePush(QUEUE);
    try (StreamProducer producer =
        there.producer(ProducerOptions.DEFAULTS.withDeliveryTimeout(Duration.ofSeconds(120)))) {
      CompletableFuture<Pushed> sent = producer.send(message("a"));
      for (int i = 0; i < 119; i++) {
        pass(SECOND);
        assertThat(sent).isNotDone();
      }

      ticking(sent::isDone);

      failing(PAUSED, () -> now(sent));
      streams.admin().resumePush(QUEUE);
      CompletableFuture<Pushed> next = producer.send(message("b"));
      ticking(next::isDone);
      assertThat(now(next).offset()).isEqualTo(1);
    }
    assertThat(stored()).containsExactly("b");
  }

  @Test
  void what_can_never_be_delivered_fails_at_once() {
    streams.configure(StreamConfig.of("vault").with(StreamOption.ENCRYPTION_ENABLED, true));
    try (StreamProducer producer = there.producer(OPTIONS_OF_ALL)) {
      CompletableFuture<Pushed> refused = producer.send(NewMessage.to("vault", "secret"));

      failing(ENCRYPTION_UNAVAILABLE, () -> now(refused));
      failing(INVALID_ARGUMENT, () -> producer.send(message("x").in("")));
      assertThat(now(producer.send(message("a"))).offset()).isEqualTo(1);
    }
  }

  @Test
  void a_repeated_transaction_id_is_answered_as_the_duplicate_it_is() {
    try (StreamProducer producer = there.producer(OPTIONS_OF_ALL)) {
      Pushed first = now(producer.send(message("a").once("tx")));

      Pushed again = now(producer.send(message("a").once("tx")));

      assertThat(again.status()).isEqualTo(Pushed.Status.DUPLICATE);
      assertThat(again.messageId()).isEqualTo(first.messageId());
    }
  }

  @Test
  void closing_sends_what_was_taken_and_takes_nothing_more() {
    StreamProducer producer = there.producer(OPTIONS_OF_ALL);
    List<CompletableFuture<Pushed>> sent = new ArrayList<>();
    numbered("p", 50).forEach(message -> sent.add(producer.send(message)));

    producer.close();

    assertThat(sent).allMatch(CompletableFuture::isDone);
    assertThat(stored()).hasSize(50);
    failing(CLOSED, () -> producer.send(message("late")));
  }
}
