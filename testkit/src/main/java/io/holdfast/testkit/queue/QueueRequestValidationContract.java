package io.holdfast.testkit.queue;

import static io.holdfast.queue.QueueException.Kind.CONFLICT;
import static io.holdfast.queue.QueueException.Kind.INVALID;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.holdfast.queue.Clear;
import io.holdfast.queue.Content;
import io.holdfast.queue.LeaseRequest;
import io.holdfast.queue.LeasedItems;
import io.holdfast.queue.NewItem;
import io.holdfast.queue.Queue;
import io.holdfast.queue.Retry;
import io.holdfast.queue.StoredItem;
import io.holdfast.testkit.Guarantee;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Collections;
import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What requests about items may contain, and in which order it is checked. */
public abstract class QueueRequestValidationContract extends QueueSuite {
  private static final Duration SHORTEST = Duration.ofMillis(10);
  private static final Duration LONGEST = Duration.ofMinutes(15);
  private static final Duration TICK = Duration.ofNanos(1);
  private static final Instant FIRST = Instant.parse("0001-01-01T00:00:00Z");
  private static final Instant LAST = Instant.parse("9999-12-31T23:59:59.999999999Z");
  private static final List<String> MALFORMED =
      List.of(
          "",
          " ",
          "x",
          "0".repeat(26),
          "0".repeat(28),
          "0".repeat(26) + "-",
          "0".repeat(26) + "\u00e9",
          "aWgEPTl1tmebfsQzFP4bxwgy80W",
          "z".repeat(27));

  @Test
  @Guarantee("Q77")
  void a_produce_has_1_to_1000_items() {
    Queue queue = create(named("q"));
    List<NewItem> most = Collections.nCopies(1000, NewItem.text("x"));

    assertThat(queue.produce(most, PATIENCE).ids()).hasSize(1000).doesNotHaveDuplicates();

    assertInvalid("items cannot be empty", () -> queue.produce(List.of(), PATIENCE));
    assertInvalid(
        "items is invalid",
        () -> queue.produce(Collections.nCopies(1001, NewItem.text("x")), PATIENCE));
    assertThat(queue.admin().list(0, "", 65536)).hasSize(1000);
  }

  @Test
  @Guarantee("Q77")
  void a_produce_waits_more_than_10_ms_and_less_than_15_minutes() {
    Queue queue = create(named("q"));
    queue.produce(List.of(NewItem.text("a")), SHORTEST.plus(TICK));
    queue.produce(List.of(NewItem.text("b")), LONGEST.minus(TICK));

    for (Duration bad : List.of(Duration.ZERO, SHORTEST, SHORTEST.negated(), LONGEST)) {
      assertInvalid(
          "request timeout is invalid", () -> queue.produce(List.of(NewItem.text("x")), bad));
    }
    assertInvalid("request timeout is invalid", () -> queue.produce(List.of(), LONGEST));
    assertThat(texts(stored(queue))).containsExactly("a", "b");
  }

  @Test
  @Guarantee("Q77")
  void a_payload_has_at_most_5_million_bytes() {
    assumeTrue(subject.isInProcess());
    Queue queue = create(named("q"));

    queue.produce(NewItem.of(new byte[5_000_000]));

    assertInvalid("items is invalid", () -> queue.produce(NewItem.of(new byte[5_000_001])));
    assertThat(lease(queue, 2).items().get(0).content().payload()).hasSize(5_000_000);
  }

  @Test
  @Guarantee("Q77")
  void texts_that_cannot_be_stored_are_refused_and_the_whole_request_with_them() {
    Queue queue = create(named("q"));
    NewItem good = NewItem.text("good");
    for (String bad : List.of("\0", "a\0b", "\ud83d", "\udd12\ud83d")) {
      for (NewItem item :
          List.of(good.withReference(bad), good.withEncoding(bad), good.withKind(bad))) {
        assertInvalid("items is invalid", () -> queue.produce(good, item));
      }
    }
    assertThat(stored(queue)).isEmpty();
    queue.produce(good.withReference("x".repeat(100_000)));
    assertThat(stored(queue).get(0).content().reference()).hasSize(100_000);
  }

