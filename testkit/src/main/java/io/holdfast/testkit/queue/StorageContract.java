package io.holdfast.testkit.queue;

import static io.holdfast.queue.QueueException.Kind.INVALID;
import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.queue.Clear;
import io.holdfast.queue.Content;
import io.holdfast.queue.LeasedItems;
import io.holdfast.queue.NewItem;
import io.holdfast.queue.Queue;
import io.holdfast.queue.QueueInfo;
import io.holdfast.queue.QueuePage;
import io.holdfast.queue.QueueStats;
import io.holdfast.queue.StoredItem;
import io.holdfast.testkit.Guarantee;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What operators see of items and do to them: lists, import, delete, clear, counts. */
public abstract class StorageContract extends QueueSuite {
  private static final Duration LATER = Duration.ofMinutes(5);

  @Test
  @Guarantee("Q78")
  void queues_are_listed_in_the_order_of_their_bytes_from_the_pivot_on() {
    // In UTF-16 the emoji would come before the full-width letter.
    List<String> inOrder = List.of("A", "Z", "a", "b", "\u00e9", "\uff21", "\ud83d\udd12");
    for (String name : List.of("b", "\ud83d\udd12", "Z", "\u00e9", "a", "\uff21", "A")) {
      create(named(name));
    }

    assertThat(names("", 0)).isEqualTo(inOrder);
    assertThat(names("", 2)).containsExactly("A", "Z");
    assertThat(names("a", 2)).containsExactly("a", "b");
    assertThat(names("\uff21", 0)).containsExactly("\uff21", "\ud83d\udd12");
  }

  @Test
  @Guarantee("Q78")
  void items_are_listed_in_the_order_of_ids_from_the_pivot_on() {
    Queue queue = create(named("q"));
    List<String> ids = produce(queue, "a", "b", "c", "d").ids();
    lease(queue, 2);

    assertThat(texts(stored(queue))).containsExactly("a", "b", "c", "d");
    assertThat(stored(queue))
        .extracting(StoredItem::isLeased)
        .containsExactly(true, true, false, false);
    assertThat(texts(queue.admin().list(0, ids.get(1), 0))).containsExactly("b", "c", "d");
    assertThat(texts(queue.admin().list(0, ids.get(1), 2))).containsExactly("b", "c");
    assertThat(queue.admin().listScheduled(0, "", 0)).isEmpty();
  }

  @Test
  void a_list_of_more_than_64_MiB_is_refused_and_a_shorter_one_is_not() {
    Queue queue = create(named("q"));
    for (int i = 0; i < 19; i++) {
      queue.produce(NewItem.of(new byte[3_600_000]));
    }

    assertThat(failing(INVALID, () -> queue.admin().list(0, "", 0)))
        .hasMessage("limit is invalid; the items have more than 67108864 bytes, ask for fewer");
    assertThat(queue.admin().list(0, "", 2)).hasSize(2);
  }

  @Test
  @Guarantee("Q78")
  void scheduled_items_have_a_list_of_their_own_in_the_order_of_ids() {
    Queue queue = create(named("q"));
    List<String> ids =
        queue
            .produce(
                List.of(
                    NewItem.text("last").at(in(LATER.multipliedBy(2))),
                    NewItem.text("now"),
                    NewItem.text("first").at(in(LATER))),
                PATIENCE)
            .ids();

    assertThat(texts(scheduled(queue))).containsExactly("last", "first");
    assertThat(texts(queue.admin().listScheduled(0, "", 1))).containsExactly("last");
    assertThat(texts(queue.admin().listScheduled(0, ids.get(1), 0))).containsExactly("first");
    assertThat(texts(stored(queue))).containsExactly("now");
  }

