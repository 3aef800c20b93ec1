package io.holdfast.testkit.stream;

import static io.holdfast.stream.StreamError.LEASE_LOST;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.holdfast.stream.DeadLetter;
import io.holdfast.stream.DeadLetterQuery;
import io.holdfast.stream.Dropped;
import io.holdfast.stream.GroupInfo;
import io.holdfast.stream.NewMessage;
import io.holdfast.stream.PopRequest;
import io.holdfast.stream.Popped;
import io.holdfast.stream.StreamConfig;
import io.holdfast.stream.StreamMonitor;
import io.holdfast.stream.StreamOption;
import io.holdfast.stream.Verdict;
import io.holdfast.testkit.Guarantee;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What a queue drops, when, and what it never drops. */
public abstract class StreamRetentionContract extends StreamOperatorSuite {
  private StreamConfig retaining(StreamOption option) {
    return config().with(StreamOption.RETENTION_ENABLED, true).with(option, 60);
  }

  /** Makes a group known without reading anything. */
  private void register(String group) {
    Popped popped = popFor(group, 1);
    if (!popped.isEmpty()) {
      streams.release(lease(popped), null);
    }
  }

  private List<Dropped> dropped() {
    return streams.browser().dropped(QUEUE, 100);
  }

  private StreamMonitor.Tally tally(String group) {
    return streams.browser().tally(QUEUE, group);
  }

  @Test
  @Guarantee("S95")
  void completed_retention_drops_nothing_unread() {
    streams.configure(retaining(StreamOption.COMPLETED_RETENTION));
    push("p", "a", "b", "c");
    drained("fast");
    ack(popFor("slow", 1), Verdict.COMPLETED);

    pass(UPKEEP);

    assertThat(stored()).containsExactly("b", "c");
    assertThat(dropped())
        .extracting(Dropped::reason, Dropped::messages, Dropped::through, Dropped::lost)
        .containsExactly(tuple(Dropped.Reason.COMPLETED, 1L, 1L, 0L));
    assertThat(drained("slow")).containsExactly("b", "c");
    pass(UPKEEP);
    assertThat(stored()).isEmpty();
    assertThat(tally("slow")).isEqualTo(new StreamMonitor.Tally(3, 3, 0, 0));
  }

  @Test
  @Guarantee("S95")
  void without_a_group_nothing_is_completed() {
    streams.configure(retaining(StreamOption.COMPLETED_RETENTION));
    push("p", "a");

    pass(Duration.ofHours(1));

    assertThat(stored()).containsExactly("a");
  }

  @Test
  @Guarantee("S95")
  void a_message_that_was_completed_ahead_of_a_gap_is_not_passed_yet() {
    streams.configure(retaining(StreamOption.COMPLETED_RETENTION).leaseFor(Duration.ofDays(1)));
    push("p", "a", "b");
    ack(pop(2), Verdict.COMPLETED, 1);

    pass(UPKEEP);

    assertThat(stored()).containsExactly("a", "b");
  }

  @Test
  @Guarantee("S95")
  void what_is_younger_stays() {
    streams.configure(retaining(StreamOption.COMPLETED_RETENTION));
    push("p", "old");
    time.advance(Duration.ofSeconds(30));
    push("p", "young");
    drained(GROUP);

    pass(Duration.ofSeconds(31));

    assertThat(stored()).containsExactly("young");
  }

  @Test
  @Guarantee("S96")
  void retention_seconds_drops_unread_messages_and_reports_the_loss() {
    streams.configure(retaining(StreamOption.RETENTION));
    push("p", "a", "b", "c");
    ack(pop(1), Verdict.COMPLETED);
    register("other");

    pass(UPKEEP);
    push("p", "d");

    assertThat(stored()).containsExactly("d");
    assertThat(tally(GROUP)).isEqualTo(new StreamMonitor.Tally(4, 3, 0, 2));
    assertThat(tally("other")).isEqualTo(new StreamMonitor.Tally(4, 3, 0, 3));
    assertThat(dropped())
        .extracting(Dropped::reason, Dropped::messages, Dropped::through, Dropped::lost)
        .containsExactly(tuple(Dropped.Reason.AGE, 3L, 3L, 5L));
    assertThat(texts(pop(5))).containsExactly("d");
    assertThat(drained("other")).containsExactly("d");
  }

