package io.holdfast.testkit.queue;

import static io.holdfast.queue.QueueException.Kind.FAILED;
import static io.holdfast.queue.QueueException.Kind.RETRYABLE;
import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.ErrorCode;
import io.holdfast.queue.Clear;
import io.holdfast.queue.LeaseRequest;
import io.holdfast.queue.LeasedItems;
import io.holdfast.queue.NewItem;
import io.holdfast.queue.Produced;
import io.holdfast.queue.Queue;
import io.holdfast.queue.QueueException;
import io.holdfast.queue.QueueStats;
import io.holdfast.queue.Retry;
import io.holdfast.queue.StoredItem;
import io.holdfast.testkit.Guarantee;
import io.holdfast.testkit.queue.FaultyQueueStore.Moment;
import io.holdfast.testkit.queue.FaultyQueueStore.Operation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/** What a process owes when it starts, is overloaded, ends or dies. */
public abstract class QueueServiceContract extends QueueSuite {
  private static final Duration LATER = Duration.ofMinutes(5);

  @Test
  @Guarantee("Q88")
  void items_leases_and_schedules_survive_a_restart() {
    SteppedQueues first = open(subject.process(), OPTIONS);
    first.create(named("q"));
    Queue before = first.queue("q");
    produce(before, "leased", "ready");
    LeasedItems leased = before.lease(request(1));
    before.produce(List.of(NewItem.text("later").at(in(LATER))), PATIENCE);
    first.close();

    Queue after = queues.queue("q");

    assertThat(texts(stored(after))).containsExactly("leased", "ready");
    assertThat(texts(scheduled(after))).containsExactly("later");
    assertThat(texts(lease(after, 5))).containsExactly("ready");
    after.complete(leased);
    assertThat(texts(stored(after))).containsExactly("ready");
    pass(LATER);
    assertThat(texts(lease(after, 5))).containsExactlyInAnyOrder("ready", "later");
  }

  @Test
  @Guarantee("Q88")
  void deadlines_are_kept_by_a_process_that_nobody_has_called_yet() {
    SteppedQueues first = open(subject.process(), OPTIONS);
    first.create(named("dead"));
    first.create(named("q").deadQueue("dead").maxAttempts(1));
    produce(first.queue("q"), "a");
    first.queue("q").lease(request(1));
    first.close();

    queues.start();
    settle();
    pass(LEASE.plus(Duration.ofMinutes(1)));

    assertThat(stored(queues.queue("q"))).isEmpty();
    assertThat(texts(stored(queues.queue("dead")))).containsExactly("a");
  }

  @Test
  @Guarantee("Q89")
  void a_waiting_lease_is_answered_when_the_service_closes() {
    create(named("q"));
    SteppedQueues closing = open(subject.process(), OPTIONS);
    List<CompletableFuture<LeasedItems>> leases = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      leases.add(parked(closing.queue("q"), "client " + i, 1));
    }

    closing.close();

