package io.holdfast.testkit.history;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Which histories of a queue pass, and above all which must not. */
class QueueHistoryTest {
  private static final Instant START = Instant.ofEpochSecond(1_780_000_000L);

  private final QueueHistory history = new QueueHistory(Duration.ofSeconds(1));

  @Test
  void items_leased_in_their_order_and_completed_once_pass() {
    produce("1a", "2b", "3c");
    lease(2, "1a", "2b");
    complete(true, "1", "2");
    lease(2, "3c");
    complete(true, "3");
    lease(2);

    assertPasses();
  }

  @Test
  void one_item_leased_twice_fails() {
    produce("1a");
    lease(1, "1a");
    lease(1, "1a");

    assertFails("no order");
  }

  @Test
  void one_item_leased_twice_by_overlapping_calls_fails() {
    produce("1a");
    long first = history.begin();
    long second = history.begin();
    leased(first, 1, "1a");
    leased(second, 1, "1a");

    assertFails("no order");
  }

  @Test
  void an_item_under_a_new_id_while_its_holder_has_it_fails() {
    produce("1a");
    lease(1, "1a");
    lease(1, "2a");

    assertFails("no order");
  }

  @Test
  void a_lost_item_fails() {
    produce("1a", "2b");
    lease(1, "1a");
    complete(true, "1");
    lease(1);

    assertFails("no order");
  }

  @Test
  void an_item_lost_by_a_retry_fails() {
    produce("1a");
    lease(1, "1a");
    retry(true, "1");
    lease(1);

    assertFails("no order");
  }

  @Test
  void an_item_lost_by_lease_expiry_fails() {
    produce("1a");
    lease(1, "1a");
    sweep(10);
    lease(1);
    assertPasses(); // so far it may be late

    sweep(11);
    lease(1);

    assertFails("no order");
  }

  @Test
  void an_empty_answer_while_something_was_ready_all_the_time_fails() {
    produce("1a");
    long empty = history.begin();
    produce("2b");
    leased(empty, 5);
    lease(2, "1a", "2b");

    assertFails("no order");
  }

  @Test
  void an_empty_answer_is_not_excused_by_a_rival_that_comes_too_late() {
    produce("1a", "2b");
    long taking = history.begin();
    long empty = history.begin();
    leased(empty, 1);
    leased(taking, 1, "1a");
    lease(1, "2b");

    assertFails("no order");
  }

  @Test
  void an_empty_answer_that_was_true_for_a_moment_passes() {
    produce("1a");
    long empty = history.begin();
    lease(1, "1a");
    produce("2b");
    leased(empty, 5);
    lease(2, "2b");

    assertPasses();
  }

  @Test
  void a_younger_item_leased_before_an_older_one_fails() {
    produce("1a", "2b");
    lease(1, "2b");
    lease(1, "1a");

    assertFails("no order");
  }

  @Test
  void a_gap_in_a_batch_that_no_rival_fills_fails() {
    produce("1a", "2b", "3c");
    lease(2, "1a", "3c");
    lease(2, "2b");

    assertFails("no order");
  }

  @Test
  void a_short_answer_that_leaves_something_behind_fails() {
    produce("1a", "2b");
    lease(2, "1a");
    lease(2, "2b");

    assertFails("no order");
  }

  @Test
  void overlapping_leases_may_interleave() {
    produce("1a", "2b", "3c", "4d");
    long first = history.begin();
    long second = history.begin();
    leased(first, 2, "1a", "3c");
    leased(second, 1, "2b");
    lease(2, "4d");

    assertPasses();
  }

  @Test
  void overlapping_leases_that_leave_a_gap_together_fail() {
    produce("1a", "2b", "3c", "4d");
    long first = history.begin();
    long second = history.begin();
    leased(first, 2, "1a", "4d");
    leased(second, 1, "2b");
    lease(2, "3c");

    assertFails("no order");
  }

  @Test
  void a_later_produce_with_a_smaller_id_fails() {
    produce("2a");
    produce("1b");

    assertFails("stands before");
  }

  @Test
  void overlapping_produces_have_no_order_but_ids_decide_who_is_leased_first() {
    long slow = history.begin();
    produce("2b", "3c");
    lease(1, "2b");
    history.produced(slow, List.of("a"), List.of("1"));
    lease(2, "1a", "3c");

    assertPasses();
  }

