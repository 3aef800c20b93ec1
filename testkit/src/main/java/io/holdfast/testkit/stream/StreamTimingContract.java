package io.holdfast.testkit.stream;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.stream.DeadLetter;
import io.holdfast.stream.NewMessage;
import io.holdfast.stream.PopRequest;
import io.holdfast.stream.PopSource;
import io.holdfast.stream.Popped;
import io.holdfast.stream.StreamError;
import io.holdfast.stream.StreamOption;
import io.holdfast.stream.Streams;
import io.holdfast.stream.Verdict;
import io.holdfast.testkit.Guarantee;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** What the clock decides: delays, windows, ages, waiting pops and the length of leases. */
public abstract class StreamTimingContract extends StreamSuite {
  private static final Duration MS = Duration.ofMillis(1);

  /** Shorter than any interval at which a waiting group looks by itself. */
  private static final Duration SOON = Duration.ofSeconds(2);

  @Test
  @Guarantee("S39")
  void a_delayed_message_is_invisible_until_due() {
    streams.configure(config().with(StreamOption.DELAYED_PROCESSING, 5));
    push("p", "a");
    time.advanceMs(1);
    push("p", "b");

    time.advance(Duration.ofSeconds(5).minusMillis(2));
    assertThat(pop(10).isEmpty()).isTrue();
    time.advanceMs(1);
    Popped first = pop(10);
    assertThat(texts(first)).containsExactly("a");
    ack(first, Verdict.COMPLETED);
    assertThat(pop(10).isEmpty()).isTrue();
    time.advanceMs(1);

    assertThat(texts(pop(10))).containsExactly("b");
  }

  @Test
  @Guarantee("S39")
  void a_shorter_delay_holds_from_the_next_pop_on() {
    streams.configure(config().with(StreamOption.DELAYED_PROCESSING, 3600));
    pop(1);
    push("p", "a");
    time.advance(Duration.ofSeconds(5));
    assertThat(pop(10).isEmpty()).isTrue();

    streams.configure(config().with(StreamOption.DELAYED_PROCESSING, 5));

    assertThat(texts(pop(10))).containsExactly("a");
  }

  @Test
  @Guarantee("S40")
  void the_window_buffer_holds_a_partition_until_quiet() {
    streams.configure(config().with(StreamOption.WINDOW_BUFFER, 5));
    push("p", "a");
    push("calm", "x");
    time.advance(Duration.ofSeconds(4));
    assertThat(pop(10).isEmpty()).isTrue();
    push("p", "b");

    time.advance(Duration.ofSeconds(1));
    assertThat(texts(streams.pop(request(10).partitions(2)))).containsExactly("x");
    time.advance(Duration.ofSeconds(4).minus(MS));
    assertThat(pop(10).isEmpty()).isTrue();
    time.advanceMs(1);

    assertThat(texts(pop(10))).containsExactly("a", "b");
  }

  @Test
  @Guarantee("S41")
  void a_constantly_written_partition_is_released_after_five_windows() {
    streams.configure(config().with(StreamOption.WINDOW_BUFFER, 2));
    for (int i = 0; i < 10; i++) {
      push("p", "m" + i);
      assertThat(pop(100).isEmpty()).as("after %s s", i).isTrue();
      time.advance(Duration.ofSeconds(1));
    }
    push("p", "m10");

    assertThat(pop(100).messages()).hasSize(11);
  }

  @Test
  @Guarantee("S41")
  void five_windows_are_not_over_a_moment_earlier() {
    streams.configure(config().with(StreamOption.WINDOW_BUFFER, 2));
    push("p", "a");
    time.advance(Duration.ofSeconds(10).minus(MS));
    push("p", "b");

    assertThat(pop(10).isEmpty()).isTrue();
    time.advanceMs(1);

    assertThat(texts(pop(10))).containsExactly("a", "b");
  }

  @Test
  @Guarantee("S42")
  void a_message_past_its_max_wait_time_is_not_delivered() {
    streams.configure(config().with(StreamOption.MAX_WAIT_TIME, 10));
    push("p", "a", "b");
    push("q", "c");
    time.advanceMs(1);
    push("p", "d");

    time.advance(Duration.ofSeconds(10).minus(MS));
    Popped popped = streams.pop(request(10).partitions(10));

    assertThat(texts(popped)).containsExactly("d");
    assertThat(streams.browser().tally(QUEUE, GROUP).expired()).isEqualTo(3);
    assertThat(committed("p")).isEqualTo(2);
    assertThat(committed("q")).isEqualTo(1);
    assertThat(dead()).isEmpty();
  }

  @Test
  @Guarantee("S42")
  void a_message_just_short_of_its_max_wait_time_is_delivered() {
    streams.configure(config().with(StreamOption.MAX_WAIT_TIME, 10));
    push("p", "a");

    time.advance(Duration.ofSeconds(10).minus(MS));

    assertThat(texts(pop(10))).containsExactly("a");
    assertThat(streams.browser().tally(QUEUE, GROUP).expired()).isZero();
  }

