package io.holdfast.testkit.stream;

import static io.holdfast.stream.StreamError.PAUSED;
import static io.holdfast.stream.StreamError.QUEUE_NOT_FOUND;
import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.stream.NewMessage;
import io.holdfast.stream.PopRequest;
import io.holdfast.stream.Popped;
import io.holdfast.stream.Pushed;
import io.holdfast.stream.StreamConfig;
import io.holdfast.stream.StreamInfo;
import io.holdfast.stream.StreamOption;
import io.holdfast.stream.StreamService;
import io.holdfast.stream.Streams;
import io.holdfast.stream.Verdict;
import io.holdfast.testkit.Guarantee;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;

/** Pushes that are held: taken, and stored when that ends. */
public abstract class StreamHoldContract extends StreamSuite {
  /** Longer than the duty pauses that stores what was held. */
  private static final Duration DRAIN = Duration.ofSeconds(6);

  private void drain() {
    pass(DRAIN);
  }

  @Test
  @Guarantee("S99")
  void held_pushes_are_delivered_once_in_order_after_resume() {
    push("p", "a");
    streams.admin().holdPush(QUEUE);
    List<Pushed> held = push("p", "b", "c");
    push("other", "x");
    push("p", "d");

    assertThat(held).extracting(Pushed::status).containsOnly(Pushed.Status.BUFFERED);
    assertThat(stored()).containsExactly("a");
    assertThat(streams.admin().held(QUEUE)).isEqualTo(4);

    streams.admin().resumePush(QUEUE);
    drain();

    assertThat(stored()).containsExactly("x", "a", "b", "c", "d");
    assertThat(streams.admin().held(null)).isZero();
    drain();
    Popped popped = streams.pop(request(10).partition("p"));
    assertThat(texts(popped)).containsExactly("a", "b", "c", "d");
    assertThat(popped.messages().get(1).transactionId()).isEqualTo(held.get(0).transactionId());
  }

  @Test
  void until_the_last_is_stored_new_pushes_line_up_behind() {
    push("p", "a");
    streams.admin().holdPush(QUEUE);
    push("p", "b");
    streams.admin().resumePush(QUEUE);

    assertThat(push("p", "c").get(0).status()).isEqualTo(Pushed.Status.BUFFERED);
    assertThat(streams.admin().find(QUEUE).orElseThrow().paused().push()).isFalse();
    drain();

    assertThat(stored()).containsExactly("a", "b", "c");
    assertThat(push("p", "d").get(0).status()).isEqualTo(Pushed.Status.QUEUED);
  }

  @Test
  void everything_can_be_held_also_for_queues_that_are_not_there() {
    Streams there = process();
    streams.admin().holdPush(null);
    UUID trace = UUID.randomUUID();
    there.push(List.of(NewMessage.to("new", "x").in("p").once("t").traced(trace)), producer());

    assertThat(streams.admin().find("new")).isEmpty();
    assertThat(streams.admin().pausedAll()).isEqualTo(new StreamInfo.Paused(true, false, true));
    there.admin().resumePush(null);
    drain();

    Popped popped = streams.pop(PopRequest.of("new"));
    assertThat(texts(popped)).containsExactly("x");
    assertThat(popped.messages().get(0).transactionId()).isEqualTo("t");
    assertThat(popped.messages().get(0).traceId()).isEqualTo(trace);
    assertThat(popped.messages().get(0).producer()).isEqualTo(producer());
  }

  @Test
  void a_repeated_transaction_id_is_stored_once() {
    streams.push(List.of(NewMessage.to(QUEUE, "a").in("p").once("t1")));
    streams.admin().holdPush(QUEUE);
    streams.push(List.of(NewMessage.to(QUEUE, "again").in("p").once("t1")));
    streams.push(List.of(NewMessage.to(QUEUE, "b").in("p").once("t2")));
    streams.push(List.of(NewMessage.to(QUEUE, "b again").in("p").once("t2")));
    streams.admin().resumePush(QUEUE);
    drain();

    assertThat(stored()).containsExactly("a", "b");
  }

