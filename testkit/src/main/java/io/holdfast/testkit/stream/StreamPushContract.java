package io.holdfast.testkit.stream;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.stream.Ack;
import io.holdfast.stream.Message;
import io.holdfast.stream.NewMessage;
import io.holdfast.stream.Payload;
import io.holdfast.stream.PopRequest;
import io.holdfast.stream.Popped;
import io.holdfast.stream.Pushed;
import io.holdfast.stream.Pushed.Status;
import io.holdfast.stream.StreamError;
import io.holdfast.stream.StreamInfo;
import io.holdfast.stream.StreamOption;
import io.holdfast.stream.StreamSettings;
import io.holdfast.stream.Streams;
import io.holdfast.stream.Verdict;
import io.holdfast.testkit.Guarantee;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What pushing promises. */
public abstract class StreamPushContract extends StreamSuite {
  private static final String EMOJI = "\ud83d\udd12";

  @Test
  @Guarantee("S01")
  void a_pushed_message_is_seen_by_the_next_pop() {
    UUID trace = UUID.randomUUID();
    NewMessage message = NewMessage.to(QUEUE, "a").in("p").once("tx").traced(trace);

    Pushed pushed = streams.push(List.of(message), producer()).get(0);
    Popped popped = pop(1);

    assertThat(pushed.status()).isEqualTo(Status.QUEUED);
    assertThat(popped.queue()).isEqualTo(QUEUE);
    assertThat(popped.messages())
        .containsExactly(
            new Message(
                new Message.Place(QUEUE, "p", pushed.partitionId(), 1),
                pushed.messageId(),
                "tx",
                trace,
                Payload.of("a"),
                instant(),
                producer()));
    assertThat(popped.batches().get(0).partition()).isEqualTo("p");
    assertThat(popped.batches().get(0).partitionId()).isEqualTo(pushed.partitionId());
    assertThat(attempts(popped)).containsExactly(1);
  }

  @Test
  @Guarantee("S01")
  void every_process_sees_what_another_has_pushed_while_the_clock_stands_still() {
    Streams there = process();
    for (int i = 0; i < 20; i++) {
      push("p", "m" + i);

      Popped popped = there.pop(request(10));

      assertThat(texts(popped)).containsExactly("m" + i);
      there.ack(popped.ackAll(Verdict.COMPLETED));
    }
  }

  @Test
  @Guarantee({"S01", "S02"})
  void a_message_pushed_after_the_clock_stepped_back_comes_next_and_at_once() {
    push("p", "a");
    ack(pop(1), Verdict.COMPLETED);

    time.stepDatabase(-Duration.ofHours(1).toMillis());
    push("p", "b");
    push("p", "c");

    assertThat(texts(pop(10))).containsExactly("b", "c");
  }

  @Test
  @Guarantee("S02")
  void messages_of_a_partition_arrive_in_push_order() {
    Streams there = process();
    List<String> pushed = new ArrayList<>();
    for (int i = 0; i < 30; i++) {
      Streams process = i % 2 == 0 ? streams : there;
      process.push(List.of(NewMessage.to(QUEUE, "m" + i).in("p")));
      process.push(List.of(NewMessage.to(QUEUE, "other").in("q")));
      pushed.add("m" + i);
      time.advanceMs(i % 3);
    }

    Popped popped = streams.pop(request(100).partition("p"));

    assertThat(texts(popped)).isEqualTo(pushed);
    List<Message> messages = popped.messages();
    assertThat(messages).extracting(m -> m.place().offset()).isSorted().contains(1L, 30L);
    assertThat(messages).extracting(Message::createdAt).isSorted().doesNotHaveDuplicates();
    assertThat(messages).extracting(m -> m.id().toString()).isSorted().doesNotHaveDuplicates();
  }