  @Test
  @Guarantee("S42")
  void messages_past_their_max_wait_time_can_be_dead_lettered() {
    streams.configure(
        config()
            .with(StreamOption.MAX_WAIT_TIME, 10)
            .with(StreamOption.MAX_WAIT_ACTION, "deadLetter"));
    push("p", "a", "b");
    time.advance(Duration.ofSeconds(10));
    push("p", "c");

    assertThat(texts(pop(10))).containsExactly("c");

    assertThat(deadTexts()).containsExactlyInAnyOrder("a", "b");
    assertThat(dead()).allMatch(d -> d.failure().reason() == DeadLetter.Reason.MAX_WAIT);
    assertThat(streams.browser().tally(QUEUE, GROUP).expired()).isZero();
  }

  @Test
  @Guarantee("S43")
  void a_waiting_pop_wakes_on_push() {
    push("q", "taken");
    pop(1);
    CompletableFuture<Popped> pop = parked(request(10));

    push("p", "a");

    assertThat(texts(now(pop))).containsExactly("a");
    eventually(() -> service.waiting() == 0);
  }

  @Test
  @Guarantee("S43")
  void a_waiting_pop_wakes_on_a_push_of_another_process() {
    Streams there = process();
    CompletableFuture<Popped> pop = parked(request(10));

    there.push(List.of(NewMessage.to(QUEUE, "a").in("p")));

    assertThat(texts(now(pop))).containsExactly("a");
  }

  @Test
  @Guarantee({"S24", "S43"})
  void a_waiting_pop_of_something_unknown_wakes_when_it_exists() {
    CompletableFuture<Popped> queue = parked(request(10));
    CompletableFuture<Popped> partition =
        parked(PopRequest.of(QUEUE).group("other").partition("q"));
    CompletableFuture<Popped> labels = parked(PopRequest.of(PopSource.labels("shop", "eu")));

    push("p", "a");
    assertThat(texts(now(queue))).containsExactly("a");
    assertThat(partition).isNotDone();
    push("q", "b");
    assertThat(texts(now(partition))).containsExactly("b");
    streams.push(List.of(NewMessage.to("shop.eu.x", "c")));

    assertThat(texts(now(labels))).containsExactly("c");
  }

  @Test
  @Guarantee("S43")
  void one_push_serves_those_who_wait_first_come_first_served() {
    CompletableFuture<Popped> first = parked(request(1));
    CompletableFuture<Popped> second = parked(request(1));

    push("p", "a", "b");
    assertThat(texts(now(first))).containsExactly("a");
    assertThat(second).isNotDone();
    push("q", "c");

    assertThat(texts(now(second))).containsExactly("c");
  }

  @Test
  @Guarantee("S44")
  void a_waiting_pop_wakes_when_a_lease_expires() {
    push("p", "a");
    streams.pop(request(1).leaseFor(SOON));
    CompletableFuture<Popped> pop = parked(request(1));

    pass(SOON.minus(MS));
    assertThat(pop).isNotDone();
    pass(MS);

    assertThat(texts(now(pop))).containsExactly("a");
  }

  @Test
  @Guarantee("S44")
  void a_waiting_pop_wakes_when_a_delay_ends() {
    streams.configure(config().with(StreamOption.DELAYED_PROCESSING, SOON.toSeconds()));
    CompletableFuture<Popped> early = parked(request(1));
    push("p", "a");
    CompletableFuture<Popped> late = parked(request(1).group("other"));

    pass(SOON.minus(MS));
    assertThat(early).isNotDone();
    pass(MS);

    assertThat(texts(now(late))).containsExactly("a");
    assertThat(texts(now(early))).containsExactly("a");
  }

  @Test
  @Guarantee("S44")
  void a_waiting_pop_wakes_when_a_window_closes() {
    streams.configure(config().with(StreamOption.WINDOW_BUFFER, SOON.toSeconds()));
    push("p", "a");
    CompletableFuture<Popped> pop = parked(request(10));

    pass(SOON.minus(MS));
    assertThat(pop).isNotDone();
    pass(MS);

    assertThat(texts(now(pop))).containsExactly("a");
  }

  @Test
  @Guarantee("S44")
  void a_waiting_pop_wakes_when_a_retry_is_due() {
    streams.configure(config().retrying(3, SOON));
    push("p", "a");
    Popped first = pop(1);
    CompletableFuture<Popped> pop = parked(request(1));
    ack(first, Verdict.FAILED);

    pass(SOON.minus(MS));
    assertThat(pop).isNotDone();
    pass(MS);

    assertThat(texts(now(pop))).containsExactly("a");
  }

