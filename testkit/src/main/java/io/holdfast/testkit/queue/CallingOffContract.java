package io.holdfast.testkit.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.holdfast.queue.LeaseRequest;
import io.holdfast.queue.LeasedItems;
import io.holdfast.queue.NewItem;
import io.holdfast.queue.Produced;
import io.holdfast.queue.Queue;
import io.holdfast.queue.QueueException;
import io.holdfast.queue.QueueException.Kind;
import io.holdfast.queue.Retry;
import io.holdfast.queue.StoredItem;
import io.holdfast.testkit.Guarantee;
import io.holdfast.testkit.queue.FaultyQueueStore.Moment;
import io.holdfast.testkit.queue.FaultyQueueStore.Operation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What becomes of calls that somebody gives up, and of those that wait when things end. */
@SuppressWarnings("NullAway.Init") // the fields are set before each test
public abstract class CallingOffContract extends QueueSuite {
  private FaultyQueueStore store;
  private SteppedQueues service;
  private Queue queue;

  @BeforeEach
  void createQueue() {
    create(named("orders"));
    store = new FaultyQueueStore(subject.process());
    service = over(store.backend(), OPTIONS.withMaxWaiting(3));
    queue = service.queue("orders");
  }

  @Test
  void a_produce_called_off_before_it_was_sent_stores_nothing() {
    assumeTrue(subject.isInProcess());
    Halt first = store.haltNext(Operation.PRODUCE, Moment.BEFORE);
    Halt second = store.haltNext(Operation.PRODUCE, Moment.BEFORE);
    CompletableFuture<Produced> one = send("one");
    first.awaitReached();
    CompletableFuture<Produced> two = send("two");
    second.awaitReached();
    CompletableFuture<Produced> unsent = send("unsent");

    unsent.cancel(true);
    first.open();
    second.open();

    now(one);
    now(two);
    assertThat(texts(stored(queues.queue("orders")))).containsExactlyInAnyOrder("one", "two");
  }

  @Test
  void a_complete_called_off_before_it_was_sent_is_not_done() {
    assumeTrue(subject.isInProcess());
    produce(queue, "one", "two", "unsent");
    List<String> ids = lease(queue, 3).ids();
    Halt first = store.haltNext(Operation.COMPLETE, Moment.BEFORE);
    Halt second = store.haltNext(Operation.COMPLETE, Moment.BEFORE);
    CompletableFuture<Void> one = queue.completeAsync(0, ids.subList(0, 1), PATIENCE);
    first.awaitReached();
    CompletableFuture<Void> two = queue.completeAsync(0, ids.subList(1, 2), PATIENCE);
    second.awaitReached();
    CompletableFuture<Void> unsent = queue.completeAsync(0, ids.subList(2, 3), PATIENCE);

    unsent.cancel(true);
    first.open();
    second.open();

    now(one);
    now(two);
    eventually(() -> queue.admin().stats().inFlight() == 0);
    assertThat(texts(stored(queue))).containsExactly("unsent");
  }

  @Test
  void a_retry_called_off_before_it_was_sent_is_not_done() {
    assumeTrue(subject.isInProcess());
    produce(queue, "one", "two", "unsent");
    List<String> ids = lease(queue, 3).ids();
    Halt first = store.haltNext(Operation.RETRY, Moment.BEFORE);
    Halt second = store.haltNext(Operation.RETRY, Moment.BEFORE);
    CompletableFuture<Void> one = queue.retryAsync(0, List.of(Retry.dead(ids.get(0))));
    first.awaitReached();
    CompletableFuture<Void> two = queue.retryAsync(0, List.of(Retry.dead(ids.get(1))));
    second.awaitReached();
    CompletableFuture<Void> unsent = queue.retryAsync(0, List.of(Retry.dead(ids.get(2))));

    unsent.cancel(true);
    first.open();
    second.open();

    now(one);
    now(two);
    eventually(() -> queue.admin().stats().inFlight() == 0);
    assertThat(stored(queue)).extracting(StoredItem::id).containsExactly(ids.get(2));
  }

  @Test
  void a_call_whose_queue_is_not_found_in_time_is_answered_and_not_made() {
    assumeTrue(subject.isInProcess());
    Halt halt = store.haltNext(Operation.CATALOG_GET, Moment.BEFORE);
    CompletableFuture<Produced> late = send("late");
    halt.awaitReached();

    pass(PATIENCE);

    QueueException refusal = failing(Kind.RETRYABLE, () -> now(late));
    assertThat(refusal.isOutcomeUnknown()).isFalse();
    halt.open();
    now(send("next"));
    eventually(() -> queue.admin().stats().inFlight() == 0);
    assertThat(texts(stored(queue))).containsExactly("next");
  }

  @Test
  @Guarantee("Q26")
  void a_cancelled_waiting_lease_takes_nothing() {
    CompletableFuture<LeasedItems> lease = parked(queue, "worker", 1);

    lease.cancel(true);
    if (!subject.isInProcess()) { // a server hears of it later
      eventually(() -> queue.admin().stats().leaseWaiting() == 0);
    }
    produce(queue, "a");

    assertThat(texts(lease(queue, 1))).containsExactly("a");
  }

