package io.holdfast.testkit.stream;

import static io.holdfast.stream.StreamError.INVALID_ARGUMENT;
import static io.holdfast.stream.StreamError.PARTITION_NOT_FOUND;
import static io.holdfast.stream.StreamError.QUEUE_NOT_FOUND;
import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.stream.Message;
import io.holdfast.stream.MessageQuery;
import io.holdfast.stream.MessageStatus;
import io.holdfast.stream.NewMessage;
import io.holdfast.stream.PageKey;
import io.holdfast.stream.Payload;
import io.holdfast.stream.Popped;
import io.holdfast.stream.Pushed;
import io.holdfast.stream.Redrive;
import io.holdfast.stream.StoredMessage;
import io.holdfast.stream.TimeRange;
import io.holdfast.stream.Trace;
import io.holdfast.stream.Verdict;
import io.holdfast.testkit.Guarantee;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Looking at messages without taking them. */
public abstract class StreamReadingContract extends StreamOperatorSuite {
  private static final UUID TRACE = new UUID(7, 7);
  private static final Duration SECOND = Duration.ofSeconds(1);

  private static List<String> textsOf(List<StoredMessage> messages) {
    return messages.stream().map(stored -> stored.message().payload().text()).toList();
  }

  private List<String> read(MessageQuery query) {
    return textsOf(streams.browser().messages(query));
  }

  private Pushed pushOnce(String partition, String id) {
    return streams.push(List.of(NewMessage.to(QUEUE, id).in(partition).once(id))).get(0);
  }

  private Map<String, MessageStatus> status(Pushed pushed) {
    return streams
        .browser()
        .message(pushed.partitionId(), pushed.transactionId())
        .orElseThrow()
        .status();
  }

  @Test
  @Guarantee("S105")
  void keyset_pages_neither_miss_nor_repeat_under_inserts() {
    List<String> there = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      streams.push(numbered("p" + i, 5));
      numbered("p" + i, 5).forEach(message -> there.add(message.payload().text()));
      time.advance(Duration.ofMillis(1 - i % 2)); // two of them at the same instant
    }
    Collections.reverse(there);
    List<String> seen = new ArrayList<>();
    MessageQuery query = MessageQuery.of(QUEUE).limit(3);

    List<StoredMessage> page = streams.browser().messages(query);
    while (!page.isEmpty()) {
      seen.addAll(textsOf(page));
      time.advance(Duration.ofMillis(1));
      push("p0", "later");
      Message last = page.get(page.size() - 1).message();
      query = query.after(new PageKey(last.createdAt(), last.id()));
      page = streams.browser().messages(query);
    }