  @Test
  @Guarantee("S03")
  void a_batch_keeps_its_input_order() {
    List<NewMessage> messages = new ArrayList<>();
    for (int i = 0; i < 999; i++) {
      messages.add(NewMessage.to(QUEUE, "m" + i).in("p" + i % 3));
    }

    List<Pushed> pushed = streams.push(messages);

    assertThat(pushed).hasSize(999).allMatch(one -> one.status() == Status.QUEUED);
    for (int p = 0; p < 3; p++) {
      List<Message> got = streams.pop(request(1000).partition("p" + p)).messages();
      assertThat(got).hasSize(333);
      for (int i = 0; i < got.size(); i++) {
        Pushed one = pushed.get(3 * i + p);
        assertThat(got.get(i).payload().text()).isEqualTo("m" + (3 * i + p));
        assertThat(got.get(i).id()).isEqualTo(one.messageId());
        assertThat(one.offset()).isEqualTo(i + 1L).isEqualTo(got.get(i).place().offset());
      }
    }
  }

  @Test
  @Guarantee("S04")
  void the_first_push_creates_queue_and_partition() {
    assertThat(streams.admin().find("shop.orders.eu")).isEmpty();

    streams.push(List.of(NewMessage.to("shop.orders.eu", "a").in("p")));

    StreamInfo info = streams.admin().find("shop.orders.eu").orElseThrow();
    assertThat(info.labels()).isEqualTo(new StreamInfo.Labels("shop", "orders"));
    assertThat(info.settings()).isEqualTo(StreamSettings.DEFAULTS);
    assertThat(info.createdAt()).isEqualTo(instant());
    assertThat(streams.admin().partitions("shop.orders.eu", null, 10)).containsExactly("p");
  }

  @Test
  @Guarantee("S04")
  void a_message_without_a_partition_creates_the_default_one() {
    streams.push(List.of(NewMessage.to("", "a")));

    assertThat(streams.admin().partitions("", null, 10)).containsExactly("Default");
    assertThat(texts(streams.pop(PopRequest.of("").partition("Default")))).containsExactly("a");
  }

  @Test
  @Guarantee("S05")
  void an_empty_push_returns_an_empty_list() {
    assertThat(streams.push(List.of())).isEmpty();
    assertThat(now(streams.pushAsync(List.of(), producer()))).isEmpty();
    assertThat(streams.admin().list(null, 10)).isEmpty();
  }

  @Test
  @Guarantee({"S06", "SF10"})
  void a_repeated_transaction_id_answers_duplicate_with_the_first_message_id() {
    push("p", "before");
    NewMessage message = NewMessage.to(QUEUE, "a").in("p").once("tx");
    Pushed first = streams.push(List.of(message)).get(0);
    ack(pop(10), Verdict.COMPLETED);
    time.advance(Duration.ofDays(400));

    for (Streams process : List.of(streams, process())) {
      Pushed again =
          process.push(List.of(message.traced(UUID.randomUUID()), message.in("p"))).get(0);

      assertThat(again.status()).isEqualTo(Status.DUPLICATE);
      assertThat(again.messageId()).isEqualTo(first.messageId());
      assertThat(again.offset()).isEqualTo(first.offset()).isEqualTo(2);
      assertThat(again.partitionId()).isEqualTo(first.partitionId());
      assertThat(again.transactionId()).isEqualTo("tx");
    }
    assertThat(pop(1).isEmpty()).isTrue();
    assertThat(stored()).containsExactly("before", "a");
  }

  @Test
  @Guarantee("S07")
  void a_duplicate_inside_one_call_answers_duplicate() {
    List<Pushed> pushed =
        streams.push(
            List.of(
                NewMessage.to(QUEUE, "a").in("p").once("tx"),
                NewMessage.to(QUEUE, "b").in("p"),
                NewMessage.to(QUEUE, "c").in("p").once("tx"),
                NewMessage.to(QUEUE, "d").in("p").once("tx")));

    assertThat(pushed)
        .extracting(Pushed::status)
        .containsExactly(Status.QUEUED, Status.QUEUED, Status.DUPLICATE, Status.DUPLICATE);
    for (Pushed duplicate : pushed.subList(2, 4)) {
      assertThat(duplicate.messageId()).isEqualTo(pushed.get(0).messageId());
      assertThat(duplicate.offset()).isEqualTo(1);
    }
    assertThat(texts(pop(10))).containsExactly("a", "b");
  }