  @Test
  void other_queues_of_the_same_push_are_stored_at_once() {
    push("p", "a");
    streams.admin().holdPush(QUEUE);

    List<Pushed> pushed =
        streams.push(
            List.of(NewMessage.to(QUEUE, "b").in("p"), NewMessage.to("free", "x").in("p")));

    assertThat(pushed)
        .extracting(Pushed::status)
        .containsExactly(Pushed.Status.BUFFERED, Pushed.Status.QUEUED);
    assertThat(stored("free")).containsExactly("x");
    assertThat(stored()).containsExactly("a");
  }

  @Test
  void a_full_queue_takes_what_was_held_as_it_gets_room() {
    streams.configure(config().maxSize(2));
    push("p", "a");
    streams.admin().holdPush(QUEUE);
    push("p", "b", "c", "d");
    streams.admin().resumePush(QUEUE);
    drain();

    assertThat(stored()).containsExactly("a", "b");
    assertThat(streams.admin().held(QUEUE)).isEqualTo(2);
    ack(pop(2), Verdict.COMPLETED);
    drain();

    assertThat(stored()).containsExactly("a", "b", "c", "d");
  }

  @Test
  void refusing_comes_before_holding_and_keeps_what_was_held() {
    push("p", "a");
    streams.admin().holdPush(QUEUE);
    push("p", "b");
    streams.admin().pausePush(QUEUE);

    failing(PAUSED, () -> push("p", "c"));
    drain();
    assertThat(stored()).containsExactly("a");
    streams.admin().resumePush(QUEUE);
    drain();

    assertThat(stored()).containsExactly("a", "b");
  }

  @Test
  void a_queue_stays_held_while_everything_else_is_let_go() {
    push("p", "a");
    streams.admin().holdPush(QUEUE);
    streams.admin().holdPush(null);
    push("p", "b");
    streams.push(List.of(NewMessage.to("free", "x")));
    streams.admin().resumePush(null);
    drain();

    assertThat(stored("free")).containsExactly("x");
    assertThat(stored()).containsExactly("a");
    assertThat(streams.admin().find(QUEUE).orElseThrow().paused())
        .isEqualTo(new StreamInfo.Paused(true, false, true));
  }

  @Test
  void a_transaction_is_not_held_but_refused() {
    push("p", "a");
    Popped popped = pop(1);
    streams.admin().holdPush(QUEUE);

    failing(
        PAUSED,
        () ->
            streams.transact(List.of(NewMessage.to(QUEUE, "b")), popped.ackAll(Verdict.COMPLETED)));

    assertThat(committed("p")).isZero();
  }

  @Test
  void a_waiting_pop_gets_what_was_held() {
    streams.configure(StreamConfig.of(QUEUE));
    streams.admin().holdPush(QUEUE);
    push("p", "a");
    CompletableFuture<Popped> waiting = parked(request(1));
    streams.admin().resumePush(QUEUE);
    drain();

    assertThat(texts(now(waiting))).containsExactly("a");
  }

  @Test
  void what_was_held_goes_with_its_queue() {
    push("p", "a");
    streams.admin().holdPush(QUEUE);
    push("p", "b");
    streams.delete(QUEUE);

    assertThat(streams.admin().held(null)).isZero();
    assertThat(push("p", "c").get(0).status()).isEqualTo(Pushed.Status.QUEUED);
  }

  @Test
  void held_payloads_are_encrypted_if_their_queue_says_so_by_then() {
    StreamService sealing = serving(subject.process(), OPTIONS.withEncryptionKey("ab".repeat(32)));
    sealing.configure(StreamConfig.of(QUEUE));
    sealing.admin().holdPush(QUEUE);
    sealing.push(List.of(NewMessage.to(QUEUE, "secret").in("p")));
    sealing.configure(StreamConfig.of(QUEUE).with(StreamOption.ENCRYPTION_ENABLED, true));
    sealing.push(List.of(NewMessage.to(QUEUE, "second").in("p")));
    service.close(); // has no key
    sealing.admin().resumePush(QUEUE);
    time.advance(DRAIN);
    while (sealing.step() > 0) {
      LockSupport.parkNanos(100_000);
    }

    Popped popped = sealing.pop(request(5));
    assertThat(texts(popped)).containsExactly("secret", "second");
    assertThat(popped.batches().get(0).deliveries()).allMatch(d -> d.isEncrypted());
  }

  @Test
  void a_queue_that_is_not_there_cannot_be_held() {
    failing(QUEUE_NOT_FOUND, () -> streams.admin().holdPush("nowhere"));
  }
}
