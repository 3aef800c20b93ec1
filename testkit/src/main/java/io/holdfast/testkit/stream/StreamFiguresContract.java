package io.holdfast.testkit.stream;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.stream.DeadLetterQuery;
import io.holdfast.stream.DeadLetters;
import io.holdfast.stream.PartitionInfo;
import io.holdfast.stream.Payload;
import io.holdfast.stream.PopRequest;
import io.holdfast.stream.Pushed;
import io.holdfast.stream.QueueFigures;
import io.holdfast.stream.StreamBrowser;
import io.holdfast.stream.StreamConfig;
import io.holdfast.stream.Trace;
import io.holdfast.stream.TraceName;
import io.holdfast.stream.Verdict;
import io.holdfast.testkit.Guarantee;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What an operator sees of sizes: queues, partitions, dead letters, names of notes. */
public abstract class StreamFiguresContract extends StreamSuite {
  private static final Duration SECOND = Duration.ofSeconds(1);

  private StreamBrowser browser() {
    return streams.browser();
  }

  @Test
  @Guarantee("S108")
  void a_partition_is_found_by_its_id_and_by_its_name() {
    Instant first = instant();
    Pushed pushed = push("p", "a").get(0);
    time.advance(SECOND);
    push("p", "b", "c");
    push("q", "x");

    PartitionInfo found = browser().partition(QUEUE, "p").orElseThrow();

    assertThat(found.queue()).isEqualTo(QUEUE);
    assertThat(found.name()).isEqualTo("p");
    assertThat(found.id()).isEqualTo(pushed.partitionId());
    assertThat(found.offsets()).isEqualTo(new PartitionInfo.Offsets(1, 3));
    assertThat(found.createdAt()).isEqualTo(first);
    assertThat(found.oldestAt()).isEqualTo(first);
    assertThat(found.newestAt()).isEqualTo(first.plus(SECOND));
    assertThat(browser().partition(found.id())).contains(found);
  }

  @Test
  @Guarantee("S108")
  void a_partition_that_nobody_pushed_to_is_empty() {
    streams.configure(config());

    PartitionInfo empty = browser().partition(QUEUE, "Default").orElseThrow();

    assertThat(empty.offsets()).isEqualTo(new PartitionInfo.Offsets(1, 0));
    assertThat(empty.offsets().retained()).isZero();
    assertThat(empty.oldestAt()).isNull();
    assertThat(empty.newestAt()).isNull();
  }

  @Test
  @Guarantee("S108")
  void a_partition_that_is_not_there_is_not_found() {
    push("p", "a");
    UUID deleted = browser().partition(QUEUE, "p").orElseThrow().id();

    assertThat(browser().partition(QUEUE, "q")).isEmpty();
    assertThat(browser().partition("nowhere", "p")).isEmpty();
    assertThat(browser().partition(UUID.randomUUID())).isEmpty();
    streams.delete(QUEUE);
    assertThat(browser().partition(deleted)).isEmpty();
    assertThat(browser().partition(QUEUE, "p")).isEmpty();
  }

  @Test
  @Guarantee("S105")
  void partitions_come_page_by_page_in_the_order_of_their_names() {
    for (String name : List.of("d", "b", "a", "c", "B")) {
      push(name, "m");
    }

    assertThat(names(null, 2)).containsExactly("B", "a");
    assertThat(names("a", 2)).containsExactly("b", "c");
    push("aa", "between");
    assertThat(names("c", 10)).containsExactly("d");
    assertThat(names(null, 10)).containsExactly("B", "a", "aa", "b", "c", "d");
    assertThat(browser().partitions("nowhere", null, 10)).isEmpty();
  }

  private List<String> names(@Nullable String after, int limit) {
    return browser().partitions(QUEUE, after, limit).stream().map(PartitionInfo::name).toList();
  }

  @Test
  @Guarantee("S108")
  void figures_count_what_was_pushed_what_is_left_and_what_is_dead() {
    push("p", "a", "b");
    push("q", "c");
    streams.configure(StreamConfig.of("empty"));
    ack(streams.pop(request(1).partition("p")), Verdict.DEAD_LETTER);

    assertThat(browser().figures(QUEUE)).containsExactly(new QueueFigures(QUEUE, 2, 3, 3, 1));
    assertThat(browser().figures(null))
        .containsExactlyInAnyOrder(
            new QueueFigures(QUEUE, 2, 3, 3, 1), new QueueFigures("empty", 1, 0, 0, 0));
    assertThat(browser().figures("nowhere")).isEmpty();
  }

  @Test
  @Guarantee("S87")
  void dead_letters_are_counted_beyond_a_page() {
    push("p", numbered(5));
    push("q", "x");
    ack(streams.pop(request(5).partition("p")), Verdict.DEAD_LETTER);
    ack(streams.pop(request(1).partition("q")), Verdict.DEAD_LETTER);
    ack(streams.pop(PopRequest.of(QUEUE).group("other").partition("q")), Verdict.DEAD_LETTER);
    DeadLetterQuery all = DeadLetterQuery.of(QUEUE);

    assertThat(streams.deadLetters().list(all.limit(2))).hasSize(2);
    assertThat(streams.deadLetters().count(all.limit(2))).isEqualTo(7);
    assertThat(streams.deadLetters().count(all.partition("p"))).isEqualTo(5);
    assertThat(streams.deadLetters().count(all.group("other"))).isEqualTo(1);
    assertThat(streams.deadLetters().count(DeadLetterQuery.of(null))).isEqualTo(7);
    assertThat(streams.deadLetters().count(DeadLetterQuery.of("nowhere"))).isZero();
    assertThat(streams.deadLetters().countByPartition(all))
        .containsExactlyInAnyOrder(
            new DeadLetters.Count(QUEUE, "p", 5), new DeadLetters.Count(QUEUE, "q", 2));
    assertThat(streams.deadLetters().countByPartition(all.group("other")))
        .containsExactly(new DeadLetters.Count(QUEUE, "q", 1));
  }

  @Test
  void names_of_notes_come_with_their_counts_the_last_used_first() {
    Pushed a = push("p", "a").get(0);
    Pushed b = push("p", "b").get(0);
    note(a, "checkout", "audit");
    time.advance(SECOND);
    note(a, "checkout");
    note(b, "checkout");
    Instant last = instant();

    assertThat(browser().traceNames(10))
        .containsExactly(
            new TraceName("checkout", 3, 2, last),
            new TraceName("audit", 1, 1, last.minus(SECOND)));
    assertThat(browser().traceNames(1)).hasSize(1);
    time.advance(SECOND);
    note(b, "audit");
    assertThat(browser().traceNames(10)).extracting(TraceName::name).startsWith("audit");
  }

  private void note(Pushed about, String... names) {
    Trace.Note note = new Trace.Note(GROUP, "seen", Payload.of("{}"), List.of(names));
    assertThat(browser().record(about.partitionId(), about.transactionId(), note)).isPresent();
  }
}
