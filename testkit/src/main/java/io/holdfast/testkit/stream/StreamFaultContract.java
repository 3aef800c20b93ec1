package io.holdfast.testkit.stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.stream.Ack;
import io.holdfast.stream.Acked;
import io.holdfast.stream.Batch;
import io.holdfast.stream.ConsumerOptions;
import io.holdfast.stream.DeadLetter;
import io.holdfast.stream.NewMessage;
import io.holdfast.stream.Popped;
import io.holdfast.stream.Pushed;
import io.holdfast.stream.StreamConfig;
import io.holdfast.stream.StreamConsumer;
import io.holdfast.stream.StreamError;
import io.holdfast.stream.StreamException;
import io.holdfast.stream.StreamOption;
import io.holdfast.stream.StreamService;
import io.holdfast.stream.Streams;
import io.holdfast.stream.Verdict;
import io.holdfast.testkit.Guarantee;
import io.holdfast.testkit.ManualTime;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What becomes of leases, verdicts and pushes when somebody is late, gone or not heard. */
public abstract class StreamFaultContract extends StreamSuite {
  private static final Duration TICK = Duration.ofMillis(1);

  /** Streams over a store that can be made to fail. */
  private record Faulty(FaultyStreamStore store, StreamService service, Streams streams) {}

  private Faulty faulty() {
    FaultyStreamStore store = new FaultyStreamStore(subject.process());
    StreamService service = serving(store, OPTIONS);
    return new Faulty(store, service, subject.seen(service));
  }

  private static Batch.Held grantOf(Popped popped) {
    return Objects.requireNonNull(popped.batches().get(0).lease());
  }

  @ParameterizedTest
  @EnumSource(Verdict.class)
  @Guarantee("SF7")
  void a_verdict_from_beyond_the_lease_is_refused_and_the_successor_is_undisturbed(
      Verdict verdict) {
    streams.configure(config());
    push("p", "a", "b");
    Popped sleeper = pop(10);
    time.advance(LEASE);
    Popped successor = pop(10);

    List<Acked> late = ack(sleeper, verdict);

    assertThat(texts(successor)).containsExactly("a", "b");
    assertThat(grantOf(successor).fence()).isGreaterThan(grantOf(sleeper).fence());
    assertThat(late).extracting(Acked::error).containsOnly(StreamError.LEASE_LOST);
    assertThat(dead()).isEmpty();
    assertThat(streams.browser().leases(QUEUE))
        .singleElement()
        .satisfies(
            lease -> {
              assertThat(lease.leaseId()).isEqualTo(leaseOf(successor));
              assertThat(lease.messages()).isEqualTo(2);
            });
    assertThat(ack(successor, Verdict.COMPLETED)).allMatch(acked -> !acked.isNoop());
  }

  @Test
  @Guarantee("SF7")
  void extend_and_release_from_beyond_the_lease_are_refused_with_and_without_a_successor() {
    streams.configure(config());
    push("p", "a");
    Popped sleeper = pop(10);
    time.advance(LEASE);

    failing(StreamError.LEASE_LOST, () -> streams.extend(leaseOf(sleeper), LEASE));
    failing(StreamError.LEASE_LOST, () -> streams.release(leaseOf(sleeper), null));
    Popped successor = pop(10);
    failing(StreamError.LEASE_LOST, () -> streams.extend(leaseOf(sleeper), LEASE.multipliedBy(9)));
    failing(StreamError.LEASE_LOST, () -> streams.release(leaseOf(sleeper), null));

    assertThat(streams.browser().leases(QUEUE))
        .singleElement()
        .satisfies(
            lease -> assertThat(lease.expiresAt()).isEqualTo(grantOf(successor).expiresAt()));
    assertThat(ack(successor, Verdict.COMPLETED)).allMatch(Acked::isSuccess);
  }

  @Test
  @Guarantee("SF8")
  void a_lease_is_over_at_the_instant_it_names_and_not_a_tick_before() {
    streams.configure(config());
    push("p", "a");
    push("q", "b");
    Popped first = pop(1);
    Popped second = pop(1);
    time.advance(LEASE.minus(TICK));

    List<Acked> before = ack(first, Verdict.COMPLETED);
    assertThat(pop(1).isEmpty()).isTrue();
    time.advance(TICK);
    List<Acked> at = ack(second, Verdict.COMPLETED);

    assertThat(grantOf(second).expiresAt()).isEqualTo(instant());
    assertThat(before).allMatch(Acked::isSuccess);
    assertThat(at).extracting(Acked::error).containsExactly(StreamError.LEASE_LOST);
    assertThat(texts(pop(1))).containsExactly("b");
  }

