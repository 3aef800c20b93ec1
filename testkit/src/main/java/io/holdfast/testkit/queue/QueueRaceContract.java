package io.holdfast.testkit.queue;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.queue.LeaseRequest;
import io.holdfast.queue.LeasedItem;
import io.holdfast.queue.LeasedItems;
import io.holdfast.queue.NewItem;
import io.holdfast.queue.Produced;
import io.holdfast.queue.Queue;
import io.holdfast.queue.QueueException;
import io.holdfast.queue.QueueException.Kind;
import io.holdfast.queue.Retry;
import io.holdfast.queue.StoredItem;
import io.holdfast.testkit.Guarantee;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.IntStream;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.Test;

/** What holds when threads of several processes do things at the same time. */
public abstract class QueueRaceContract extends QueueSuite {
  private static final Duration LONG = Duration.ofDays(30);
  private static final int WORKERS = 4;
  private static final int TURNS = 25;

  /** What two holders at a time would spoil: neither volatile nor synchronised, on purpose. */
  private int unsafe;

  @Test
  @Guarantee("Q24")
  void an_item_never_has_two_holders() {
    Queue here = create(named("token").leaseFor(LONG).expireAfter(LONG));
    Queue there = process().queue("token");
    produce(here, "the only one");

    List<CompletableFuture<Void>> workers = new ArrayList<>();
    for (int i = 0; i < WORKERS; i++) {
      String client = "worker" + i;
      Queue queue = i % 2 == 0 ? here : there;
      workers.add(CompletableFuture.runAsync(() -> count(queue, client), crew));
    }
    CompletableFuture<Void> all =
        CompletableFuture.allOf(workers.toArray(CompletableFuture[]::new));
    eventually(
        () -> {
          pass(Duration.ofMillis(20)); // hints to another process are sent at most that often
          return all.isDone();
        });

    all.join();
    assertThat(unsafe).isEqualTo(WORKERS * TURNS);
    assertThat(lease(here, 1).items().get(0).attempts()).isEqualTo(WORKERS * TURNS + 1);
  }

  private void count(Queue queue, String client) {
    LeaseRequest request = new LeaseRequest(client, 1, Duration.ofMinutes(10));
    int turns = 0;
    while (turns < TURNS) {
      LeasedItems held = queue.lease(request);
      if (!held.isEmpty()) {
        unsafe++;
        turns++;
        queue.retry(held.partition(), List.of(Retry.now(held.ids().get(0))));
      }
    }
  }

  @Test
  @Guarantee({"Q02", "Q03", "Q11"})
  void produces_at_the_same_time_stay_whole_and_in_order() {
    Queue here = create(named("orders").partitions(2));
    Queue there = process().queue("orders");

    List<CompletableFuture<List<Produced>>> producers = new ArrayList<>();
    for (int i = 0; i < WORKERS; i++) {
      Queue queue = i % 2 == 0 ? here : there;
      producers.add(CompletableFuture.supplyAsync(() -> produceAll(queue), crew));
    }

    List<String> ids = new ArrayList<>();
    for (CompletableFuture<List<Produced>> producer : producers) {
      for (int partition = 0; partition < 2; partition++) {
        List<String> own = idsIn(partition, now(producer));
        assertThat(own).isSorted();
        ids.addAll(own);
      }
    }
    assertThat(ids).hasSize(WORKERS * TURNS * 3).doesNotHaveDuplicates();
    assertThat(here.admin().list(0, "", 0).size() + here.admin().list(1, "", 0).size())
        .isEqualTo(ids.size());
  }

  private static List<Produced> produceAll(Queue queue) {
    return IntStream.range(0, TURNS).mapToObj(i -> produce(queue, "a", "b", "c")).toList();
  }

  private static List<String> idsIn(int partition, List<Produced> produced) {
    return produced.stream()
        .filter(one -> one.partition() == partition)
        .flatMap(one -> one.ids().stream())
        .toList();
  }

  @Test
  @Guarantee({"Q35", "Q36", "QF5"})
  void of_complete_and_lease_expiry_exactly_one_wins() {
    Queue queue = create(named("orders"));
    SteppedQueues sweeper = process();
    for (int round = 0; round < 30; round++) {
      NewItem item = NewItem.text("round " + round);
      queue.produce(item);
      LeasedItems held = lease(queue, 1);
      time.advance(LEASE);

      CompletableFuture<Void> sweep = CompletableFuture.runAsync(() -> steps(sweeper), crew);
      Throwable refused = Assertions.catchThrowable(() -> queue.complete(held));
      sweep.join();

      if (refused == null) {
        assertThat(stored(queue)).isEmpty();
      } else {
        assertThat(((QueueException) refused).kind()).isEqualTo(Kind.INVALID);
        assertThat(stored(queue)).hasSize(1).noneMatch(StoredItem::isLeased);
        queue.complete(lease(queue, 1));
      }
    }
  }