  @Test
  @Guarantee("Q77")
  void times_are_of_the_years_1_to_9999() {
    Queue queue = create(named("q"));
    produce(queue, "a");
    String id = lease(queue, 1).ids().get(0);
    for (Instant bad : List.of(FIRST.minusNanos(1), LAST.plusNanos(1), Instant.MIN, Instant.MAX)) {
      assertOutOfRange("enqueue_at", () -> queue.produce(NewItem.text("x").at(bad)));
      assertOutOfRange("retry_at", () -> queue.retry(0, List.of(Retry.at(id, bad))));
      assertOutOfRange("enqueue_at", () -> importWith(queue, bad, null, null));
      assertOutOfRange("lease_deadline", () -> importWith(queue, null, bad, null));
      assertOutOfRange("expire_deadline", () -> importWith(queue, null, null, bad));
    }
    assertThat(scheduled(queue)).isEmpty();
    assertThat(texts(stored(queue))).containsExactly("a");
  }

  @Test
  @Guarantee("Q77")
  void the_last_moment_of_the_year_9999_is_a_time_to_wait_for() {
    Queue queue = create(named("q"));
    produce(queue, "retried");
    String id = lease(queue, 1).ids().get(0);

    queue.produce(NewItem.text("produced").at(LAST));
    queue.retry(0, List.of(Retry.at(id, LAST)));

    assertThat(scheduled(queue))
        .extracting(item -> item.times().enqueueAt())
        .containsOnly(LAST.truncatedTo(ChronoUnit.MICROS));
  }

  @Test
  @Guarantee("Q77")
  void a_lease_names_a_client_a_batch_and_a_timeout_checked_in_this_order() {
    Queue queue = create(named("q"));
    produce(queue, "a");
    for (String bad : List.of("", " ", "\t")) {
      assertLeaseInvalid("invalid client id", queue, new LeaseRequest(bad, 0, Duration.ZERO));
    }
    for (int bad : new int[] {0, -1, 1001, Integer.MIN_VALUE}) {
      assertLeaseInvalid("invalid batch size", queue, new LeaseRequest("c", bad, Duration.ZERO));
    }
    for (Duration bad : List.of(Duration.ZERO, SHORTEST, LONGEST.negated(), LONGEST.plus(TICK))) {
      assertLeaseInvalid("request timeout is invalid", queue, new LeaseRequest("c", 1, bad));
    }
    assertThat(queue.lease(new LeaseRequest("c", 1000, LONGEST)).items()).hasSize(1);
  }

  @Test
  @Guarantee("Q77")
  void a_complete_has_1_to_1000_ids_and_a_timeout_up_to_15_minutes() {
    Queue queue = create(named("q"));
    produce(queue, "a", "b");
    LeasedItems leased = lease(queue, 2);
    List<String> many = Collections.nCopies(1001, leased.ids().get(0));

    assertInvalid("ids is invalid", () -> queue.complete(0, List.of(), PATIENCE));
    assertInvalid("ids is invalid", () -> queue.complete(0, many, Duration.ZERO));
    for (Duration bad : List.of(Duration.ZERO, SHORTEST.negated(), LONGEST.plus(TICK))) {
      assertInvalid("request timeout is invalid", () -> queue.complete(0, leased.ids(), bad));
    }
    assertThat(stored(queue)).hasSize(2);
    queue.complete(0, leased.ids().subList(0, 1), TICK);
    queue.complete(0, leased.ids().subList(1, 2), LONGEST);
    assertThat(stored(queue)).isEmpty();
  }

  @Test
  @Guarantee("Q77")
  void a_retry_has_1_to_1000_items() {
    Queue queue = create(named("q"));
    List<Retry> many = Collections.nCopies(1001, Retry.now(strangersId()));

    assertInvalid("items cannot be empty; ", () -> queue.retry(0, List.of()));
    assertInvalid("items is invalid; there may be", () -> queue.retry(0, many));
  }

  @Test
  @Guarantee("Q77")
  void ids_are_looked_at_after_all_other_parameters() {
    Queue queue = create(named("q"));

    assertInvalid(
        "request timeout is invalid", () -> queue.complete(0, List.of("x"), Duration.ZERO));
    assertInvalid("lease timeout is invalid", () -> queue.extend(0, List.of("x"), Duration.ZERO));
  }

