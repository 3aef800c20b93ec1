package io.holdfast.testkit.stream;

import static io.holdfast.stream.Redriven.Outcome.FULL;
import static io.holdfast.stream.Redriven.Outcome.GONE;
import static io.holdfast.stream.Redriven.Outcome.MOVED;
import static io.holdfast.stream.StreamError.INVALID_ARGUMENT;
import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.stream.DeadLetter;
import io.holdfast.stream.DeadLetterQuery;
import io.holdfast.stream.Message;
import io.holdfast.stream.NewMessage;
import io.holdfast.stream.Payload;
import io.holdfast.stream.PopRequest;
import io.holdfast.stream.Popped;
import io.holdfast.stream.Pushed;
import io.holdfast.stream.Redrive;
import io.holdfast.stream.Redriven;
import io.holdfast.stream.StreamConfig;
import io.holdfast.stream.StreamOption;
import io.holdfast.stream.Streams;
import io.holdfast.stream.TimeRange;
import io.holdfast.stream.Verdict;
import io.holdfast.testkit.Guarantee;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import org.junit.jupiter.api.Test;

/** Messages that were given up: what is kept of them, and the way back. */
public abstract class StreamDeadLetterContract extends StreamOperatorSuite {
  private static final UUID TRACE = new UUID(7, 7);

  private List<DeadLetter> letters() {
    return streams.deadLetters().list(DeadLetterQuery.of(QUEUE));
  }

  private Redriven redriven(DeadLetter letter, Redrive how) {
    return streams.deadLetters().redrive(List.of(letter.id()), how).get(0);
  }

  private static List<String> textsOf(List<DeadLetter> letters) {
    return letters.stream().map(letter -> letter.message().payload().text()).toList();
  }

  @Test
  @Guarantee("S87")
  void a_dead_letter_keeps_payload_error_counts_and_times_after_retention() {
    streams.configure(
        config()
            .retrying(1, Duration.ZERO)
            .with(StreamOption.RETENTION_ENABLED, true)
            .with(StreamOption.RETENTION, 60));
    Instant pushedAt = instant();
    NewMessage message = NewMessage.to(QUEUE, "poison").in("p").once("tx").traced(TRACE);
    Pushed pushed = streams.push(List.of(message), producer()).get(0);
    ack(pop(1), Verdict.FAILED, "first");
    time.advance(Duration.ofSeconds(5));
    ack(pop(1), Verdict.FAILED, "second");
    Instant failedAt = instant();

    pass(UPKEEP);
    pass(UPKEEP);

    assertThat(stored()).isEmpty();
    DeadLetter letter = letters().get(0);
    Message.Place place = new Message.Place(QUEUE, "p", pushed.partitionId(), 1);
    assertThat(letter.group()).isEqualTo(GROUP);
    assertThat(letter.isEncrypted()).isFalse();
    assertThat(letter.message())
        .isEqualTo(
            new Message(
                place,
                pushed.messageId(),
                "tx",
                TRACE,
                Payload.of("poison"),
                pushedAt,
                producer()));
    assertThat(letter.failure())
        .isEqualTo(new DeadLetter.Failure(DeadLetter.Reason.RETRY_LIMIT, "second", 2, 2, failedAt));
    assertThat(streams.deadLetters().get(letter.id())).contains(letter);
  }

  @Test
  @Guarantee("S87")
  void a_verdict_is_a_reason_of_its_own() {
    DeadLetter letter = buried("p", "a", "never");

    assertThat(letter.failure())
        .isEqualTo(new DeadLetter.Failure(DeadLetter.Reason.VERDICT, "never", 0, 1, instant()));
    assertThat(streams.deadLetters().get(UUID.randomUUID())).isEmpty();
    assertThat(streams.deadLetters().get(new UUID(0, 0))).isEmpty();
  }

  @Test
  @Guarantee("S88")
  void redrive_is_an_atomic_move_to_the_failing_group_only() {
    streams.push(List.of(NewMessage.to(QUEUE, "a").in("p").traced(TRACE)), producer());
    drained("other");
    DeadLetter letter = buriedHead("p", "no");
    push("p", "b");

    Redriven redriven = redriven(letter, Redrive.BACK);

    assertThat(redriven.outcome()).isEqualTo(MOVED);
    assertThat(letters()).isEmpty();
    Popped popped = pop(10);
    assertThat(texts(popped)).containsExactly("b", "a");
    Message again = popped.messages().get(1);
    assertThat(again.id()).isEqualTo(redriven.messageId());
    assertThat(again.transactionId()).isEqualTo("redrive:" + letter.id());
    assertThat(again.traceId()).isEqualTo(TRACE);
    assertThat(again.producer()).isEqualTo(producer());
    assertThat(attempts(popped)).containsExactly(1, 1);
    assertThat(drained("other")).containsExactly("b");
    push("p", "c");
    assertThat(drained("other")).containsExactly("c");
    assertThat(drained("late")).containsExactly("a", "b", "c");
  }

