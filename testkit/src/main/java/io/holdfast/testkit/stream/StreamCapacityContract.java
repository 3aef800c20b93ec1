package io.holdfast.testkit.stream;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.stream.Depth;
import io.holdfast.stream.GroupInfo;
import io.holdfast.stream.NewMessage;
import io.holdfast.stream.Popped;
import io.holdfast.stream.Pushed;
import io.holdfast.stream.Pushed.Capacity;
import io.holdfast.stream.Pushed.Status;
import io.holdfast.stream.QueueFullException;
import io.holdfast.stream.Start;
import io.holdfast.stream.StreamError;
import io.holdfast.stream.StreamOption;
import io.holdfast.stream.Verdict;
import io.holdfast.testkit.Guarantee;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** How much a limited queue takes. */
public abstract class StreamCapacityContract extends StreamSuite {
  private static final String SLOW = "slow";

  private QueueFullException full(String partition, String... texts) {
    return (QueueFullException) failing(StreamError.QUEUE_FULL, () -> push(partition, texts));
  }

  private Depth depth() {
    return streams.browser().depth(QUEUE);
  }

  @Test
  @Guarantee("S16")
  void a_push_beyond_capacity_fails_with_queue_full_and_stores_nothing() {
    streams.configure(config().maxSize(3));
    push("p", "a", "b");
    push("q", "c");

    QueueFullException failure = full("r", "d");

    assertThat(failure.queue()).isEqualTo(QUEUE);
    assertThat(failure.depth()).isEqualTo(3);
    assertThat(failure.maxSize()).isEqualTo(3);
    assertThat(failure.remaining()).isZero();
    assertThat(failure).hasMessageContaining("is full");
    assertThat(stored()).containsExactly("a", "b", "c");
    assertThat(depth()).isEqualTo(new Depth(QUEUE, 3, 3, 0L));
  }

  @Test
  @Guarantee("S17")
  void a_batch_fits_entirely_or_not_at_all() {
    streams.configure(config().maxSize(3));
    push("p", "a");

    QueueFullException failure = full("p", "b", "c", "d");

    assertThat(failure.depth()).isEqualTo(1);
    assertThat(failure.remaining()).isEqualTo(2);
    assertThat(stored()).containsExactly("a");
    push("p", "e", "f");
    assertThat(stored()).containsExactly("a", "e", "f");
  }

  @Test
  @Guarantee("S17")
  void a_full_queue_refuses_the_whole_push_also_what_is_for_other_queues() {
    streams.configure(config().maxSize(1));
    push("p", "a");
    List<NewMessage> both =
        List.of(NewMessage.to("other", "x").in("p"), NewMessage.to(QUEUE, "y").in("p"));

    failing(StreamError.QUEUE_FULL, () -> streams.push(both));

    assertThat(stored()).containsExactly("a");
    assertThat(stored("other")).isEmpty();
    assertThat(streams.push(both.subList(0, 1)).get(0).offset()).isEqualTo(1);
  }

  @Test
  @Guarantee("S18")
  void depth_and_remaining_capacity_are_returned() {
    streams.configure(config().maxSize(10));
    List<Pushed> pushed =
        streams.push(
            List.of(
                NewMessage.to(QUEUE, "a").in("p"),
                NewMessage.to("unlimited", "b").in("p"),
                NewMessage.to(QUEUE, "c").in("q")));

    assertThat(pushed)
        .extracting(Pushed::capacity)
        .containsExactly(new Capacity(2, 8), null, new Capacity(2, 8));
    assertThat(push("p", "d").get(0).capacity()).isEqualTo(new Capacity(3, 7));
    assertThat(depth()).isEqualTo(new Depth(QUEUE, 3, 10, 7L));
    assertThat(streams.browser().depths())
        .containsExactlyInAnyOrder(new Depth(QUEUE, 3, 10, 7L), new Depth("unlimited", 1, 0, null));
  }

  @Test
  @Guarantee("S18")
  void a_queue_that_was_made_smaller_than_its_depth_has_no_room_left() {
    push("p", "a", "b", "c");
    streams.configure(config().maxSize(2));

    assertThat(full("p", "d").remaining()).isZero();
    assertThat(depth()).isEqualTo(new Depth(QUEUE, 3, 2, 0L));
  }

  @Test
  @Guarantee("S19")
  void an_ack_frees_capacity() {
    streams.configure(config().maxSize(3));
    push("p", "a", "b", "c");
    Popped popped = pop(3);
    full("p", "d");

    ack(popped, Verdict.COMPLETED, 2);
    full("p", "d");
    ack(popped, Verdict.COMPLETED, 0);
    assertThat(push("p", "d").get(0).capacity()).isEqualTo(new Capacity(3, 0));
    full("p", "e");
    ack(popped, Verdict.DEAD_LETTER, 1);

    assertThat(depth().depth()).isEqualTo(1);
    push("p", "e", "f");
    full("p", "g");
  }