  @Test
  void an_interrupted_lease_ends_and_its_thread_stays_interrupted() {
    CompletableFuture<Boolean> worker = new CompletableFuture<>();
    LeaseRequest request = new LeaseRequest("worker", 1, Duration.ofMinutes(1));
    crew.execute(
        () -> {
          Assertions.catchThrowable(() -> queue.lease(request));
          worker.complete(Thread.currentThread().isInterrupted());
        });
    eventually(() -> queue.admin().stats().leaseWaiting() == 1);

    crew.shutdownNow();

    assertThat(now(worker)).isTrue();
    eventually(() -> queue.admin().stats().leaseWaiting() == 0);
  }

  @Test
  @Guarantee({"Q08", "Q90"})
  void produces_that_waited_for_a_partition_are_all_answered_when_it_recovers() {
    store.failNext(Operation.PRODUCE, Moment.BEFORE, QueueException.retryable("down", null));
    List<CompletableFuture<Produced>> produces = new ArrayList<>();
    produces.add(send("the first"));
    eventually(this::isFailing);
    for (int i = 0; i < 11; i++) {
      produces.add(send("item " + i));
    }
    Halt first = store.haltNext(Operation.PRODUCE, Moment.BEFORE);
    Halt second = store.haltNext(Operation.PRODUCE, Moment.BEFORE);

    pass(Duration.ofSeconds(1));
    first.open();
    second.open();

    eventually(
        () -> {
          if (isFailing()) { // it may have been noted only after the last pass
            pass(Duration.ofSeconds(1));
          }
          return allDone(produces);
        });
    long acknowledged = produces.stream().filter(p -> !p.isCompletedExceptionally()).count();
    assertThat(acknowledged).isPositive();
    assertThat(stored(queue)).hasSize((int) acknowledged);
  }

  private boolean isFailing() {
    return queue.admin().stats().partitions().get(0).failures() > 0;
  }

  private static boolean allDone(List<CompletableFuture<Produced>> produces) {
    return produces.stream().allMatch(CompletableFuture::isDone);
  }

  @Test
  @Guarantee({"Q89", "QF22"})
  void a_lease_that_found_nothing_while_its_service_closed_is_answered() {
    Halt halt = store.haltNext(Operation.LEASE, Moment.AFTER);
    CompletableFuture<LeasedItems> lease = waiting(queue, "worker", 1);
    halt.awaitReached();

    CompletableFuture<Void> close = CompletableFuture.runAsync(service::close, crew);
    eventually(this::isClosed);
    halt.open();

    failing(Kind.FAILED, () -> now(lease));
    close.join();
  }

  @Test
  @Guarantee({"Q89", "QF22"})
  void a_lease_that_found_something_while_its_service_closed_has_it_or_has_handed_it_back() {
    produce(queue, "a");
    Halt halt = store.haltNext(Operation.LEASE, Moment.AFTER);
    CompletableFuture<LeasedItems> lease = waiting(queue, "worker", 1);
    halt.awaitReached();

    CompletableFuture<Void> close = CompletableFuture.runAsync(service::close, crew);
    eventually(this::isClosed);
    halt.open();
    close.join();

    eventually(lease::isDone);
    assertThat(stored(queues.queue("orders")).get(0).isLeased())
        .isNotEqualTo(lease.isCompletedExceptionally());
  }

  @Test
  @Guarantee({"Q89", "QF22"})
  void whoever_waits_when_a_service_closes_is_told() {
    assumeTrue(subject.isInProcess());
    CompletableFuture<LeasedItems> lease = parked(queue, "worker", 1);
    store.cutOff(0);
    CompletableFuture<Produced> produce = send("stranded");
    eventually(() -> store.calls(Operation.PRODUCE) == 1);

    end(service);

    failing(Kind.FAILED, () -> now(lease));
    failing(Kind.FAILED, () -> now(produce));
  }

  @Test
  @Guarantee({"Q71", "QF15"})
  void a_queue_created_again_elsewhere_is_a_new_queue_here() {
    produce(queue, "old");
    queue.complete(lease(queue, 1));
    CompletableFuture<LeasedItems> lease = parked(queue, "worker", 1);

    queues.delete("orders", true);
    time.advance(Duration.ofMillis(1));
    queues.create(named("orders").partitions(3));
    pass(Duration.ofSeconds(5));

    failing(Kind.FAILED, () -> now(lease));
    assertThat(queue.admin().stats().partitions()).hasSize(3);
    assertThat(queue.admin().list(2, "", 0)).isEmpty();
  }

  private CompletableFuture<Produced> send(String payload) {
    return queue.produceAsync(List.of(NewItem.text(payload)), PATIENCE);
  }

  private boolean isClosed() {
    return Assertions.catchThrowable(() -> service.get("orders")) != null;
  }
}
