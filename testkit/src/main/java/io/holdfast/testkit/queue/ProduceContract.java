package io.holdfast.testkit.queue;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.queue.Content;
import io.holdfast.queue.LeasedItem;
import io.holdfast.queue.NewItem;
import io.holdfast.queue.Produced;
import io.holdfast.queue.Queue;
import io.holdfast.queue.QueueException;
import io.holdfast.queue.QueueException.Kind;
import io.holdfast.queue.StoredItem;
import io.holdfast.testkit.Guarantee;
import io.holdfast.testkit.queue.FaultyQueueStore.Moment;
import io.holdfast.testkit.queue.FaultyQueueStore.Operation;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What producing promises. */
public abstract class ProduceContract extends QueueSuite {
  private static final byte[] BYTES = {0, 1, -1, 127, -128, 10};

  @Test
  @Guarantee("Q01")
  void an_item_comes_back_with_every_field_it_was_produced_with() {
    Queue queue = create(named("orders"));
    Content content = new Content(BYTES, "customer é 漢 😀", "application/json", "signup");

    Produced produced = queue.produce(new NewItem(content, null));
    LeasedItem item = lease(queue, 1).items().get(0);

    assertThat(item.content()).isEqualTo(content);
    assertThat(produced.ids()).containsExactly(item.id());
    assertThat(produced.partition()).isZero();
  }

  @Test
  @Guarantee("Q01")
  void a_stored_item_has_the_moments_of_its_insert() {
    Queue queue = create(named("orders"));

    produce(queue, "a");

    StoredItem item = stored(queue).get(0);
    assertThat(item.times()).isEqualTo(new StoredItem.Times(instant(), null, null, in(EXPIRE)));
    assertThat(item.isLeased()).isFalse();
    assertThat(item.attempts()).isZero();
    assertThat(item.origin()).isEqualTo(StoredItem.Origin.NONE);
  }

  @Test
  @Guarantee("Q01")
  void a_scheduled_item_keeps_its_enqueue_time_to_the_microsecond() {
    Queue queue = create(named("orders"));
    Instant at = in(Duration.ofMinutes(1)).plusNanos(123_456_789);

    queue.produce(NewItem.text("later").at(at));

    assertThat(stored(queue)).isEmpty();
    assertThat(scheduled(queue).get(0).times().enqueueAt()).isEqualTo(at.minusNanos(789));
  }

  @Test
  @Guarantee("Q02")
  void items_of_a_request_keep_their_order() {
    Queue queue = create(named("orders"));
    String[] payloads = numbered(1000);

    Produced produced = produce(queue, payloads);

    assertThat(produced.ids()).isSorted().doesNotHaveDuplicates();
    assertThat(texts(lease(queue, 1000))).containsExactly(payloads);
  }

  @Test
  @Guarantee("Q03")
  void a_later_produce_sorts_after_an_acknowledged_one_across_processes() {
    Queue here = create(named("orders"));
    Queue there = process().queue("orders");
    List<String> ids = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      ids.addAll(produce(i % 2 == 0 ? here : there, "x", "y").ids());
    }