  @Test
  @Guarantee("S20")
  void capacity_zero_means_unlimited() {
    streams.configure(config().maxSize(1));
    push("p", "a");
    full("p", "b");

    streams.configure(config().maxSize(0));
    List<Pushed> pushed =
        streams.push(
            Stream.of(numbered(2000)).map(text -> NewMessage.to(QUEUE, text).in("p")).toList());

    assertThat(pushed).allMatch(one -> one.capacity() == null);
    assertThat(depth()).isEqualTo(new Depth(QUEUE, 2001, 0, null));
  }

  @Test
  @Guarantee("S21")
  void duplicates_use_no_capacity() {
    streams.configure(config().maxSize(2));
    NewMessage first = NewMessage.to(QUEUE, "a").in("p").once("1");
    NewMessage second = NewMessage.to(QUEUE, "b").in("p").once("2");
    streams.push(List.of(first));

    List<Pushed> pushed = streams.push(List.of(first, second, second, first));
    List<Pushed> atTheLimit = streams.push(List.of(second, first));

    assertThat(pushed)
        .extracting(Pushed::status)
        .containsExactly(Status.DUPLICATE, Status.QUEUED, Status.DUPLICATE, Status.DUPLICATE);
    assertThat(atTheLimit).allMatch(one -> one.status() == Status.DUPLICATE);
    assertThat(atTheLimit).allMatch(one -> new Capacity(2, 0).equals(one.capacity()));
    assertThat(stored()).containsExactly("a", "b");
  }

  @Test
  @Guarantee("S22")
  void the_slowest_active_group_determines_depth() {
    streams.configure(config().maxSize(3));
    push("p", "a", "b", "c");
    ack(pop(3), Verdict.COMPLETED);
    assertThat(depth().depth()).isZero();

    Popped slow = streams.pop(request(3).group(SLOW));
    assertThat(depth().depth()).isEqualTo(3);
    full("p", "d");
    ack(slow, Verdict.COMPLETED, 0);
    push("p", "d");
    assertThat(depth().depth()).isEqualTo(3);
    ack(pop(3), Verdict.COMPLETED);

    full("q", "e");
    ack(slow, Verdict.COMPLETED, 1, 2);
    assertThat(depth().depth()).isEqualTo(1);
  }

  @Test
  @Guarantee("S22")
  void without_a_group_everything_counts_and_a_group_that_starts_later_has_passed_the_rest() {
    streams.configure(config().maxSize(3));
    push("p", "a", "b");
    push("q", "c");
    assertThat(depth().depth()).isEqualTo(3);

    streams.pop(request(1).startingAt(Start.NEW));

    assertThat(depth().depth()).isZero();
    push("p", "d");
    assertThat(depth().depth()).isEqualTo(1);
  }

  @Test
  @Guarantee("S23")
  void an_abandoned_group_does_not_block_producers() {
    streams.configure(config().maxSize(2).with(StreamOption.ABANDONED_GROUP, 60));
    push("p", "a", "b");
    streams.pop(request(1).group(SLOW));
    ack(pop(2), Verdict.COMPLETED);
    time.advance(Duration.ofSeconds(60).minusMillis(1));
    pop(1);
    full("p", "c");

    time.advanceMs(1);
    push("p", "c", "d");

    assertThat(abandoned()).containsExactly(SLOW);
    full("p", "e");
    assertThat(texts(streams.pop(request(9).group(SLOW)))).containsExactly("a", "b", "c", "d");
    assertThat(abandoned()).isEmpty();
    assertThat(depth().depth()).isEqualTo(4);
  }

  private List<String> abandoned() {
    return streams.admin().groups(QUEUE).stream()
        .filter(GroupInfo::isAbandoned)
        .map(GroupInfo::name)
        .toList();
  }

  @Test
  @Guarantee("S23")
  void a_group_that_extends_or_acks_is_not_abandoned() {
    streams.configure(config().with(StreamOption.ABANDONED_GROUP, 60));
    push("p", "a", "b");
    Popped popped = streams.pop(request(2).leaseFor(Duration.ofHours(1)));

    for (Runnable sign :
        Arrays.<Runnable>asList(
            () -> streams.extend(leaseOf(popped), Duration.ofHours(1)),
            () -> ack(popped, Verdict.COMPLETED, 0),
            () -> ack(popped, Verdict.COMPLETED, 1),
            () -> assertThat(pop(1).isEmpty()).isTrue())) {
      time.advance(Duration.ofSeconds(59));
      sign.run();
      assertThat(abandoned()).isEmpty();
    }
    time.advance(Duration.ofSeconds(60));
    assertThat(abandoned()).containsExactly(GROUP);
  }
}