  @Test
  @Guarantee("S09")
  void the_same_id_in_another_partition_is_not_a_duplicate() {
    List<Pushed> pushed =
        streams.push(
            List.of(
                NewMessage.to(QUEUE, "a").in("p").once("tx"),
                NewMessage.to(QUEUE, "b").in("q").once("tx"),
                NewMessage.to("other", "c").in("p").once("tx")));
    Pushed later = streams.push(List.of(NewMessage.to(QUEUE, "d").in("r").once("tx"))).get(0);

    assertThat(pushed).allMatch(one -> one.status() == Status.QUEUED);
    assertThat(later.status()).isEqualTo(Status.QUEUED);
    assertThat(streams.browser().find(QUEUE, "tx"))
        .extracting(found -> found.message().payload().text())
        .containsExactlyInAnyOrder("a", "b", "d");
  }

  @Test
  @Guarantee("S10")
  void outside_the_dedup_window_the_id_is_accepted_again() {
    streams.configure(config().with(StreamOption.DEDUP_WINDOW, 60));
    NewMessage message = NewMessage.to(QUEUE, "a").in("p").once("tx");
    Pushed first = streams.push(List.of(message)).get(0);

    time.advance(Duration.ofSeconds(60).minusMillis(1));
    assertThat(streams.push(List.of(message)).get(0).messageId()).isEqualTo(first.messageId());
    time.advanceMs(1);
    Pushed second = streams.push(List.of(message)).get(0);
    time.advance(Duration.ofSeconds(59));
    Pushed third = streams.push(List.of(message)).get(0);

    assertThat(second.status()).isEqualTo(Status.QUEUED);
    assertThat(second.messageId()).isNotEqualTo(first.messageId());
    assertThat(second.offset()).isEqualTo(2);
    assertThat(third.status()).isEqualTo(Status.DUPLICATE);
    assertThat(third.messageId()).isEqualTo(second.messageId());
  }

  @Test
  @Guarantee("S10")
  void with_a_dedup_window_of_zero_no_id_is_a_duplicate() {
    streams.configure(config().with(StreamOption.DEDUP_WINDOW, 0));
    NewMessage message = NewMessage.to(QUEUE, "a").in("p").once("tx");

    List<Pushed> pushed = new ArrayList<>(streams.push(List.of(message, message)));
    pushed.addAll(streams.push(List.of(message)));

    assertThat(pushed).allMatch(one -> one.status() == Status.QUEUED);
    assertThat(pop(10).messages()).extracting(Message::transactionId).containsOnly("tx").hasSize(3);
  }

  @ParameterizedTest
  @Guarantee("S11")
  @ValueSource(strings = {"x", "\u00e9", "\u6f22", EMOJI})
  void an_id_of_255_characters_is_accepted_and_256_refused(String character) {
    String longest = character.repeat(255);
    NewMessage message = NewMessage.to(QUEUE, "a").in("p");

    assertThat(streams.push(List.of(message.once(longest))).get(0).transactionId())
        .isEqualTo(longest);
    failing(
        StreamError.INVALID_ARGUMENT,
        () -> streams.push(List.of(message.once(longest + character))));

    assertThat(pop(10).messages()).extracting(Message::transactionId).containsExactly(longest);
    assertThat(streams.push(List.of(message.once(longest))).get(0).status())
        .isEqualTo(Status.DUPLICATE);
  }

  @Test
  @Guarantee("S12")
  void a_missing_id_is_generated() {
    NewMessage message = NewMessage.to(QUEUE, "a").in("p");

    List<Pushed> pushed = streams.push(List.of(message, message.once(""), message));

    assertThat(pushed).allMatch(one -> one.status() == Status.QUEUED);
    assertThat(pushed).extracting(Pushed::messageId).doesNotHaveDuplicates();
    assertThat(pushed).allMatch(one -> one.messageId().version() == 7);
    assertThat(pushed).allMatch(one -> one.transactionId().equals(one.messageId().toString()));
    assertThat(pop(10).messages())
        .extracting(Message::transactionId)
        .isEqualTo(pushed.stream().map(Pushed::transactionId).toList());
  }