  @Test
  @Guarantee("S96")
  void nothing_is_dropped_unless_retention_is_enabled() {
    streams.configure(
        config().with(StreamOption.RETENTION, 60).with(StreamOption.COMPLETED_RETENTION, 60));
    push("p", "a");
    drained(GROUP);

    pass(Duration.ofHours(1));

    assertThat(stored()).containsExactly("a");
    assertThat(dropped()).isEmpty();
  }

  @Test
  @Guarantee("S97")
  void a_live_batch_is_never_dropped() {
    streams.configure(retaining(StreamOption.RETENTION).leaseFor(Duration.ofHours(1)));
    push("p", "a", "b", "c");
    Popped held = pop(2);

    pass(UPKEEP);
    pass(UPKEEP);

    assertThat(stored()).containsExactly("a", "b", "c");
    assertThat(ack(held, Verdict.COMPLETED)).allMatch(acked -> acked.isSuccess());
    pass(UPKEEP);
    assertThat(stored()).isEmpty();
    assertThat(tally(GROUP)).isEqualTo(new StreamMonitor.Tally(3, 3, 0, 1));
  }

  @Test
  @Guarantee("S97")
  void a_message_under_retry_is_not_dropped() {
    streams.configure(retaining(StreamOption.RETENTION).retrying(3, Duration.ofMinutes(30)));
    push("p", "a");
    ack(pop(1), Verdict.FAILED, "boom");

    pass(UPKEEP);

    assertThat(stored()).containsExactly("a");
    pass(Duration.ofMinutes(30));
    assertThat(drained(GROUP)).containsExactly("a");
    pass(UPKEEP);
    assertThat(stored()).isEmpty();
    assertThat(tally(GROUP).lost()).isZero();
  }

  @Test
  @Guarantee("S98")
  void every_drop_is_logged() {
    streams.configure(retaining(StreamOption.RETENTION));
    push("p", "a", "b");
    push("q", "c");
    pass(UPKEEP);
    push("p", "d");
    pass(UPKEEP);

    List<Dropped> log = dropped();
    assertThat(log.get(0))
        .isEqualTo(new Dropped(QUEUE, "p", Dropped.Reason.AGE, 1, 3, 0, instant()));
    assertThat(log.subList(1, log.size()))
        .extracting(Dropped::partition, Dropped::messages, Dropped::through)
        .containsExactlyInAnyOrder(tuple("p", 2L, 2L), tuple("q", 1L, 1L));
    assertThat(log.get(1).at()).isEqualTo(instant().minus(UPKEEP));
    assertThat(streams.browser().dropped(null, 1)).containsExactly(log.get(0));
    assertThat(streams.browser().dropped("other", 10)).isEmpty();
  }

  @Test
  @Guarantee("S95")
  void partitions_that_are_held_back_do_not_keep_others_from_being_dropped() {
    streams.configure(retaining(StreamOption.COMPLETED_RETENTION));
    List<NewMessage> unread = new ArrayList<>();
    for (int i = 0; i < 600; i++) {
      unread.add(NewMessage.to(QUEUE, "unread").in("u" + i));
    }
    streams.push(unread);
    time.advance(Duration.ofSeconds(1));
    push("p", "read");
    ack(popOf("p", 1), Verdict.COMPLETED);

    pass(UPKEEP);
    pass(UPKEEP);
    pass(UPKEEP);

    assertThat(dropped())
        .extracting(Dropped::partition, Dropped::messages)
        .containsExactly(tuple("p", 1L));
  }

  @Test
  @Guarantee("S98")
  void many_messages_are_dropped_completely_and_all_are_logged() {
    streams.configure(retaining(StreamOption.RETENTION));
    streams.push(numbered("p", 2_500));

    pass(UPKEEP);

    assertThat(stored()).isEmpty();
    assertThat(dropped().stream().mapToLong(Dropped::messages).sum()).isEqualTo(2_500);
    assertThat(dropped().get(0).through()).isEqualTo(2_500);
  }

  @Test
  @Guarantee("S98")
  void what_waited_too_long_is_dropped_and_logged() {
    streams.configure(config().with(StreamOption.MAX_WAIT_TIME, 60));
    register(GROUP);
    push("p", "a", "b");
    register(GROUP);

    pass(UPKEEP);

    assertThat(stored()).isEmpty();
    assertThat(dropped())
        .extracting(Dropped::reason, Dropped::messages)
        .containsExactly(tuple(Dropped.Reason.MAX_WAIT, 2L));
    assertThat(tally(GROUP)).isEqualTo(new StreamMonitor.Tally(2, 2, 2, 0));
    assertThat(pop(5).isEmpty()).isTrue();
  }