  @Test
  @Guarantee("SF9")
  void a_completion_whose_answer_was_lost_is_a_no_op_when_repeated() {
    Faulty faulty = faulty();
    streams.configure(config());
    push("p", "a", "b");
    Popped popped = pop(10);
    faulty.store.loseNext("ack");

    StreamException lost =
        failing(
            StreamError.UNAVAILABLE, () -> faulty.streams.ack(popped.ackAll(Verdict.COMPLETED)));
    List<Acked> again = faulty.streams.ack(popped.ackAll(Verdict.COMPLETED));

    assertThat(lost.isOutcomeUnknown()).isTrue();
    assertThat(again).allMatch(acked -> acked.isSuccess() && acked.isNoop());
    assertThat(streams.browser().tally(QUEUE, GROUP).passed()).isEqualTo(2);
    assertThat(pop(10).isEmpty()).isTrue();
  }

  @Test
  @Guarantee("SF9")
  void an_ack_that_never_arrived_counts_when_repeated() {
    Faulty faulty = faulty();
    streams.configure(config());
    push("p", "a");
    Popped popped = pop(10);
    faulty.store.failNext("ack");

    failing(StreamError.UNAVAILABLE, () -> faulty.streams.ack(popped.ackAll(Verdict.COMPLETED)));
    List<Acked> again = faulty.streams.ack(popped.ackAll(Verdict.COMPLETED));

    assertThat(again).allMatch(acked -> acked.isSuccess() && !acked.isNoop());
  }

  @Test
  @Guarantee("SF9")
  void a_failure_whose_answer_was_lost_is_charged_once_when_repeated() {
    Faulty faulty = faulty();
    streams.configure(config().retrying(1, Duration.ZERO));
    push("p", "a");
    Popped popped = pop(1);
    faulty.store.loseNext("ack");

    failing(StreamError.UNAVAILABLE, () -> faulty.streams.ack(popped.ackAll(Verdict.FAILED)));
    List<Acked> again = faulty.streams.ack(popped.ackAll(Verdict.FAILED));

    assertThat(again).extracting(Acked::error).containsExactly(StreamError.LEASE_LOST);
    assertThat(dead()).isEmpty();
    ack(pop(1), Verdict.FAILED);
    assertThat(dead())
        .singleElement()
        .satisfies(letter -> assertThat(letter.failure().retryCount()).isEqualTo(2));
  }

  @Test
  @Guarantee("SF9")
  void a_dead_letter_whose_answer_was_lost_is_written_once_when_repeated() {
    Faulty faulty = faulty();
    streams.configure(config());
    push("p", "a", "b");
    Popped popped = pop(2);
    List<Ack> second = acks(popped, Verdict.DEAD_LETTER, 1);
    faulty.store.loseNext("ack");

    failing(StreamError.UNAVAILABLE, () -> faulty.streams.ack(second));
    List<Acked> again = faulty.streams.ack(second);

    assertThat(again).extracting(Acked::error).containsExactly(StreamError.ALREADY_COMMITTED);
    assertThat(dead()).hasSize(1);
  }

  @Test
  @Guarantee("SF10")
  void a_push_whose_answer_was_lost_is_a_duplicate_of_the_first_when_repeated() {
    Faulty faulty = faulty();
    List<NewMessage> messages =
        List.of(
            NewMessage.to(QUEUE, "a").in("p").once("1"),
            NewMessage.to(QUEUE, "b").in("q").once("2"));
    faulty.store.loseNext("push");

    StreamException lost = failing(StreamError.UNAVAILABLE, () -> faulty.streams.push(messages));
    List<Pushed> again = faulty.streams.push(messages);

    assertThat(lost.isOutcomeUnknown()).isTrue();
    assertThat(again)
        .allSatisfy(
            pushed -> {
              assertThat(pushed.status()).isEqualTo(Pushed.Status.DUPLICATE);
              assertThat(pushed.offset()).isEqualTo(1);
              assertThat(streams.browser().find(QUEUE, pushed.transactionId()))
                  .singleElement()
                  .satisfies(m -> assertThat(m.message().id()).isEqualTo(pushed.messageId()));
            });
    Popped all = streams.pop(request(10).partitions(10));
    assertThat(texts(all)).containsExactlyInAnyOrder("a", "b");
  }