  @Test
  @Guarantee("Q78")
  void a_list_without_limit_has_a_thousand() {
    Queue queue = create(named("q"));
    produce(queue, "first");
    for (int i = 0; i < 2; i++) {
      queue.produce(Collections.nCopies(600, NewItem.text("x")), PATIENCE);
    }

    assertThat(queue.admin().list(0, "", 0)).hasSize(1000);
    assertThat(queue.admin().list(0, "", 1101)).hasSize(1101);
    assertThat(queue.admin().list(0, "", 65536)).hasSize(1201);
  }

  @Test
  @Guarantee("Q79")
  void a_missing_pivot_starts_at_the_next_key_and_a_late_one_is_empty() {
    create(named("b"));
    Queue queue = create(named("d"));
    List<String> ids = produce(queue, "a", "b", "c").ids();
    queue.admin().deleteItems(0, List.of(ids.get(1)));

    assertThat(names("a", 0)).containsExactly("b", "d");
    assertThat(names("c", 0)).containsExactly("d");
    assertThat(names("e", 0)).isEmpty();
    assertThat(texts(queue.admin().list(0, ids.get(1), 0))).containsExactly("c");
    assertThat(texts(queue.admin().list(0, strangersId(), 0))).containsExactly("a", "c");
    assertThat(queue.admin().list(0, "aWgEPTl1tmebfsQzFP4bxwgy80V", 0)).isEmpty();
    assertThat(queue.admin().listScheduled(0, ids.get(0), 0)).isEmpty();
  }

  @Test
  @Guarantee("Q80")
  void import_keeps_state_deadlines_attempts_and_source() {
    Queue queue = create(named("q"));
    Instant precise = in(LATER).plusNanos(123_456_789);
    Content content = new Content("x".getBytes(StandardCharsets.UTF_8), "ref", "utf8", "kind");
    StoredItem.Origin origin = new StoredItem.Origin("source", "elsewhere", "expired");
    StoredItem.Times times = new StoredItem.Times(Instant.EPOCH, null, precise, precise);
    time.advance(LEASE);

    StoredItem imported =
        imported(queue, new StoredItem("ignored", true, 7, 9, times, origin, content));

    Instant micros = in(LATER).minus(LEASE).plusNanos(123_456_000);
    assertThat(imported)
        .isEqualTo(
            new StoredItem(
                imported.id(),
                true,
                7,
                9,
                new StoredItem.Times(instant(), null, micros, micros),
                origin,
                content));
    assertThat(imported.id()).isNotEqualTo("ignored").hasSize(27);
    assertThat(stored(queue)).containsExactly(imported);
    queue.complete(0, List.of(imported.id()), PATIENCE);
    assertThat(stored(queue)).isEmpty();
  }

  @Test
  @Guarantee("Q80")
  void import_fills_in_deadlines_that_are_left_open() {
    Queue queue = create(named("q"));

    StoredItem ready = imported(queue, item("a", false, null));
    StoredItem leased = imported(queue, item("b", true, null));

    assertThat(ready.times().expireDeadline()).isEqualTo(in(EXPIRE));
    assertThat(leased.times().leaseDeadline()).isEqualTo(in(LEASE));
    assertThat(leased.times().expireDeadline()).isEqualTo(in(EXPIRE));
  }

  @Test
  @Guarantee("Q80")
  void an_imported_schedule_is_kept_even_if_it_is_over() {
    Queue queue = create(named("q"));
    Instant past = in(LATER.negated());

    imported(queue, item("over", false, past));
    imported(queue, item("ahead", false, in(LATER)));

    assertThat(scheduled(queue))
        .extracting(item -> item.times().enqueueAt())
        .containsExactly(past, in(LATER));
    settle();
    assertThat(texts(stored(queue))).containsExactly("over");
    pass(LATER);
    assertThat(texts(stored(queue))).containsExactly("over", "ahead");
  }