  @Test
  @Guarantee("Q77")
  void an_extension_is_positive_and_at_most_the_expire_timeout() {
    Queue queue = create(named("q"));
    produce(queue, "a");
    LeasedItems leased = lease(queue, 1);

    assertInvalid("ids is invalid", () -> queue.extend(0, List.of(), null));
    for (Duration bad : List.of(Duration.ZERO, LEASE.negated(), EXPIRE.plusNanos(1000))) {
      assertInvalid("lease timeout is invalid", () -> queue.extend(0, leased.ids(), bad));
    }
    assertThat(queue.extend(0, leased.ids(), null)).isEqualTo(in(LEASE));
    assertThat(queue.extend(0, leased.ids(), EXPIRE)).isEqualTo(in(EXPIRE));
  }

  @Test
  @Guarantee("Q77")
  void malformed_and_repeated_ids_are_refused_wherever_ids_are_given() {
    Queue queue = create(named("q"));
    produce(queue, "a");
    String good = lease(queue, 1).ids().get(0);
    for (String bad : MALFORMED) {
      List<String> ids = List.of(good, bad);
      String message = "invalid storage id";
      assertInvalid(message, () -> queue.complete(0, ids, PATIENCE));
      assertInvalid(message, () -> queue.retry(0, retries(ids)));
      assertInvalid(message, () -> queue.extend(0, ids, null));
      assertInvalid(message, () -> queue.admin().deleteItems(0, ids));
    }
    List<String> twice = List.of(good, good);
    assertInvalid("ids is invalid", () -> queue.complete(0, twice, PATIENCE));
    assertInvalid("items is invalid", () -> queue.retry(0, retries(twice)));
    assertInvalid("ids is invalid", () -> queue.extend(0, twice, null));
    assertInvalid("ids is invalid", () -> queue.admin().deleteItems(0, List.of()));
    queue.complete(0, List.of(good), PATIENCE);
  }

  @Test
  @Guarantee("Q77")
  void the_largest_id_is_well_formed_and_nobodys() {
    Queue queue = create(named("q"));
    String largest = "aWgEPTl1tmebfsQzFP4bxwgy80V";

    assertThat(failing(INVALID, () -> queue.complete(0, List.of(largest), PATIENCE)))
        .hasMessageContaining(largest);
    queue.admin().deleteItems(0, List.of(largest));
    assertThat(queue.admin().list(0, largest, 0)).isEmpty();
  }

  @Test
  @Guarantee("Q77")
  void the_first_fault_in_the_list_is_named() {
    Queue queue = create(named("q"));
    produce(queue, "leased", "ready");
    String leased = lease(queue, 1).ids().get(0);
    String ready = stored(queue).get(1).id();
    String nobody = strangersId();

    assertThat(failing(CONFLICT, () -> queue.complete(0, List.of(leased, ready, nobody), PATIENCE)))
        .hasMessage("item(s) cannot be completed; '" + ready + "' is not marked as leased");
    assertThat(failing(INVALID, () -> queue.complete(0, List.of(nobody, ready, leased), PATIENCE)))
        .hasMessageContaining(nobody);
    assertThat(failing(CONFLICT, () -> queue.retry(0, retries(List.of(ready)))))
        .hasMessage("item(s) cannot be retried; '" + ready + "' is not marked as leased");
    assertThat(failing(CONFLICT, () -> queue.extend(0, List.of(ready), null)))
        .hasMessage("item(s) cannot be extended; '" + ready + "' is not marked as leased");
    assertInvalid(
        "invalid storage id", () -> queue.complete(0, List.of(ready, nobody, "x"), PATIENCE));
  }

