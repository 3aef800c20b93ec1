package io.holdfast.testkit.stream;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.stream.PopRequest;
import io.holdfast.stream.Popped;
import io.holdfast.stream.Streams;
import io.holdfast.stream.Verdict;
import io.holdfast.testkit.Guarantee;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/**
 * Pops that are called off at the moment when something comes. The clock stands still, so no lease
 * ends by itself: what such a pop keeps, nobody gets.
 */
public abstract class StreamCallingOffContract extends StreamSuite {
  private static final int ROUNDS = 20;

  private static PopRequest waiting() {
    return request(1).waiting(Duration.ofMinutes(1));
  }

  private CompletableFuture<Boolean> pushing(String text) {
    return CompletableFuture.supplyAsync(() -> push("p", text).size() == 1, crew);
  }

  /** The message goes to whoever asks next, unless the first was quicker. */
  private void assertNothingIsKept(CompletableFuture<Popped> first, String text) {
    boolean isGot = !first.isCancelled() && !now(first).isEmpty();
    Popped got = isGot ? now(first) : now(streams.popAsync(waiting()));
    assertThat(texts(got)).containsExactly(text);
    ack(got, Verdict.COMPLETED);
  }

  @Test
  @Guarantee("SF13")
  void a_waiting_pop_that_is_called_off_when_something_comes_keeps_nothing() {
    for (int round = 0; round < ROUNDS; round++) {
      CompletableFuture<Popped> pop = parked(request(1));
      CompletableFuture<Boolean> pushing = pushing("m" + round);
      if (round % 2 == 0) {
        now(pushing);
      }

      pop.cancel(true);

      now(pushing);
      assertNothingIsKept(pop, "m" + round);
    }
  }

  @Test
  @Guarantee("SF13")
  void a_pop_that_does_not_wait_and_is_called_off_keeps_nothing() {
    for (int round = 0; round < ROUNDS; round++) {
      push("p", "m" + round);
      CompletableFuture<Popped> pop = streams.popAsync(request(1));

      pop.cancel(true);

      assertNothingIsKept(pop, "m" + round);
    }
  }

  @Test
  @Guarantee("SF13")
  void ack_and_pop_that_is_called_off_when_something_comes_keeps_nothing() {
    for (int round = 0; round < ROUNDS; round++) {
      CompletableFuture<Streams.AckedAndPopped> both = streams.ackAndPop(List.of(), waiting());
      CompletableFuture<Boolean> pushing = pushing("m" + round);
      if (round % 2 == 0) {
        now(pushing);
      }

      both.cancel(true);

      now(pushing);
      Popped got = both.isCancelled() ? now(streams.popAsync(waiting())) : now(both).popped();
      assertThat(texts(got)).containsExactly("m" + round);
      ack(got, Verdict.COMPLETED);
    }
  }

  @Test
  @Guarantee("SF13")
  void a_pop_that_is_called_off_does_not_end_the_next() {
    for (int round = 0; round < ROUNDS; round++) {
      streams.popAsync(waiting()).cancel(true);
      CompletableFuture<Popped> next = streams.popAsync(waiting());

      push("p", "m" + round);

      assertThat(texts(now(next))).containsExactly("m" + round);
      ack(now(next), Verdict.COMPLETED);
    }
  }

  @Test
  @Guarantee("SF13")
  void whoever_closes_while_something_comes_keeps_nothing() {
    for (int round = 0; round < 5; round++) {
      Streams there = process();
      CompletableFuture<Popped> pop = there.popAsync(waiting());
      CompletableFuture<Boolean> pushing = pushing("m" + round);

      there.close();

      now(pushing);
      boolean isGot = pop.isDone() && !pop.isCompletedExceptionally();
      Popped got = isGot ? now(pop) : now(streams.popAsync(waiting()));
      assertThat(texts(got)).containsExactly("m" + round);
      ack(got, Verdict.COMPLETED);
    }
  }
}