    assertThat(seen).containsExactlyInAnyOrderElementsOf(there);
    assertThat(seen.subList(0, 5)).containsExactly("p3.4", "p3.3", "p3.2", "p3.1", "p3.0");
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 1_000})
  void large_messages_make_a_page_short_and_none_is_left_out(long everyMs) {
    String large = "x".repeat(3 << 20);
    for (int i = 0; i < 7; i++) {
      push("p", i + large);
      time.advance(Duration.ofMillis(everyMs));
    }

    for (MessageQuery first :
        List.of(MessageQuery.of(QUEUE), MessageQuery.of(QUEUE).partition("p"))) {
      List<String> seen = new ArrayList<>();
      MessageQuery query = first;
      List<StoredMessage> page = streams.browser().messages(query);
      assertThat(page).as("at most 16 MiB").hasSizeBetween(1, 5);
      while (!page.isEmpty()) {
        textsOf(page).forEach(text -> seen.add(text.substring(0, 1)));
        Message last = page.get(page.size() - 1).message();
        query = query.after(new PageKey(last.createdAt(), last.id()));
        page = streams.browser().messages(query);
      }
      assertThat(seen).containsExactly("6", "5", "4", "3", "2", "1", "0");
    }
  }

  @Test
  @Guarantee("S105")
  void messages_are_found_by_partition_and_time() {
    Instant begin = instant();
    for (String text : List.of("a", "b", "c")) {
      push("p", text);
      time.advance(SECOND);
    }
    push("q", "d");

    MessageQuery all = MessageQuery.of(QUEUE);
    assertThat(read(all)).containsExactly("d", "c", "b", "a");
    assertThat(read(all.partition("p"))).containsExactly("c", "b", "a");
    TimeRange middle = new TimeRange(begin.plusSeconds(1), begin.plusSeconds(2));
    assertThat(read(all.created(middle))).containsExactly("b");
    assertThat(read(all.created(new TimeRange(begin.plusSeconds(2), null))))
        .containsExactly("d", "c");
    assertThat(read(all.limit(1))).containsExactly("d");
    failing(QUEUE_NOT_FOUND, () -> read(MessageQuery.of("nowhere")));
    failing(PARTITION_NOT_FOUND, () -> read(all.partition("nowhere")));
    failing(INVALID_ARGUMENT, () -> read(all.limit(1_001)));
  }

  @Test
  void a_message_is_found_by_its_partition_and_transaction_id() {
    NewMessage traced = NewMessage.to(QUEUE, "a").in("p").once("tx").traced(TRACE);
    Pushed pushed = streams.push(List.of(traced), producer()).get(0);
    Pushed generated = push("p", "b").get(0);

    StoredMessage stored = streams.browser().message(pushed.partitionId(), "tx").orElseThrow();

    Message.Place place = new Message.Place(QUEUE, "p", pushed.partitionId(), 1);
    assertThat(stored.message())
        .isEqualTo(
            new Message(
                place, pushed.messageId(), "tx", TRACE, Payload.of("a"), instant(), producer()));
    assertThat(stored.isEncrypted()).isFalse();
    assertThat(streams.browser().message(generated.partitionId(), generated.messageId().toString()))
        .map(found -> found.message().payload().text())
        .contains("b");
    assertThat(streams.browser().message(pushed.partitionId(), "nobody's")).isEmpty();
    assertThat(streams.browser().message(UUID.randomUUID(), "tx")).isEmpty();
  }

  @Test
  void a_transaction_id_is_found_in_every_partition_of_its_queue() {
    pushOnce("p", "tx");
    time.advance(SECOND);
    pushOnce("q", "tx");
    pushOnce("q", "another");
    streams.push(List.of(NewMessage.to("other", "x").once("tx")));

    assertThat(streams.browser().find(QUEUE, "tx"))
        .extracting(stored -> stored.message().place().partition())
        .containsExactly("p", "q");
    assertThat(streams.browser().find(QUEUE, "nobody's")).isEmpty();
  }

  @Test
  @Guarantee("S15")
  void a_trace_is_followed_across_queues_in_order() {
    for (String queue : List.of("first", "second", "first")) {
      streams.push(List.of(NewMessage.to(queue, queue).traced(TRACE)));
      time.advance(SECOND);
    }
    streams.push(List.of(NewMessage.to("first", "x"), NewMessage.to("second", "y")));

    assertThat(textsOf(streams.browser().byTrace(TRACE)))
        .containsExactly("first", "second", "first");
    assertThat(streams.browser().byTrace(new UUID(8, 8))).isEmpty();
  }

  @Test
  void the_status_of_a_message_is_what_it_is_to_each_group() {
    Pushed first = pushOnce("p", "1");
    Pushed second = pushOnce("p", "2");
    Pushed third = pushOnce("p", "3");
    Pushed fourth = pushOnce("p", "4");
    assertThat(status(first)).isEmpty();
    ack(popFor("done", 4), Verdict.COMPLETED);
    Popped held = pop(3);
    ack(held, Verdict.DEAD_LETTER, 0);
    ack(held, Verdict.COMPLETED, 2);

    assertThat(status(first))
        .isEqualTo(Map.of("done", MessageStatus.COMPLETED, GROUP, MessageStatus.DEAD_LETTER));
    assertThat(status(second)).containsEntry(GROUP, MessageStatus.PROCESSING);
    assertThat(status(third)).containsEntry(GROUP, MessageStatus.COMPLETED);
    assertThat(status(fourth)).containsEntry(GROUP, MessageStatus.PENDING);
    streams.release(lease(held), null);
    assertThat(status(second)).containsEntry(GROUP, MessageStatus.PENDING);
  }

  @Test
  void what_was_redriven_to_one_group_counts_as_done_for_the_others() {
    push("p", "a");
    drained("other");
    UUID letter = buriedHead("p", "no").id();
    streams.deadLetters().redrive(List.of(letter), Redrive.BACK);

    StoredMessage again = streams.browser().find(QUEUE, "redrive:" + letter).get(0);

    assertThat(again.status())
        .isEqualTo(Map.of(GROUP, MessageStatus.PENDING, "other", MessageStatus.COMPLETED));
  }

  @Test
  void messages_are_found_by_their_status_for_a_group() {
    push("p", "a", "b", "c", "d");
    ack(pop(1), Verdict.COMPLETED);
    ack(pop(1), Verdict.DEAD_LETTER, "no");
    pop(1);

    MessageQuery all = MessageQuery.of(QUEUE);
    assertThat(read(all.status(GROUP, MessageStatus.COMPLETED))).containsExactly("a");
    assertThat(read(all.status(GROUP, MessageStatus.DEAD_LETTER))).containsExactly("b");
    assertThat(read(all.status(GROUP, MessageStatus.PROCESSING))).containsExactly("c");
    assertThat(read(all.status(GROUP, MessageStatus.PENDING))).containsExactly("d");
    MessageQuery nobodys =
        new MessageQuery(QUEUE, null, null, MessageStatus.PENDING, TimeRange.ALL, null, 10);
    failing(INVALID_ARGUMENT, () -> read(nobodys));
  }

  @Test
  void a_deleted_message_leaves_a_gap_that_consumers_pass() {
    pushOnce("p", "a");
    Pushed gone = pushOnce("p", "b");
    pushOnce("p", "c");
    Pushed last = pushOnce("p", "d");

    assertThat(streams.browser().delete(gone.partitionId(), "b")).isTrue();
    assertThat(streams.browser().delete(gone.partitionId(), "b")).isFalse();
    assertThat(streams.browser().delete(last.partitionId(), "d")).isTrue();

    assertThat(stored()).containsExactly("a", "c");
    assertThat(drained(GROUP)).containsExactly("a", "c");
    assertThat(streams.browser().tally(QUEUE, GROUP).pending()).isZero();
    assertThat(pushOnce("p", "e").offset()).isEqualTo(5);
    assertThat(drained(GROUP)).containsExactly("e");
  }

  @Test
  void a_message_deleted_from_a_live_batch_does_not_hold_it_up() {
    Pushed first = pushOnce("p", "a");
    pushOnce("p", "b");
    Popped held = pop(2);

    streams.browser().delete(first.partitionId(), "a");

    assertThat(ack(held, Verdict.COMPLETED, 1).get(0).isReleased()).isTrue();
    assertThat(pop(2).isEmpty()).isTrue();
  }

  @Test
  void a_deleted_message_is_no_duplicate_any_more() {
    Pushed first = pushOnce("p", "a");
    streams.browser().delete(first.partitionId(), "a");

    assertThat(pushOnce("p", "a").status()).isEqualTo(Pushed.Status.QUEUED);
  }

  @Test
  void traces_are_kept_with_their_message_in_order() {
    Pushed pushed = pushOnce("p", "tx");
    Trace.Note began = new Trace.Note(GROUP, "began", Payload.of("{}"), List.of("order-1", "slow"));
    Trace.Note ended = new Trace.Note(null, "ended", Payload.of("[1]"), List.of("order-1"));

    Trace first = streams.browser().record(pushed.partitionId(), "tx", began).orElseThrow();
    time.advance(SECOND);
    Trace second = streams.browser().record(pushed.partitionId(), "tx", ended).orElseThrow();

    assertThat(first.note()).isEqualTo(began);
    assertThat(second.at()).isEqualTo(instant());
    assertThat(streams.browser().traces(pushed.partitionId(), "tx")).containsExactly(first, second);
    assertThat(streams.browser().tracesNamed("order-1", 10)).containsExactly(second, first);
    assertThat(streams.browser().tracesNamed("order-1", 1)).containsExactly(second);
    assertThat(streams.browser().tracesNamed("slow", 10)).containsExactly(first);
    assertThat(streams.browser().tracesNamed("nobody's", 10)).isEmpty();
    assertThat(streams.browser().record(pushed.partitionId(), "nobody's", began)).isEmpty();
    assertThat(streams.browser().traces(pushed.partitionId(), "nobody's")).isEmpty();
  }
}
