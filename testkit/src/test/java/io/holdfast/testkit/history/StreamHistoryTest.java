package io.holdfast.testkit.history;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.testkit.history.StreamHistory.ClaimKey;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

class StreamHistoryTest {
  private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");

  private final StreamHistory history = new StreamHistory();

  StreamHistoryTest() {
    for (long offset = 1; offset <= 4; offset++) {
      history.pushed("p", offset);
    }
  }

  private static ClaimKey fence(long fence) {
    return new ClaimKey("g", "p", fence);
  }

  private void claim(long fence, int from, int until, Long... offsets) {
    history.claimed(
        fence(fence), List.of(offsets), START.plusSeconds(from), START.plusSeconds(until));
  }

  private void settle(long fence, long... offsets) {
    for (long offset : offsets) {
      history.settled(fence(fence), offset);
    }
  }

  @Test
  void batches_in_order_pass() {
    claim(1, 0, 10, 1L, 2L);
    settle(1, 1, 2);
    history.released(fence(1));
    claim(2, 1, 11, 3L, 4L);
    settle(2, 3, 4);

    history.check();
    history.checkComplete("g");
  }

  @Test
  void a_batch_of_a_dead_consumer_comes_again() {
    claim(1, 0, 10, 1L, 2L);
    claim(2, 10, 20, 1L, 2L, 3L);
    settle(2, 1);
    claim(3, 20, 30, 2L, 3L);

    history.check();
  }

  @Test
  void what_was_completed_ahead_of_a_gap_is_left_out() {
    claim(1, 0, 10, 1L, 2L, 3L);
    settle(1, 2);
    claim(2, 10, 20, 1L, 3L, 4L);

    history.check();
  }

  @Test
  void a_verdict_without_an_answer_may_count_or_not() {
    claim(1, 0, 10, 1L, 2L);
    history.doubtful(fence(1), 1);
    history.doubtful(fence(1), 2);
    claim(2, 1, 10, 1L, 2L);
    claim(3, 10, 20, 3L);

    history.check();
  }

  @Test
  void a_message_that_was_passed_over_is_found() {
    claim(1, 0, 10, 1L, 3L);

    failsWith("2 was passed over");
  }

  @Test
  void a_claim_that_begins_too_late_is_found() {
    claim(1, 0, 10, 1L, 2L);
    settle(1, 1);
    claim(2, 10, 20, 3L);

    failsWith("2 was passed over");
  }

  @Test
  void a_settled_message_that_comes_again_is_found() {
    claim(1, 0, 10, 1L, 2L);
    settle(1, 1);
    claim(2, 10, 20, 1L, 2L);

    failsWith("1 was settled before");
  }

  @Test
  void two_holders_at_one_instant_are_found() {
    claim(1, 0, 10, 1L);
    history.extended(fence(1), START.plusSeconds(15));
    claim(2, 12, 20, 1L);

    failsWith("while another held it");
  }

  @Test
  void disorder_is_found() {
    claim(1, 0, 10, 2L, 1L);

    failsWith("not in order");
  }

  @Test
  void a_message_from_nowhere_is_found() {
    claim(1, 0, 10, 1L, 2L, 3L, 4L, 5L);

    failsWith("nobody pushed 5");
  }

  @Test
  void two_claims_with_one_fence_are_found() {
    claim(1, 0, 10, 1L);

    assertThatThrownBy(() -> claim(1, 10, 20, 1L)).hasMessageContaining("one fence");
  }

  @Test
  void a_lost_message_is_found() {
    claim(1, 0, 10, 1L, 2L, 3L);
    settle(1, 1, 2, 3);

    assertThatThrownBy(() -> history.checkComplete("g")).hasMessageContaining("never settled 1");
  }

  private void failsWith(String message) {
    assertThatThrownBy(history::check)
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining(message);
  }
}