  @Test
  @Guarantee("S44")
  void a_waiting_pop_wakes_when_a_partition_is_released() {
    streams.configure(config());
    push("p", "a", "b", "c", "d");
    Popped first = pop(1);
    CompletableFuture<Popped> afterAck = parked(request(1));
    ack(first, Verdict.COMPLETED);
    assertThat(texts(now(afterAck))).containsExactly("b");

    CompletableFuture<Popped> afterRelease = parked(request(1));
    streams.release(leaseOf(now(afterAck)), null);
    assertThat(texts(now(afterRelease))).containsExactly("b");

    CompletableFuture<Popped> afterRevoke = parked(request(1));
    streams.admin().revoke(cursor("p"), null);
    assertThat(texts(now(afterRevoke))).containsExactly("b");
  }

  @Test
  @Guarantee("S45")
  void a_waiting_pop_times_out_empty() {
    streams.configure(config());
    CompletableFuture<Popped> pop = parked(request(1), SOON);

    pass(SOON.minus(MS));
    assertThat(pop).isNotDone();
    pass(MS);

    assertThat(now(pop).isEmpty()).isTrue();
    push("p", "a");
    assertThat(texts(pop(1))).containsExactly("a");
  }

  @Test
  @Guarantee({"S45", "SF13"})
  void a_waiting_pop_that_is_called_off_takes_nothing() {
    streams.configure(config());
    CompletableFuture<Popped> gone = parked(request(1));
    CompletableFuture<Popped> stays = parked(request(1));

    gone.cancel(true);
    push("p", "a");

    assertThat(texts(now(stays))).containsExactly("a");
    eventually(() -> service.waiting() == 0);
    assertThat(streams.browser().leases(QUEUE)).hasSize(1);
  }

  @Test
  @Guarantee("SF13")
  void what_was_claimed_for_a_pop_that_was_called_off_is_given_back() {
    streams.configure(config());
    CompletableFuture<Popped> gone = parked(request(1));
    watched.afterClaims(() -> gone.cancel(true));

    push("p", "a");
    eventually(() -> gone.isDone() && streams.browser().leases(QUEUE).isEmpty());

    Popped popped = pop(1);
    assertThat(texts(popped)).containsExactly("a");
    assertThat(attempts(popped)).containsExactly(1);
  }

  @Test
  @Guarantee("S46")
  void extend_prolongs_every_partition_of_the_lease_never_shortens() {
    streams.configure(config());
    push("p", "a");
    push("q", "b");
    UUID lease = leaseOf(streams.pop(request(10).partitions(2)));
    Instant before = instant().plus(LEASE);

    assertThat(streams.extend(lease, Duration.ofSeconds(1)).expiresAt()).isEqualTo(before);
    time.advance(LEASE.minus(MS));
    Instant after = instant().plus(LEASE);
    assertThat(streams.extend(lease, LEASE).partitions()).isEqualTo(2);
    time.advance(LEASE.minus(MS));

    assertThat(pop(1).isEmpty()).isTrue();
    assertThat(streams.browser().leases(QUEUE)).hasSize(2);
    assertThat(streams.browser().leases(QUEUE)).allMatch(l -> l.expiresAt().equals(after));
    time.advanceMs(1);
    assertThat(streams.pop(request(10).partitions(2)).batches()).hasSize(2);
  }

  @Test
  @Guarantee("S46")
  void extend_leaves_out_what_is_settled_and_answers_the_first_expiry() {
    streams.configure(config());
    push("p", "a");
    push("q", "b");
    Popped popped = streams.pop(request(10).partitions(2));
    UUID lease = leaseOf(popped);

    streams.ack(popped.ackAll(Verdict.COMPLETED).subList(0, 1));
    time.advanceMs(1);

    assertThat(streams.extend(lease, LEASE).partitions()).isEqualTo(1);
    assertThat(streams.extend(lease, LEASE).expiresAt()).isEqualTo(instant().plus(LEASE));
    streams.ack(popped.ackAll(Verdict.COMPLETED).subList(1, 2));
    failing(StreamError.LEASE_LOST, () -> streams.extend(lease, LEASE));
  }

  @Test
  @Guarantee({"S47", "SF7", "SF8"})
  void an_expired_holder_cannot_extend() {
    streams.configure(config());
    push("p", "a");
    UUID lost = leaseOf(pop(1));
    time.advance(LEASE.minus(MS));
    streams.extend(lost, Duration.ofSeconds(1));

    time.advance(Duration.ofSeconds(1));
    failing(StreamError.LEASE_LOST, () -> streams.extend(lost, LEASE));
    Popped successor = pop(1);
    failing(StreamError.LEASE_LOST, () -> streams.extend(lost, Duration.ofHours(1)));

    assertThat(Objects.requireNonNull(successor.batches().get(0).lease()).expiresAt())
        .isEqualTo(instant().plus(LEASE));
    assertThat(streams.browser().leases(QUEUE))
        .singleElement()
        .matches(lease -> lease.expiresAt().equals(instant().plus(LEASE)));
    assertThat(ack(successor, Verdict.COMPLETED).get(0).isReleased()).isTrue();
  }
}