  @Test
  @Guarantee("S12")
  void a_generated_id_names_its_message() {
    List<Pushed> pushed = push("p", "a", "b", "c");
    Popped popped = pop(10);

    for (Pushed one : List.of(pushed.get(2), pushed.get(0), pushed.get(1))) {
      assertThat(streams.browser().message(one.partitionId(), one.transactionId()))
          .hasValueSatisfying(m -> assertThat(m.message().id()).isEqualTo(one.messageId()));
      Ack ack =
          new Ack(
              one.partitionId(),
              GROUP,
              popped.leaseId(),
              Ack.Target.transaction(one.transactionId()),
              Verdict.COMPLETED,
              null);
      assertThat(streams.ack(List.of(ack)).get(0).isSuccess()).isTrue();
    }
    assertThat(committed("p")).isEqualTo(3);
  }

  @Test
  @Guarantee("S13")
  void null_object_number_and_2_mb_payloads_round_trip_unchanged() {
    byte[] big = new byte[2 << 20];
    new Random(17).nextBytes(big);
    byte[] every = new byte[256];
    for (int i = 0; i < every.length; i++) {
      every[i] = (byte) i;
    }
    List<byte[]> payloads =
        List.of(
            utf8("null"),
            utf8("{ \"b\" : 1,\n \"a\":[1.50, \"\\u0041\u00e9 " + EMOJI + "\"], \"b\": 2 }"),
            utf8("1e400"),
            utf8("\"\\u0000\""),
            big,
            every,
            new byte[0]);

    streams.push(
        payloads.stream().map(bytes -> NewMessage.to(QUEUE, Payload.of(bytes)).in("p")).toList());

    List<Message> messages = pop(10).messages();
    assertThat(messages).hasSameSizeAs(payloads);
    for (int i = 0; i < payloads.size(); i++) {
      assertThat(Arrays.equals(messages.get(i).payload().bytes(), payloads.get(i)))
          .as("payload " + i)
          .isTrue();
    }
  }

  private static byte[] utf8(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  @Test
  @Guarantee("S14")
  void an_invalid_item_refuses_the_whole_push() {
    NewMessage good = NewMessage.to(QUEUE, "a").in("p");
    List<NewMessage> bad =
        List.of(
            good.in(""),
            good.in("x".repeat(256)),
            good.once("zero \0 inside"),
            NewMessage.to("x".repeat(256), "a"),
            NewMessage.to("half \ud83d", "a"));
    for (NewMessage one : bad) {
      failing(StreamError.INVALID_ARGUMENT, () -> streams.push(List.of(good, one)));
      failing(StreamError.INVALID_ARGUMENT, () -> streams.push(List.of(one, good)));
    }
    Payload large = Payload.of(new byte[(4 << 20) + 1]);
    failing(
        StreamError.PAYLOAD_TOO_LARGE,
        () -> streams.push(List.of(good, NewMessage.to(QUEUE, large))));

    assertThat(streams.admin().list(null, 10)).isEmpty();
    push("p", "b");
    assertThat(stored()).containsExactly("b");
  }

  @Test
  @Guarantee("S15")
  void a_trace_id_finds_its_messages_across_queues_in_order() {
    UUID trace = UUID.randomUUID();
    List<String> queues = List.of("zebra", "ant", "mole");
    for (int i = 0; i < 6; i++) {
      NewMessage message = NewMessage.to(queues.get(i % 3), "m" + i).in("p" + i % 2);
      streams.push(List.of(message.traced(trace), message, message.traced(UUID.randomUUID())));
      time.advanceMs(1);
    }

    assertThat(streams.browser().byTrace(trace))
        .extracting(found -> found.message().payload().text())
        .containsExactly("m0", "m1", "m2", "m3", "m4", "m5");
    assertThat(streams.browser().byTrace(trace))
        .allMatch(found -> trace.equals(found.message().traceId()));
    assertThat(streams.browser().byTrace(UUID.randomUUID())).isEmpty();
  }

  @Test
  @Guarantee("S15")
  void a_trace_id_is_never_invented() {
    List<Pushed> pushed = push("p", "a");

    assertThat(pushed.get(0).traceId()).isNull();
    assertThat(pop(1).messages().get(0).traceId()).isNull();
  }
}