  @Test
  @Guarantee("SF13")
  void a_caller_that_goes_while_it_waits_leaves_no_lease() {
    streams.configure(config());
    CompletableFuture<Popped> waiting = parked(request(1));

    waiting.cancel(true);
    streams.calledOff().join();
    assertThat(service.waiting()).isZero();
    push("p", "a");

    assertThat(streams.browser().leases(QUEUE)).isEmpty();
    assertThat(texts(pop(1))).containsExactly("a");
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  @Guarantee("SF13")
  void a_caller_that_goes_during_its_claim_leaves_no_lease(boolean isAfter) {
    Faulty faulty = faulty();
    streams.configure(config());
    push("p", "a");
    FaultyStreamStore.Halt claim = faulty.store.haltNext("pop", isAfter);

    CompletableFuture<Popped> caller =
        faulty.streams.popAsync(request(1).waiting(Duration.ofMinutes(1)));
    claim.awaitReached();
    caller.cancel(true);
    claim.open();

    eventually(() -> faulty.store.calls("release") == 1);
    eventually(() -> streams.browser().leases(QUEUE).isEmpty());
    Popped next = pop(1);
    assertThat(texts(next)).containsExactly("a");
    assertThat(next.batches().get(0).deliveries().get(0).attempt()).isEqualTo(1);
  }

  @Test
  @Guarantee("S112")
  void a_consumer_that_stops_during_its_claim_has_given_it_back() throws Exception {
    Faulty faulty = faulty();
    streams.configure(config());
    AtomicInteger handled = new AtomicInteger();
    FaultyStreamStore.Halt claim = faulty.store.haltNext("pop", false);
    StreamConsumer consumer =
        faulty.streams.consume(
            QUEUE, GROUP, message -> handled.incrementAndGet(), ConsumerOptions.DEFAULTS);
    claim.awaitReached();
    CompletableFuture<Void> stopping = CompletableFuture.runAsync(consumer::close, crew);
    assertThatThrownBy(() -> stopping.get(300, TimeUnit.MILLISECONDS))
        .isInstanceOf(TimeoutException.class);
    push("p", "a");

    claim.open();
    stopping.get(10, TimeUnit.SECONDS);

    assertThat(streams.browser().leases(QUEUE)).isEmpty();
    assertThat(texts(pop(1))).containsExactly("a");
    assertThat(handled).hasValue(0);
  }

  @Test
  @Guarantee("SF13")
  void a_caller_that_does_not_wait_and_goes_during_its_claim_leaves_no_lease() {
    Faulty faulty = faulty();
    streams.configure(config());
    push("p", "a");
    FaultyStreamStore.Halt claim = faulty.store.haltNext("pop", true);

    CompletableFuture<Popped> caller = faulty.streams.popAsync(request(1));
    claim.awaitReached();
    caller.cancel(true);
    claim.open();

    eventually(() -> faulty.store.calls("release") == 1);
    eventually(() -> streams.browser().leases(QUEUE).isEmpty());
    assertThat(texts(pop(1))).containsExactly("a");
  }

  @Test
  @Guarantee("SF13")
  void a_caller_of_ack_and_pop_that_goes_during_its_claim_leaves_no_lease() {
    Faulty faulty = faulty();
    streams.configure(config());
    push("p", "a", "b");
    Popped first = pop(1);
    FaultyStreamStore.Halt turn = faulty.store.haltNext("ackAndPop", true);

    CompletableFuture<?> caller =
        faulty.streams.ackAndPop(first.ackAll(Verdict.COMPLETED), request(1));
    turn.awaitReached();
    caller.cancel(true);
    turn.open();

    eventually(() -> faulty.store.calls("release") == 1);
    eventually(() -> streams.browser().leases(QUEUE).isEmpty());
    assertThat(texts(pop(1))).containsExactly("b");
  }

  @Test
  @Guarantee("SF14")
  void without_notifications_a_waiting_pop_gets_it_within_the_poll_interval() {
    Faulty deaf = faulty();
    streams.configure(config());
    deaf.store.silence();
    pop(1);
    CompletableFuture<Popped> waiting =
        deaf.streams.popAsync(request(1).waiting(Duration.ofMinutes(1)));
    eventually(() -> deaf.service.waiting() == 1 && deaf.store.answers("pop") > 0);

    push("p", "a");
    pass(OPTIONS.poll().minus(TICK));
    assertThat(waiting).isNotDone();
    pass(TICK);

    assertThat(texts(now(waiting))).containsExactly("a");
  }

  @ParameterizedTest
  @ValueSource(longs = {-86_400_000, 86_400_000})
  @Guarantee("SF22")
  void a_process_whose_clock_jumps_holds_its_lease_as_long_as_the_database_says(long jumpMs) {
    Faulty jumping = faulty();
    ManualTime clock = new ManualTime();
    jumping.store.ticking(clock);
    Streams there = over(jumping.store, OPTIONS);
    streams.configure(config());
    push("p", "a");

    Popped popped = there.pop(request(1));
    clock.stepDatabase(jumpMs);
    clock.advanceMs(Math.max(0, jumpMs));

    Instant until = instant().plus(LEASE);
    assertThat(grantOf(popped).expiresAt()).isEqualTo(until);
    assertThat(pop(1).isEmpty()).as("another consumer").isTrue();
    assertThat(there.extend(leaseOf(popped), LEASE).expiresAt()).isEqualTo(until);
    there.push(List.of(NewMessage.to(QUEUE, "b").in("q")));
    assertThat(there.ack(popped.ackAll(Verdict.COMPLETED))).allMatch(Acked::isSuccess);
    Popped next = pop(1);
    assertThat(texts(next)).containsExactly("b");
    assertThat(next.messages().get(0).createdAt()).isEqualTo(instant());
  }

  @Test
  @Guarantee("SF23")
  void endless_expiries_end_in_the_dead_letters_at_the_delivery_limit() {
    streams.configure(config().with(StreamOption.DELIVERY_LIMIT, 5));
    push("p", "poison", "good");

    for (int delivery = 1; delivery <= 5; delivery++) {
      Popped popped = pop(10);
      List<String> expected = delivery <= 3 ? List.of("poison", "good") : List.of("poison");
      assertThat(texts(popped)).as("delivery " + delivery).isEqualTo(expected);
      assertThat(popped.batches().get(0).deliveries().get(0).attempt()).isEqualTo(delivery);
      time.advance(LEASE);
    }
    Popped after = pop(10);

    assertThat(texts(after)).containsExactly("good");
    assertThat(dead())
        .singleElement()
        .satisfies(
            letter -> {
              assertThat(letter.message().payload().text()).isEqualTo("poison");
              assertThat(letter.failure().reason()).isEqualTo(DeadLetter.Reason.DELIVERY_LIMIT);
              assertThat(letter.failure().attempt()).isEqualTo(5);
            });
    assertThat(ack(after, Verdict.COMPLETED)).allMatch(Acked::isSuccess);
    assertThat(streams.browser().tally(QUEUE, GROUP).pending()).isZero();
  }

  @Test
  @Guarantee("SF27")
  void a_refused_call_does_not_fail_those_that_share_its_statement() {
    Faulty faulty = faulty();
    streams.configure(config());
    streams.configure(StreamConfig.of("full").maxSize(1));
    streams.push(List.of(NewMessage.to("full", "x")));
    FaultyStreamStore.Halt first = faulty.store.haltNext("push", false);
    FaultyStreamStore.Halt second = faulty.store.haltNext("push", false);
    CompletableFuture<List<Pushed>> one = send(faulty, QUEUE, "1");
    first.awaitReached();
    CompletableFuture<List<Pushed>> two = send(faulty, QUEUE, "2");
    second.awaitReached();

    CompletableFuture<List<Pushed>> before = send(faulty, QUEUE, "3");
    CompletableFuture<List<Pushed>> refused = send(faulty, "full", "y");
    CompletableFuture<List<Pushed>> after = send(faulty, QUEUE, "4");
    first.open();

    failing(StreamError.QUEUE_FULL, () -> now(refused));
    assertThat(now(before)).extracting(Pushed::status).containsExactly(Pushed.Status.QUEUED);
    assertThat(now(after)).extracting(Pushed::status).containsExactly(Pushed.Status.QUEUED);
    second.open();
    now(one);
    now(two);
    assertThat(faulty.store.calls("push")).as("two halted, one shared, three alone").isEqualTo(6);
    assertThat(streams.browser().depth(QUEUE).depth()).isEqualTo(4);
    assertThat(streams.browser().depth("full").depth()).isEqualTo(1);
  }

  /** In the process where calls share statements, which must have all of them before it goes on. */
  private static CompletableFuture<List<Pushed>> send(Faulty faulty, String queue, String text) {
    return faulty.service.pushAsync(List.of(NewMessage.to(queue, text).in("p" + text)), null);
  }
}