  @Test
  @Guarantee("Q77")
  void the_queue_and_then_the_partition_are_checked_before_other_parameters() {
    Queue nobody = queues.queue("nobody");
    String none = "queue does not exist; ";
    assertInvalid(none, () -> nobody.produce(List.of(), Duration.ZERO));
    assertLeaseInvalid(none, nobody, new LeaseRequest("", 0, Duration.ZERO));
    assertInvalid(none, () -> nobody.complete(-1, List.of(), Duration.ZERO));
    assertInvalid(none, () -> nobody.retry(-1, List.of()));
    assertInvalid(none, () -> nobody.extend(-1, List.of(), Duration.ZERO));
    assertInvalid(none, () -> nobody.admin().list(-1, "?", -1));
    assertInvalid(none, () -> nobody.admin().clear(new Clear(false, false, false)));
    assertInvalid(none, () -> nobody.admin().redrive(0));

    Queue queue = create(named("q").partitions(2));
    String range = "partition is invalid";
    for (int bad : new int[] {-1, 2, Integer.MAX_VALUE, Integer.MIN_VALUE}) {
      assertInvalid(range, () -> queue.complete(bad, List.of(), Duration.ZERO));
      assertInvalid(range, () -> queue.retry(bad, List.of()));
      assertInvalid(range, () -> queue.extend(bad, List.of(), Duration.ZERO));
      assertInvalid(range, () -> queue.admin().list(bad, "?", -1));
      assertInvalid(range, () -> queue.admin().listScheduled(bad, "?", -1));
      assertInvalid(range, () -> queue.admin().importItems(bad, List.of()));
      assertInvalid(range, () -> queue.admin().deleteItems(bad, List.of()));
    }
  }

  @Test
  @Guarantee("Q77")
  void lists_have_a_well_formed_pivot_and_a_limit_up_to_65536() {
    Queue queue = create(named("q"));
    for (String bad : List.of("x", "0".repeat(28), "z".repeat(27))) {
      assertInvalid("pivot is invalid", () -> queue.admin().list(0, bad, -1));
      assertInvalid("pivot is invalid", () -> queue.admin().listScheduled(0, bad, -1));
    }
    for (int bad : new int[] {-1, 65537}) {
      assertInvalid("limit is invalid", () -> queue.admin().list(0, "", bad));
      assertInvalid("limit is invalid", () -> queue.admin().listScheduled(0, "", bad));
    }
    assertThat(queue.admin().list(0, " ", 65536)).isEmpty();
  }

  @Test
  @Guarantee("Q77")
  void imports_clears_and_redrives_are_checked_too() {
    Queue queue = create(named("q"));
    StoredItem.Times scheduled = new StoredItem.Times(null, Instant.EPOCH, null, null);
    StoredItem both =
        new StoredItem("", true, 0, 0, scheduled, StoredItem.Origin.NONE, Content.empty());

    assertInvalid("items cannot be empty", () -> queue.admin().importItems(0, List.of()));
    assertInvalid("items is invalid", () -> queue.admin().importItems(0, List.of(both)));
    for (boolean destructive : new boolean[] {false, true}) {
      assertInvalid(
          "invalid clear request", () -> queue.admin().clear(new Clear(false, false, destructive)));
    }
    assertInvalid("limit is invalid", () -> queue.admin().redrive(0));
    assertInvalid("limit is invalid", () -> queue.admin().redrive(-1));
    assertThat(stored(queue)).isEmpty();
  }

  private static void importWith(
      Queue queue,
      @Nullable Instant enqueueAt,
      @Nullable Instant leaseDeadline,
      @Nullable Instant expireDeadline) {
    StoredItem.Times times = new StoredItem.Times(null, enqueueAt, leaseDeadline, expireDeadline);
    StoredItem item =
        new StoredItem("", false, 0, 0, times, StoredItem.Origin.NONE, Content.empty());
    queue.admin().importItems(0, List.of(item));
  }

  /** Over HTTP such a time has no form at all, which is told in other words. */
  private static void assertOutOfRange(String what, ThrowingCallable call) {
    assertThat(failing(INVALID, call)).hasMessageContaining(what);
  }

  private static List<Retry> retries(List<String> ids) {
    return ids.stream().map(Retry::now).toList();
  }

  private static void assertLeaseInvalid(String start, Queue queue, LeaseRequest request) {
    assertInvalid(start, () -> queue.lease(request));
    assertInvalid(start, () -> now(queue.leaseAsync(request)));
  }

  private static void assertInvalid(String start, ThrowingCallable call) {
    assertThat(failing(INVALID, call)).hasMessageStartingWith(start);
  }
}