  @Test
  @Guarantee("S89")
  void two_redrives_of_one_letter_move_it_once() {
    DeadLetter letter = buried("p", "a", "no");
    Streams there = process();
    CyclicBarrier together = new CyclicBarrier(2);

    List<CompletableFuture<Redriven>> both = new ArrayList<>();
    for (Streams service : List.of(streams, there)) {
      both.add(
          CompletableFuture.supplyAsync(
              () -> {
                meet(together);
                return service.deadLetters().redrive(List.of(letter.id()), Redrive.BACK).get(0);
              },
              crew));
    }

    assertThat(List.of(now(both.get(0)).outcome(), now(both.get(1)).outcome()))
        .containsExactlyInAnyOrder(MOVED, GONE);
    assertThat(drained(GROUP)).containsExactly("a");
  }

  private static void meet(CyclicBarrier barrier) {
    try {
      barrier.await();
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  @Test
  @Guarantee("S89")
  void a_letter_that_was_moved_is_gone() {
    DeadLetter letter = buried("p", "a", "no");

    List<Redriven> redriven =
        streams
            .deadLetters()
            .redrive(List.of(letter.id(), letter.id(), UUID.randomUUID()), Redrive.BACK);

    assertThat(redriven).extracting(Redriven::outcome).containsExactly(MOVED, GONE, GONE);
    assertThat(redriven.get(1).messageId()).isNull();
    assertThat(redriven.get(1).deadLetterId()).isEqualTo(letter.id());
  }

  @Test
  void letters_are_listed_newest_first_by_every_filter() {
    Instant begin = instant();
    buried("p", "a", "no");
    time.advance(Duration.ofSeconds(10));
    buried("q", "b", "no");
    time.advance(Duration.ofSeconds(10));
    ack(streams.pop(PopRequest.of(QUEUE).group("other").partition("p")), Verdict.DEAD_LETTER, "x");
    streams.push(List.of(NewMessage.to("elsewhere", "c")));
    ack(streams.pop(PopRequest.of("elsewhere").group(GROUP)), Verdict.DEAD_LETTER, "x");

    DeadLetterQuery all = DeadLetterQuery.of(QUEUE);
    assertThat(textsOf(streams.deadLetters().list(all))).containsExactly("a", "b", "a");
    assertThat(textsOf(streams.deadLetters().list(all.group(GROUP)))).containsExactly("b", "a");
    assertThat(streams.deadLetters().list(all.partition("p"))).hasSize(2);
    assertThat(streams.deadLetters().list(all.partition("p").group("other"))).hasSize(1);
    TimeRange middle = new TimeRange(begin.plusSeconds(10), begin.plusSeconds(20));
    assertThat(textsOf(streams.deadLetters().list(all.failed(middle)))).containsExactly("b");
    assertThat(streams.deadLetters().list(DeadLetterQuery.of(null))).hasSize(4);
    assertThat(streams.deadLetters().list(all.limit(2))).hasSize(2);
    failing(INVALID_ARGUMENT, () -> streams.deadLetters().list(all.limit(0)));
  }

  @Test
  void pages_of_letters_neither_miss_nor_repeat_while_more_come() {
    for (int i = 0; i < 7; i++) {
      buried("p", "m" + i, "no");
    }
    List<String> seen = new ArrayList<>();
    DeadLetterQuery query = DeadLetterQuery.of(QUEUE).limit(3);

    List<DeadLetter> page = streams.deadLetters().list(query);
    while (!page.isEmpty()) {
      seen.addAll(textsOf(page));
      time.advance(Duration.ofMillis(1));
      buried("p", "later", "no");
      DeadLetter last = page.get(page.size() - 1);
      query = query.after(last.key());
      page = streams.deadLetters().list(query);
    }

    assertThat(seen).containsExactlyInAnyOrder("m0", "m1", "m2", "m3", "m4", "m5", "m6");
  }

  @Test
  void purge_deletes_what_its_query_finds_and_no_more() {
    buried("p", "a", "no");
    buried("p", "b", "no");
    buried("q", "c", "no");

    assertThat(streams.deadLetters().purge(DeadLetterQuery.of(QUEUE).partition("p").limit(1)))
        .isEqualTo(1);
    assertThat(letters()).hasSize(2);
    assertThat(streams.deadLetters().purge(DeadLetterQuery.of(QUEUE).group("other"))).isZero();
    assertThat(streams.deadLetters().purge(DeadLetterQuery.of(QUEUE).partition("p"))).isEqualTo(1);
    assertThat(textsOf(letters())).containsExactly("c");
    failing(
        INVALID_ARGUMENT,
        () -> streams.deadLetters().purge(DeadLetterQuery.of(QUEUE).limit(10_001)));
  }

  @Test
  void redrive_moves_what_a_query_finds() {
    buried("p", "a", "no");
    buried("q", "b", "no");

    List<Redriven> redriven =
        streams.deadLetters().redrive(DeadLetterQuery.of(QUEUE).partition("q"), Redrive.BACK);

    assertThat(redriven).extracting(Redriven::outcome).containsExactly(MOVED);
    assertThat(drained(GROUP)).containsExactly("b");
    assertThat(textsOf(letters())).containsExactly("a");
  }

  @Test
  void redrive_to_all_groups_brings_it_to_everybody() {
    push("p", "a");
    drained("other");
    DeadLetter letter = buriedHead("p", "no");

    redriven(letter, new Redrive(true, null, null, null));

    assertThat(drained("other")).containsExactly("a");
    assertThat(drained(GROUP)).containsExactly("a");
  }

  @Test
  void redrive_goes_to_another_partition_and_queue_that_need_not_exist() {
    DeadLetter one = buried("p", "a", "no");
    DeadLetter two = buried("q", "b", "no");

    assertThat(redriven(one, new Redrive(false, null, "repaired", null)).outcome())
        .isEqualTo(MOVED);
    assertThat(redriven(two, new Redrive(false, "elsewhere", "r", null)).outcome())
        .isEqualTo(MOVED);

    Popped here = popOf("repaired", 5);
    assertThat(texts(here)).containsExactly("a");
    Popped there = streams.pop(PopRequest.of("elsewhere").group("anybody").partition("r"));
    assertThat(texts(there)).containsExactly("b");
    assertThat(there.messages().get(0).transactionId()).isEqualTo("redrive:" + two.id());
  }

  @Test
  void redrive_takes_an_edited_payload() {
    DeadLetter letter = buried("p", "broken", "no");

    redriven(letter, new Redrive(false, null, null, Payload.of("mended")));

    assertThat(drained(GROUP)).containsExactly("mended");
  }

  @Test
  void redrive_into_a_full_queue_leaves_the_letter_where_it_is() {
    DeadLetter letter = buried("p", "a", "no");
    streams.configure(StreamConfig.of("small").maxSize(1));
    streams.push(List.of(NewMessage.to("small", "x")));
    Redrive there = new Redrive(false, "small", null, null);

    Redriven full = redriven(letter, there);
    assertThat(full.outcome()).isEqualTo(FULL);
    assertThat(full.messageId()).isNull();
    assertThat(letters()).containsExactly(letter);

    Popped room = streams.pop(PopRequest.of("small"));
    ack(room, Verdict.COMPLETED);
    assertThat(redriven(letter, there).outcome()).isEqualTo(MOVED);
    assertThat(letters()).isEmpty();
  }

  @Test
  void a_pause_of_pushes_does_not_refuse_a_redrive() {
    DeadLetter letter = buried("p", "a", "no");
    streams.admin().pausePush(QUEUE);

    assertThat(redriven(letter, Redrive.BACK).outcome()).isEqualTo(MOVED);
    assertThat(drained(GROUP)).containsExactly("a");
  }

  @Test
  void redrive_wakes_who_waits() {
    DeadLetter letter = buried("p", "a", "no");
    CompletableFuture<Popped> waiting = parked(request(1));

    redriven(letter, Redrive.BACK);

    assertThat(texts(now(waiting))).containsExactly("a");
  }

  @Test
  void large_letters_make_a_page_short_and_none_is_left_out_or_behind() {
    String large = "x".repeat(3 << 20);
    for (int i = 0; i < 7; i++) {
      buried("p", i + large, "too large");
      time.advance(Duration.ofMillis(1));
    }

    List<String> seen = new ArrayList<>();
    List<DeadLetter> page = letters();
    assertThat(page).as("at most 16 MiB").hasSizeBetween(1, 5);
    while (!page.isEmpty()) {
      textsOf(page).forEach(text -> seen.add(text.substring(0, 1)));
      DeadLetter last = page.get(page.size() - 1);
      page = streams.deadLetters().list(DeadLetterQuery.of(QUEUE).after(last.key()));
    }
    assertThat(seen).containsExactly("6", "5", "4", "3", "2", "1", "0");
    assertThat(streams.deadLetters().redrive(DeadLetterQuery.of(QUEUE), Redrive.BACK)).hasSize(7);
  }

  @Test
  void letters_of_a_deleted_queue_are_gone() {
    DeadLetter letter = buried("p", "a", "no");

    streams.delete(QUEUE);
    push("p", "b");

    assertThat(letters()).isEmpty();
    assertThat(redriven(letter, Redrive.BACK).outcome()).isEqualTo(GONE);
  }
}