  @Test
  @Guarantee("Q80")
  void items_are_imported_in_their_order_and_duplicates_answer_what_is_there() {
    Queue queue = create(named("q"));
    StoredItem first = imported(queue, sourced("one", "s1"));

    List<StoredItem> answers =
        queue
            .admin()
            .importItems(
                0, List.of(sourced("new", "s2"), sourced("again", "s1"), sourced("twice", "s2")));

    assertThat(texts(stored(queue))).containsExactly("one", "new");
    assertThat(answers).extracting(StoredItem::id).element(1).isEqualTo(first.id());
    assertThat(answers.get(0).id()).isEqualTo(answers.get(2).id());
    assertThat(texts(answers)).containsExactly("new", "one", "new");
  }

  @Test
  @Guarantee("Q80")
  void a_source_id_has_at_most_2000_bytes() {
    Queue queue = create(named("q"));
    // Text that cannot be compressed: an index stores it as it is.
    String longest =
        new Random(1)
            .ints(2000, '0', 'z' + 1)
            .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
            .toString();

    assertThat(imported(queue, sourced("a", longest)).origin().sourceId()).isEqualTo(longest);

    for (String bad : List.of(longest + "x", "\u00e9".repeat(1001), "x".repeat(10_000))) {
      assertThat(failing(INVALID, () -> imported(queue, sourced("b", bad))))
          .hasMessage("items is invalid; source_id is too long");
    }
    assertThat(texts(stored(queue))).containsExactly("a");
  }

  @Test
  @Guarantee("Q81")
  void imported_items_are_leasable_at_once() {
    Queue queue = create(named("q"));
    CompletableFuture<LeasedItems> waiting = parked(queue, "client", 5);

    queue.admin().importItems(0, List.of(item("a", false, null), item("b", false, null)));

    LeasedItems leased = now(waiting);
    assertThat(texts(leased)).containsExactly("a", "b");
    assertThat(leased.items().get(0).attempts()).isEqualTo(1);
  }

  @Test
  @Guarantee("Q82")
  void delete_removes_items_in_any_state_and_is_idempotent() {
    Queue queue = create(named("q"));
    List<String> ids = produce(queue, "leased", "ready", "stays").ids();
    lease(queue, 1);
    String later = queue.produce(List.of(NewItem.text("x").at(in(LATER))), PATIENCE).ids().get(0);
    List<String> doomed = List.of(ids.get(0), ids.get(1), later, strangersId());

    queue.admin().deleteItems(0, doomed);
    queue.admin().deleteItems(0, doomed);

    assertThat(texts(stored(queue))).containsExactly("stays");
    assertThat(scheduled(queue)).isEmpty();
    failing(INVALID, () -> queue.complete(0, List.of(ids.get(0)), PATIENCE));
  }

  @Test
  @Guarantee("Q82")
  void delete_with_a_malformed_id_deletes_nothing() {
    Queue queue = create(named("q"));
    List<String> ids = produce(queue, "a").ids();

    failing(INVALID, () -> queue.admin().deleteItems(0, List.of(ids.get(0), "x")));

    assertThat(stored(queue)).hasSize(1);
  }

  @Test
  @Guarantee("Q83")
  void each_combination_of_clear_flags_removes_exactly_its_items() {
    assertCleared(new Clear(true, false, false), List.of("leased"), List.of("scheduled"));
    assertCleared(new Clear(true, false, true), List.of(), List.of("scheduled"));
    assertCleared(new Clear(false, true, false), List.of("leased", "ready"), List.of());
    assertCleared(new Clear(false, true, true), List.of("leased", "ready"), List.of());
    assertCleared(new Clear(true, true, false), List.of("leased"), List.of());
    assertCleared(new Clear(true, true, true), List.of(), List.of());
  }

  @Test
  @Guarantee("Q83")
  void clear_by_one_flag_spares_or_takes_what_is_leased() {
    Queue queue = create(named("q").partitions(2));
    produce(queue, "a");
    lease(queue, 1);
    produce(queue, "b");
    produce(queue, "c");

    queue.admin().clear(false);
    assertThat(totals(queue)).containsExactly(1L, 0L);

    queue.admin().clear(true);
    assertThat(totals(queue)).containsExactly(0L, 0L);
  }