    for (CompletableFuture<LeasedItems> lease : leases) {
      assertThat(failing(FAILED, () -> now(lease))).hasMessage("service is shutting down");
    }
  }

  @Test
  @Guarantee("Q89")
  void a_closed_service_refuses_every_call_and_may_be_closed_again() {
    create(named("q"));
    SteppedQueues closed = open(subject.process(), OPTIONS);
    Queue queue = closed.queue("q");
    produce(queue, "a");
    List<String> ids = queue.lease(request(1)).ids();
    closed.close();
    closed.close();

    assertClosed(() -> produce(queue, "b"));
    assertClosed(() -> queue.lease(request(1)));
    assertClosed(() -> now(waiting(queue, "client", 1)));
    assertClosed(() -> queue.complete(0, ids, PATIENCE));
    assertClosed(() -> queue.retry(0, List.of(Retry.now(ids.get(0)))));
    assertClosed(() -> queue.extend(0, ids, null));
    assertClosed(() -> queue.admin().stats());
    assertClosed(() -> queue.admin().clear(Clear.EVERYTHING));
    assertClosed(() -> closed.create(named("other")));
    assertClosed(() -> closed.get("q"));
    assertClosed(closed::ping);
    assertThat(stored(queues.queue("q"))).extracting(StoredItem::isLeased).containsExactly(true);
  }

  @Test
  @Guarantee("Q89")
  void a_statement_under_way_is_finished_and_its_caller_answered() throws Exception {
    create(named("q"));
    FaultyQueueStore store = new FaultyQueueStore(subject.process());
    SteppedQueues closing = open(store.backend(), OPTIONS);
    closing.get("q");
    Halt halt = store.haltNext(Operation.PRODUCE, Moment.BEFORE);
    CompletableFuture<Produced> produce =
        closing.queue("q").produceAsync(List.of(NewItem.text("a")), PATIENCE);
    halt.awaitReached();

    CompletableFuture<Void> close = CompletableFuture.runAsync(closing::close, crew);
    eventually(() -> isRefusing(closing));
    halt.open();

    assertThat(now(produce).ids()).hasSize(1);
    now(close);
    assertThat(texts(stored(queues.queue("q")))).containsExactly("a");
  }

  @Test
  @Guarantee("Q89")
  void every_call_during_shutdown_is_done_or_refused_and_never_both() {
    Queue watching = create(named("q"));
    for (int round = 0; round < 10; round++) {
      watching.admin().clear(true);
      SteppedQueues closing = open(subject.process(), OPTIONS);
      AtomicInteger acknowledged = new AtomicInteger();
      CountDownLatch busy = new CountDownLatch(20);
      List<CompletableFuture<Void>> callers = new ArrayList<>();
      for (int i = 0; i < 4; i++) {
        callers.add(
            CompletableFuture.runAsync(
                () -> produceUntilRefused(closing.queue("q"), acknowledged, busy), crew));
      }
      await(busy);

      closing.close();

      callers.forEach(QueueSuite::now);
      assertThat(watching.admin().list(0, "", 65536)).hasSize(acknowledged.get());
    }
  }

  @Test
  @Guarantee("Q90")
  void overload_is_refused_at_once() {
    create(named("q"));
    FaultyQueueStore store = new FaultyQueueStore(subject.process());
    SteppedQueues busy = over(store.backend(), OPTIONS.withMaxWaiting(5).withFusing(true));
    Queue queue = busy.queue("q");
    busy.get("q");
    List<Halt> halts = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      halts.add(store.haltNext(Operation.PRODUCE, Moment.BEFORE));
    }

    List<CompletableFuture<Produced>> accepted = new ArrayList<>();
    QueueException refusal = null;
    for (int i = 0; i < 50 && refusal == null; i++) {
      int before = underWay(queue);
      CompletableFuture<Produced> call =
          queue.produceAsync(List.of(NewItem.text("item " + i)), PATIENCE);
      eventually(() -> call.isDone() || underWay(queue) > before);
      if (call.isDone()) {
        refusal = failing(RETRYABLE, () -> now(call));
      } else {
        accepted.add(call);
      }
    }

    assertThat(refusal).isNotNull().hasMessage("queue is overloaded; try again later");
    assertThat(refusal).extracting(QueueException::code).isEqualTo(ErrorCode.OVERLOADED);
    // Those under way do not wait any more, so a few more than five are accepted.
    assertThat(accepted.size()).isBetween(5, 10);
    halts.forEach(Halt::open);
    accepted.forEach(QueueSuite::now);
    assertThat(stored(queues.queue("q"))).hasSize(accepted.size());
    produce(queue, "welcome again");
  }

  private static int underWay(Queue queue) {
    QueueStats stats = queue.admin().stats();
    return stats.produceWaiting() + stats.inFlight();
  }

  @Test
  @Guarantee("Q90")
  void parked_leases_are_no_overload() {
    create(named("q"));
    Queue queue = over(subject.process(), OPTIONS.withMaxWaiting(2)).queue("q");
    List<CompletableFuture<LeasedItems>> leases = new ArrayList<>();
    for (int i = 0; i < 10; i++) {
      leases.add(parked(queue, "client " + i, 1));
    }

    for (int i = 0; i < 10; i++) {
      produce(queue, "item " + i);
    }

    assertThat(leases.stream().map(lease -> texts(now(lease)).get(0)).distinct()).hasSize(10);
  }

  @Test
  @Guarantee("Q91")
  void a_crashed_process_leaves_leases_and_schedules_that_another_serves() {
    create(named("q"));
    // Nobody steps this one: it makes its calls and is never heard of again.
    SteppedQueues crashed = open(subject.process(), OPTIONS);
    Queue theirs = crashed.queue("q");
    produce(theirs, "held");
    List<String> ids = theirs.lease(request(1)).ids();
    theirs.produce(List.of(NewItem.text("due").at(in(Duration.ofSeconds(20)))), PATIENCE);
    CompletableFuture<LeasedItems> first = parked(queues.queue("q"), "first", 1);

    pass(LEASE.plusSeconds(5));
    LeasedItems held = now(first);
    assertThat(texts(held)).containsExactly("held");
    assertThat(held.ids()).doesNotContainAnyElementsOf(ids);
    assertThat(held.items().get(0).attempts()).isEqualTo(2);
    queues.queue("q").complete(held);

    CompletableFuture<LeasedItems> second = parked(queues.queue("q"), "second", 1);
    pass(Duration.ofSeconds(10));
    assertThat(texts(now(second))).containsExactly("due");
    crashed.close();
  }

  @Test
  @Guarantee("Q92")
  void counts_do_not_drift() {
    create(named("dead"));
    Queue queue = create(named("q").partitions(2).deadQueue("dead").maxAttempts(3));
    Random random = new Random(92);
    for (int i = 0; i < 400; i++) {
      // The clock stands still: nobody comes and counts again.
      act(queue, random, 6);
    }
    queue.admin().clear(true);

    List<Integer> partitions = new ArrayList<>();
    for (int i = 0; i < 10; i++) {
      partitions.add(produce(queue, "x").partition());
    }

    // The choice follows counts: from equal ones each pair of produces goes to both partitions.
    for (int i = 0; i < 10; i += 2) {
      assertThat(partitions.get(i)).as("%s", partitions).isNotEqualTo(partitions.get(i + 1));
    }
  }

  @Test
  @Guarantee("Q92")
  void stats_agree_with_the_lists_after_any_work() {
    create(named("dead"));
    Queue queue = create(named("q").partitions(2).deadQueue("dead").maxAttempts(3));
    Random random = new Random(29);
    int acts = subject.isInProcess() ? 200 : 50;
    for (int i = 0; i < acts; i++) {
      act(queue, random, 7);
      for (int partition = 0; partition < 2; partition++) {
        List<StoredItem> items = queue.admin().list(partition, "", 0);
        int later = queue.admin().listScheduled(partition, "", 0).size();
        assertThat(queue.admin().stats().partitions().get(partition).counts())
            .matches(c -> c.total() == items.size())
            .matches(c -> c.leased() == items.stream().filter(StoredItem::isLeased).count())
            .matches(c -> c.scheduled() == later);
      }
    }
  }

  /** Something that changes counts; only the last of seven choices takes time. */
  private void act(Queue queue, Random random, int choices) {
    switch (random.nextInt(choices)) {
      case 0, 1 -> produce(queue, "a", "b", "c");
      case 2 -> queue.produce(List.of(NewItem.text("later").at(in(LEASE))), PATIENCE);
      case 3 -> lease(queue, 2);
      case 6 -> pass(LEASE);
      default -> {
        LeasedItems leased = lease(queue, 2);
        if (leased.isEmpty()) {
          break;
        }
        if (random.nextBoolean()) {
          queue.complete(leased);
        } else {
          queue.retry(leased.partition(), leased.ids().stream().map(Retry::now).toList());
        }
      }
    }
  }

  private static void produceUntilRefused(
      Queue queue, AtomicInteger acknowledged, CountDownLatch busy) {
    while (true) {
      try {
        produce(queue, "x");
        acknowledged.incrementAndGet();
        busy.countDown();
      } catch (QueueException e) {
        assertThat(e.kind()).as(e.getMessage()).isEqualTo(FAILED);
        return;
      }
    }
  }

  private static boolean isRefusing(SteppedQueues service) {
    try {
      service.ping();
      return false;
    } catch (QueueException e) {
      return e.kind() == FAILED;
    }
  }

  private static void await(CountDownLatch latch) {
    try {
      assertThat(latch.await(20, TimeUnit.SECONDS)).isTrue();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  private static LeaseRequest request(int batch) {
    return new LeaseRequest("client", batch, PATIENCE);
  }

  private static void assertClosed(ThrowingCallable call) {
    assertThat(failing(FAILED, call)).hasMessage("service is shutting down");
  }
}
