package io.holdfast.testkit.stream;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.stream.NewMessage;
import io.holdfast.stream.PopRequest;
import io.holdfast.stream.PopSource;
import io.holdfast.stream.Popped;
import io.holdfast.stream.Position;
import io.holdfast.stream.Start;
import io.holdfast.stream.Verdict;
import io.holdfast.testkit.Guarantee;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Groups that come late to thousands of partitions. */
public abstract class StreamSeedingContract extends StreamOperatorSuite {
  private static final Duration SECOND = Duration.ofSeconds(1);

  private void pushPartitions(int from, int to) {
    List<NewMessage> messages = new ArrayList<>();
    for (int i = from; i < to; i++) {
      messages.add(NewMessage.to(QUEUE, "m" + i).in("p" + i));
    }
    streams.push(messages);
  }

  @Test
  @Guarantee("S78")
  void a_late_group_over_5_000_partitions_misses_none() {
    pushPartitions(0, 2_500);
    pushPartitions(2_500, 5_000);
    Set<String> seen = new HashSet<>();

    Popped first = pop(1_000);
    seen.addAll(texts(first));
    ack(first, Verdict.COMPLETED);
    pushPartitions(5_000, 5_100);
    List<String> rest = drained(GROUP);
    seen.addAll(rest);

    assertThat(rest).hasSize(5_099);
    assertThat(seen).hasSize(5_100);
    assertThat(group(GROUP).isSeeded()).isTrue();
    assertThat(group(GROUP).lag()).isZero();
  }

  @Test
  @Guarantee("S78")
  void the_first_pop_finds_what_lies_behind_thousands_of_empty_partitions() {
    List<NewMessage> many = new ArrayList<>();
    for (int i = 0; i < 2_500; i++) {
      many.add(NewMessage.to("shop.orders", "old").in("p" + i));
    }
    many.add(NewMessage.to("shop.orders", "old").in("the last by name and by number"));
    streams.push(many);
    time.advance(SECOND);
    Start here = Start.at(instant());
    time.advance(SECOND);
    NewMessage late = NewMessage.to("shop.orders", "new").in("the last by name and by number");
    streams.push(List.of(late));

    PopRequest byName = PopRequest.of("shop.orders").group("named").startingAt(here);
    assertThat(texts(streams.pop(byName))).containsExactly("new");
    PopRequest byLabel =
        PopRequest.of(PopSource.labels("shop", null)).group("labelled").startingAt(here);
    assertThat(texts(streams.pop(byLabel))).containsExactly("new");
  }

  @Test
  @Guarantee("S78")
  void what_pops_have_not_seeded_is_seeded_in_the_background() {
    pushPartitions(0, 2_500);
    assertThat(pop(1).isEmpty()).isFalse();
    assertThat(group(GROUP).isSeeded()).isFalse();

    pass(UPKEEP);

    assertThat(group(GROUP).isSeeded()).isTrue();
    assertThat(streams.admin().cursors(QUEUE, GROUP, null, 10_000)).hasSize(2_500);
  }

  @Test
  @Guarantee({"S75", "S78"})
  void seek_also_moves_cursors_that_were_not_there_yet() {
    pushPartitions(0, 1_500);
    assertThat(pop(1).isEmpty()).isFalse();

    assertThat(streams.admin().seek(QUEUE, GROUP, null, Position.END)).isEqualTo(1_500);

    assertThat(drained(GROUP)).isEmpty();
    assertThat(group(GROUP).lag()).isZero();
  }
}