  @Test
  @Guarantee("Q84")
  void stats_are_right_per_partition_in_every_state() {
    Queue queue = create(named("q").partitions(2));
    produce(queue, "a", "b", "c");
    time.advance(Duration.ofSeconds(4));
    queue.produce(List.of(NewItem.text("later").at(in(LATER))), PATIENCE);
    LeasedItems leased = lease(queue, 2);
    assertThat(leased.partition()).isZero();
    time.advance(Duration.ofSeconds(2));

    QueueStats stats = queue.admin().stats();

    assertThat(stats.partitions()).extracting(p -> p.partition()).containsExactly(0, 1);
    assertThat(stats.partitions().get(0).counts())
        .isEqualTo(
            new QueueStats.ItemCounts(3, 2, 0, Duration.ofSeconds(6), LEASE.minusSeconds(2)));
    assertThat(stats.partitions().get(1).counts())
        .isEqualTo(new QueueStats.ItemCounts(0, 0, 1, Duration.ZERO, Duration.ZERO));
    assertThat(stats.partitions()).allMatch(p -> p.failures() == 0);
  }

  @Test
  @Guarantee("Q84")
  void a_lease_that_is_over_counts_as_having_no_time_left() {
    Queue queue = create(named("q"));
    produce(queue, "a");
    lease(queue, 1);
    time.advance(LEASE.multipliedBy(3));

    assertThat(queue.admin().stats().partitions().get(0).counts().averageLeaseLeft()).isZero();
  }

  @Test
  @Guarantee("Q84")
  void stats_count_the_leases_that_wait_here() {
    Queue queue = create(named("q"));
    assertThat(queue.admin().stats().leaseWaiting()).isZero();
    CompletableFuture<LeasedItems> one = parked(queue, "one", 1);
    parked(queue, "two", 1);
    eventually(() -> queue.admin().stats().leaseWaiting() == 2);

    one.cancel(true);

    eventually(() -> queue.admin().stats().leaseWaiting() == 1);
    assertThat(process().queue("q").admin().stats().leaseWaiting()).isZero();
  }

  private static StoredItem item(String text, boolean isLeased, @Nullable Instant enqueueAt) {
    return new StoredItem(
        "",
        isLeased,
        0,
        0,
        new StoredItem.Times(null, enqueueAt, null, null),
        StoredItem.Origin.NONE,
        Content.of(text.getBytes(StandardCharsets.UTF_8)));
  }

  private static StoredItem sourced(String text, String source) {
    return new StoredItem(
        "",
        false,
        0,
        0,
        StoredItem.Times.NONE,
        new StoredItem.Origin(source, "", ""),
        Content.of(text.getBytes(StandardCharsets.UTF_8)));
  }

  private static StoredItem imported(Queue queue, StoredItem item) {
    return queue.admin().importItems(0, List.of(item)).get(0);
  }

  private void assertCleared(Clear what, List<String> kept, List<String> keptScheduled) {
    Queue queue = create(named("clear" + what.hashCode()));
    produce(queue, "leased");
    lease(queue, 1);
    produce(queue, "ready");
    queue.produce(List.of(NewItem.text("scheduled").at(in(LATER))), PATIENCE);

    queue.admin().clear(what);

    assertThat(texts(stored(queue))).as("%s", what).isEqualTo(kept);
    assertThat(texts(scheduled(queue))).as("%s", what).isEqualTo(keptScheduled);
  }

  private static List<Long> totals(Queue queue) {
    return queue.admin().stats().partitions().stream().map(p -> p.counts().total()).toList();
  }

  private List<String> names(String pivot, int limit) {
    return queues.list(new QueuePage(pivot, limit, null)).stream().map(QueueInfo::name).toList();
  }
}