  @Test
  @Guarantee("S98")
  void what_waited_too_long_can_become_a_dead_letter_before_it_goes() {
    streams.configure(
        config()
            .with(StreamOption.MAX_WAIT_TIME, 60)
            .with(StreamOption.MAX_WAIT_ACTION, "deadLetter"));
    push("p", "a");
    register(GROUP);

    pass(UPKEEP);
    assertThat(stored()).containsExactly("a");
    assertThat(pop(5).isEmpty()).isTrue();

    List<DeadLetter> letters = streams.deadLetters().list(DeadLetterQuery.of(QUEUE));
    assertThat(letters)
        .extracting(letter -> letter.failure().reason())
        .containsExactly(DeadLetter.Reason.MAX_WAIT);
    pass(UPKEEP);
    assertThat(stored()).isEmpty();
    assertThat(letters.get(0).message().payload().text()).isEqualTo("a");
  }

  @Test
  @Guarantee("S95")
  void an_abandoned_group_holds_back_nothing_and_is_flagged() {
    streams.configure(
        retaining(StreamOption.COMPLETED_RETENTION).with(StreamOption.ABANDONED_GROUP, 300));
    push("p", "a", "b");
    register("silent");
    pass(Duration.ofSeconds(240));
    drained("fast");
    pass(UPKEEP);

    assertThat(stored()).isEmpty();
    assertThat(streams.admin().groups(QUEUE))
        .extracting(GroupInfo::name, GroupInfo::isAbandoned)
        .containsExactly(tuple("fast", false), tuple("silent", true));
    push("p", "c");
    assertThat(drained("silent")).containsExactly("c");
    assertThat(tally("silent")).isEqualTo(new StreamMonitor.Tally(3, 3, 0, 2));
    assertThat(streams.admin().groups(QUEUE)).noneMatch(GroupInfo::isAbandoned);
  }

  @Test
  @Guarantee("S97")
  void the_batch_of_an_abandoned_group_is_lost_with_its_messages() {
    streams.configure(
        retaining(StreamOption.RETENTION)
            .leaseFor(Duration.ofHours(10))
            .with(StreamOption.ABANDONED_GROUP, 300));
    push("p", "a");
    Popped held = pop(1);

    pass(Duration.ofSeconds(400));

    assertThat(stored()).isEmpty();
    assertThat(ack(held, Verdict.FAILED).get(0).error()).isEqualTo(LEASE_LOST);
    assertThat(tally(GROUP)).isEqualTo(new StreamMonitor.Tally(1, 1, 0, 1));
    push("p", "b");
    assertThat(drained(GROUP)).containsExactly("b");
  }

  @Test
  @Guarantee({"S96", "S98"})
  void everything_pushed_is_completed_or_dead_or_dropped_or_pending() {
    streams.configure(
        retaining(StreamOption.RETENTION)
            .with(StreamOption.MAX_WAIT_TIME, 40)
            .retrying(0, Duration.ZERO));
    long completed = 0;
    long dead = 0;
    for (int round = 0; round < 6; round++) {
      streams.push(numbered("p" + round % 3, 7));
      Popped popped = streams.pop(request(4).partitions(2));
      List<Verdict> verdicts = new ArrayList<>();
      for (int i = 0; i < popped.batches().get(0).deliveries().size(); i++) {
        verdicts.add(i == 1 ? Verdict.FAILED : Verdict.COMPLETED);
        ack(popped, verdicts.get(i), i);
      }
      dead += verdicts.stream().filter(v -> v == Verdict.FAILED).count();
      completed += verdicts.stream().filter(v -> v == Verdict.COMPLETED).count();
      pass(Duration.ofSeconds(25));
      StreamMonitor.Tally tally = tally(GROUP);
      assertThat(tally.passed()).isEqualTo(completed + dead + tally.expired() + tally.lost());
    }
    StreamMonitor.Tally before = tally(GROUP);
    long pending = before.pending();

    long rest = drained(PopRequest.of(QUEUE).group(GROUP)).size();

    StreamMonitor.Tally after = tally(GROUP);
    assertThat(after.pushed()).isEqualTo(42);
    assertThat(after.pending()).isZero();
    assertThat(pending).isEqualTo(rest + after.expired() - before.expired());
    assertThat(dead).isEqualTo(streams.deadLetters().list(DeadLetterQuery.of(QUEUE)).size());
    assertThat(after.expired() + after.lost()).isPositive();
  }
}