  @Test
  void a_completed_item_leased_again_fails() {
    produce("1a");
    lease(1, "1a");
    complete(true, "1");
    lease(1, "2a");

    assertFails("no order");
  }

  @Test
  void an_item_completed_twice_fails() {
    produce("1a");
    lease(1, "1a");
    complete(true, "1");
    complete(true, "1");

    assertFails("no order");
  }

  @Test
  void a_holder_refused_without_reason_fails() {
    produce("1a");
    lease(1, "1a");
    complete(false, "1");

    assertFails("no order");
  }

  @Test
  void a_retried_item_returns_behind_those_that_waited() {
    produce("1a", "2b");
    lease(1, "1a");
    retry(true, "1");
    lease(3, "2b", "3a");
    complete(true, "2", "3");
    lease(3);

    assertPasses();
  }

  @Test
  void a_retried_item_that_returns_before_those_that_waited_fails() {
    produce("1a", "3b");
    lease(1, "1a");
    retry(true, "1");
    lease(1, "2a");

    assertFails("stands before");
  }

  @Test
  void an_expired_lease_returns_the_item_and_refuses_its_holder() {
    produce("1a");
    lease(1, "1a");
    sweep(9);
    lease(1);
    sweep(10);
    complete(false, "1");
    lease(1, "2a");
    complete(true, "2");
    lease(1);

    assertPasses();
  }

  @Test
  void a_lease_that_ends_before_its_deadline_fails() {
    produce("1a");
    lease(1, "1a");
    sweep(9);
    lease(1, "2a");

    assertFails("no order");
  }

  @Test
  void a_complete_during_the_sweep_wins_or_loses_but_not_both() {
    produce("1a");
    lease(1, "1a");
    long sweep = history.begin();
    complete(true, "1");
    history.swept(sweep, START.plusSeconds(10));
    lease(1);
    assertPasses();

    lease(1, "2a");
    assertFails("no order");
  }

  @Test
  void a_produce_of_unknown_outcome_may_show_later_or_never() {
    history.produceLost(history.begin(), List.of("a", "b"));
    history.produceLost(history.begin(), List.of("c"));
    lease(2);
    lease(2, "1a", "2b");
    complete(true, "1", "2");
    lease(2);

    assertPasses();
  }

  @Test
  void half_of_a_produce_of_unknown_outcome_fails() {
    history.produceLost(history.begin(), List.of("a", "b"));
    lease(2, "1a");
    lease(2);

    assertFails("no order");
  }

  @Test
  void a_complete_of_unknown_outcome_ends_the_item_or_leaves_it_to_expiry() {
    produce("1a", "2b");
    lease(2, "1a", "2b");
    history.completeLost(history.begin(), List.of("1"));
    history.completeLost(history.begin(), List.of("2"));
    sweep(10);
    lease(2, "3a");
    complete(true, "3");
    lease(2);

    assertPasses();
  }

  @Test
  void an_answer_beyond_its_batch_fails() {
    produce("1a", "2b");
    lease(1, "1a", "2b");
    assertFails("batch");
  }

  @Test
  void an_answer_out_of_order_fails() {
    produce("1a", "2b");
    lease(2, "2b", "1a");
    assertFails("order of ids");
  }

  /** Items are written as an id of one digit and a label. */
  private void produce(String... items) {
    history.produced(
        history.begin(),
        Stream.of(items).map(QueueHistoryTest::label).toList(),
        Stream.of(items).map(QueueHistoryTest::id).toList());
  }

  private void lease(int batch, String... items) {
    leased(history.begin(), batch, items);
  }

  private void leased(long begun, int batch, String... items) {
    history.leased(
        begun,
        batch,
        Stream.of(items)
            .map(i -> new QueueHistory.Taken(id(i), label(i), START.plusSeconds(10)))
            .toList());
  }

  private void complete(boolean isDone, String... ids) {
    history.completed(history.begin(), List.of(ids), isDone);
  }

  private void retry(boolean isDone, String... ids) {
    history.retried(history.begin(), List.of(ids), isDone);
  }

  private void sweep(int seconds) {
    history.swept(history.begin(), START.plusSeconds(seconds));
  }

  private static String id(String item) {
    return item.substring(0, 1);
  }

  private static String label(String item) {
    return item.substring(1);
  }

  private void assertPasses() {
    assertThatCode(history::check).doesNotThrowAnyException();
  }

  private void assertFails(String message) {
    assertThatThrownBy(history::check)
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining(message);
  }
}