  @Test
  @Guarantee({"Q24", "QF4"})
  void two_processes_never_lease_the_same_item() {
    Queue here = create(named("orders"));
    Queue there = process().queue("orders");
    int total = 600;
    produce(here, numbered(total));
    java.util.Queue<LeasedItem> taken = new ConcurrentLinkedQueue<>();
    java.util.Queue<CompletableFuture<LeasedItems>> asked = new ConcurrentLinkedQueue<>();

    for (int i = 0; i < 6; i++) {
      take(i % 2 == 0 ? here : there, "worker" + i, taken, asked);
    }
    eventually(() -> taken.size() >= total);
    asked.forEach(lease -> lease.cancel(true));

    assertThat(taken).extracting(LeasedItem::id).hasSize(total).doesNotHaveDuplicates();
    assertThat(taken).allSatisfy(item -> assertThat(item.attempts()).isEqualTo(1));
  }

  /** Leases again and again until called off. */
  private static void take(
      Queue queue,
      String client,
      java.util.Queue<LeasedItem> taken,
      java.util.Queue<CompletableFuture<LeasedItems>> asked) {
    CompletableFuture<LeasedItems> lease = waiting(queue, client, 7);
    asked.add(lease);
    lease.whenCompleteAsync(
        (items, failure) -> {
          if (items != null) {
            taken.addAll(items.items());
            take(queue, client, taken, asked);
          } else if (!(failure instanceof CancellationException)) {
            throw new AssertionError(failure);
          }
        });
  }

  @Test
  @Guarantee({"Q33", "QF6"})
  void two_completes_that_share_an_id_never_both_succeed() {
    Queue queue = create(named("orders"));
    produce(queue, "1", "2", "3");
    List<String> ids = lease(queue, 3).ids();
    Queue other = process().queue("orders");

    CompletableFuture<Void> one = queue.completeAsync(0, ids.subList(0, 2), PATIENCE);
    CompletableFuture<Void> two = other.completeAsync(0, List.of(ids.get(2), ids.get(1)), PATIENCE);
    eventually(() -> one.isDone() && two.isDone());

    assertThat(one.isCompletedExceptionally()).isNotEqualTo(two.isCompletedExceptionally());
    assertThat(texts(stored(queue))).containsExactly(one.isCompletedExceptionally() ? "1" : "3");
  }

  @Test
  @Guarantee("Q60")
  void two_sweepers_act_once() {
    Queue dead = create(named("dead").expireAfter(LONG));
    Queue queue = create(named("orders").deadQueue("dead").maxAttempts(1));
    Queue steady = create(named("steady"));
    SteppedQueues other = process();
    String[] payloads = numbered(300);
    produce(queue, payloads);
    produce(steady, payloads);
    lease(queue, 150);
    lease(steady, 150);
    settle();

    time.advance(EXPIRE);
    CompletableFuture<Void> there = CompletableFuture.runAsync(() -> steps(other), crew);
    steps(queues);
    there.join();
    settle();

    assertThat(stored(queue)).isEmpty();
    assertThat(texts(stored(dead))).containsExactlyInAnyOrder(payloads);
    assertThat(stored(dead)).extracting(item -> item.origin().sourceId()).doesNotHaveDuplicates();
  }

  @Test
  @Guarantee("Q60")
  void two_sweepers_return_a_lapsed_lease_once() {
    Queue queue = create(named("orders"));
    SteppedQueues other = process();
    String[] payloads = numbered(300);
    produce(queue, payloads);
    lease(queue, 300);
    settle();

    time.advance(LEASE);
    CompletableFuture<Void> there = CompletableFuture.runAsync(() -> steps(other), crew);
    steps(queues);
    there.join();
    settle();

    assertThat(texts(stored(queue))).containsExactlyInAnyOrder(payloads);
    assertThat(lease(queue, 300).items()).extracting(LeasedItem::attempts).containsOnly(2);
  }

  private static void steps(SteppedQueues service) {
    for (int i = 0; i < 20; i++) {
      service.step();
    }
  }
}