    assertThat(ids).isSorted().doesNotHaveDuplicates();
  }

  @Test
  @Guarantee("Q04")
  void an_item_without_payload_is_accepted() {
    Queue queue = create(named("orders"));

    queue.produce(new NewItem(Content.empty(), null));

    assertThat(lease(queue, 1).items().get(0).content().payload()).isEmpty();
  }

  @ParameterizedTest
  @Guarantee("Q05")
  @ValueSource(longs = {-86_400_000, -1, 0, 1, 99})
  void an_enqueue_time_in_the_past_or_under_100_ms_ahead_means_now(long ms) {
    Queue queue = create(named("orders"));

    queue.produce(NewItem.text("a").at(instant().plusMillis(ms)));

    assertThat(stored(queue).get(0).times().enqueueAt()).isNull();
    assertThat(texts(lease(queue, 1))).containsExactly("a");
  }

  @Test
  @Guarantee("Q05")
  void an_enqueue_time_100_ms_ahead_is_kept() {
    Queue queue = create(named("orders"));
    Instant almost = instant().plusMillis(100).minusNanos(1000);

    queue.produce(
        NewItem.text("now").at(almost), NewItem.text("then").at(instant().plusMillis(100)));

    assertThat(texts(stored(queue))).containsExactly("now");
    assertThat(texts(scheduled(queue))).containsExactly("then");
  }

  @Test
  @Guarantee("Q06")
  void a_produce_is_acknowledged_only_when_the_store_has_answered() {
    FaultyQueueStore store = new FaultyQueueStore(subject.process());
    Queue queue = faulty(store, 1);
    Halt before = store.haltNext(Operation.PRODUCE, Moment.BEFORE);
    Halt after = store.haltNext(Operation.PRODUCE, Moment.AFTER);

    CompletableFuture<Produced> first = inBackground(queue, "a");
    before.awaitReached();
    assertThat(first).isNotDone();
    before.open();
    assertThat(now(first).ids()).hasSize(1);
    CompletableFuture<Produced> second = inBackground(queue, "b");
    after.awaitReached();
    assertThat(second).isNotDone();
    after.open();

    assertThat(now(second).ids()).hasSize(1);
    assertThat(texts(stored(queues.queue("orders")))).containsExactly("a", "b");
  }

  @Test
  @Guarantee("Q06")
  void what_was_acknowledged_is_there_for_another_process() {
    Queue queue = create(named("orders"));

    Produced produced = produce(queue, "a");
    end(queues);

    assertThat(lease(process().queue("orders"), 1).ids()).isEqualTo(produced.ids());
  }

  @Test
  @Guarantee("Q07")
  void a_produce_that_the_store_refused_stores_nothing() {
    FaultyQueueStore store = new FaultyQueueStore(subject.process());
    Queue queue = faulty(store, 1);
    store.failNext(Operation.PRODUCE, Moment.BEFORE, QueueException.invalid("data is bad"));
    store.failNext(Operation.PRODUCE, Moment.BEFORE, QueueException.invalid("data is bad"));

    failing(Kind.INVALID, () -> produce(queue, "a", "b"));

    assertThat(stored(queues.queue("orders"))).isEmpty();
  }

  @Test
  @Guarantee({"Q07", "QF2"})
  void a_produce_that_found_no_partition_in_time_stores_nothing() {
    FaultyQueueStore store = new FaultyQueueStore(subject.process());
    Queue queue = faulty(store, 2);
    store.cutOff(0);
    store.cutOff(1);
    CompletableFuture<Produced> produced =
        queue.produceAsync(List.of(NewItem.text("a")), Duration.ofSeconds(20));
    eventually(() -> isStranded(queue));
    for (int i = 0; i < 19; i++) {
      pass(Duration.ofSeconds(1));
    }
    assertThat(produced).isNotDone();

    pass(Duration.ofSeconds(1));

    QueueException failure = failing(Kind.RETRYABLE, () -> now(produced));
    assertThat(failure.isOutcomeUnknown()).isFalse();
    assertThat(failure)
        .hasMessageStartingWith("request timeout; ")
        .hasMessageContaining("storage is not reachable");
    store.mend(0);
    store.mend(1);
    pass(Duration.ofMinutes(1));
    assertThat(everything(queues.queue("orders"), 2)).isEmpty();
  }

  @Test
  @Guarantee("Q07")
  void one_bad_item_refuses_the_whole_request() {
    Queue queue = create(named("orders"));
    NewItem bad = NewItem.text("b").withReference("zero \0 inside");

    failing(Kind.INVALID, () -> queue.produce(NewItem.text("a"), bad));

    assertThat(stored(queue)).isEmpty();
  }

  @Test
  @Guarantee("QF3")
  void a_produce_whose_answer_was_lost_says_so_and_is_not_sent_again() {
    FaultyQueueStore store = new FaultyQueueStore(subject.process());
    Queue queue = faulty(store, 2);
    store.failNext(
        Operation.PRODUCE, Moment.AFTER, QueueException.unknown("connection lost", null));

    QueueException failure = failing(Kind.RETRYABLE, () -> produce(queue, "a"));

    assertThat(failure.isOutcomeUnknown()).isTrue();
    assertThat(store.calls(Operation.PRODUCE)).isEqualTo(1);
    assertThat(everything(queues.queue("orders"), 2)).containsExactly("a");
  }

  @Test
  @Guarantee({"Q08", "QF2"})
  void a_produce_moves_to_a_healthy_partition_and_is_stored_once() {
    FaultyQueueStore store = new FaultyQueueStore(subject.process());
    Queue queue = faulty(store, 3);
    store.cutOff(0);
    store.cutOff(1);

    Produced produced = produce(queue, "a");

    assertThat(produced.partition()).isEqualTo(2);
    assertThat(everything(queues.queue("orders"), 3)).containsExactly("a");
  }

  @Test
  @Guarantee("Q08")
  void a_produce_waits_within_its_deadline_for_a_partition_to_recover() {
    FaultyQueueStore store = new FaultyQueueStore(subject.process());
    Queue queue = faulty(store, 1);
    store.cutOff(0);
    CompletableFuture<Produced> produced =
        queue.produceAsync(List.of(NewItem.text("a")), Duration.ofSeconds(20));
    eventually(() -> isStranded(queue));
    pass(Duration.ofSeconds(2));
    assertThat(produced).isNotDone();

    store.mend(0);
    for (int i = 0; i < 6; i++) {
      pass(Duration.ofSeconds(1));
    }

    assertThat(now(produced).partition()).isZero();
    assertThat(texts(stored(queues.queue("orders")))).containsExactly("a");
  }

  @Test
  @Guarantee("Q09")
  void ids_come_back_in_request_order() {
    Queue queue = create(named("orders"));

    List<String> ids =
        queue
            .produce(
                NewItem.text("a"),
                NewItem.text("later").at(in(Duration.ofMinutes(1))),
                NewItem.text("b"))
            .ids();

    assertThat(stored(queue)).extracting(StoredItem::id).containsExactly(ids.get(0), ids.get(2));
    assertThat(texts(stored(queue))).containsExactly("a", "b");
    assertThat(scheduled(queue)).extracting(StoredItem::id).containsExactly(ids.get(1));
  }

  @Test
  @Guarantee({"Q10", "QF14"})
  void ids_continue_after_a_restart_a_clock_step_and_a_frozen_clock() {
    Queue queue = create(named("orders"));
    List<String> ids = new ArrayList<>();
    for (int i = 0; i < 10; i++) {
      ids.addAll(produce(queue, "frozen", "frozen").ids());
    }

    time.stepDatabase(-Duration.ofHours(1).toMillis());
    ids.addAll(produce(queue, "stepped").ids());
    end(queues);
    Queue restarted = process().queue("orders");
    ids.addAll(produce(restarted, "restarted").ids());
    time.stepDatabase(Duration.ofHours(2).toMillis());
    ids.addAll(produce(restarted, "forwards").ids());

    assertThat(ids).isSorted().doesNotHaveDuplicates();
  }

  @Test
  @Guarantee("Q11")
  void a_request_is_never_split_over_partitions() {
    Queue queue = create(named("orders").partitions(4));
    for (int i = 0; i < 8; i++) {
      Produced produced = produce(queue, numbered(25));

      List<StoredItem> there = queue.admin().list(produced.partition(), "", 0);
      assertThat(there).extracting(StoredItem::id).containsAll(produced.ids());
    }
  }

  @Test
  void producing_to_a_queue_that_does_not_exist_is_invalid() {
    QueueException failure = failing(Kind.INVALID, () -> produce(queues.queue("nowhere"), "a"));

    assertThat(failure).hasMessageStartingWith("queue does not exist");
  }

  private Queue faulty(FaultyQueueStore store, int partitions) {
    create(named("orders").partitions(partitions));
    SteppedQueues service = over(store.backend(), OPTIONS);
    return service.queue("orders");
  }

  /** Whether a produce has tried all partitions and waits for one to recover. */
  private static boolean isStranded(Queue queue) {
    return queue.admin().stats().produceWaiting() == 1;
  }

  private CompletableFuture<Produced> inBackground(Queue queue, String payload) {
    return CompletableFuture.supplyAsync(() -> produce(queue, payload), crew);
  }

  private static List<String> everything(Queue queue, int partitions) {
    List<String> payloads = new ArrayList<>();
    for (int i = 0; i < partitions; i++) {
      payloads.addAll(texts(queue.admin().list(i, "", 0)));
    }
    return payloads;
  }
}
