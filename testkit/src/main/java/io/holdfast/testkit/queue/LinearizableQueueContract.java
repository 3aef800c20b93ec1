package io.holdfast.testkit.queue;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.lease.Hints;
import io.holdfast.queue.LeaseRequest;
import io.holdfast.queue.LeasedItems;
import io.holdfast.queue.NewItem;
import io.holdfast.queue.NewQueue;
import io.holdfast.queue.Produced;
import io.holdfast.queue.Queue;
import io.holdfast.queue.QueueBackend;
import io.holdfast.queue.QueueException;
import io.holdfast.queue.Queues;
import io.holdfast.queue.Retry;
import io.holdfast.testkit.Guarantee;
import io.holdfast.testkit.history.QueueHistory;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Concurrent calls on one partition behave like calls made one after the other. Two producers and
 * two consumers work at once while the clock moves under them; the history of each round is then
 * put in an order, or there is none and the round fails with its seed.
 */
public abstract class LinearizableQueueContract extends QueueSuite {
  private static final Duration TICK = Duration.ofMillis(10);
  private static final Duration LEASE_OF_TICKS = TICK.multipliedBy(20);
  private static final Duration LONG = Duration.ofMinutes(15);
  private static final Duration SLACK = Duration.ofSeconds(5);
  private static final int ROUNDS = 8;
  private static final int PRODUCES = 25;
  private static final int MOST_CALLS = 3_000;

  /** Fewer where every call is a journey. */
  private int rounds() {
    return subject.isInProcess() ? ROUNDS : ROUNDS / 4;
  }

  @Test
  @Guarantee("Q96")
  void concurrent_calls_on_a_partition_have_an_order_that_explains_them() throws Exception {
    for (int seed = 1; seed <= rounds(); seed++) {
      Queue queue = create(NewQueue.named("round-" + seed).leaseFor(LEASE_OF_TICKS));
      new Round(queue, queue, seed).run();
    }
  }

  @Test
  @Guarantee("Q96")
  void calls_of_two_processes_have_an_order_that_explains_them() throws Exception {
    Queues one = withoutHints();
    Queues other = withoutHints();
    for (int seed = 101; seed <= 100 + rounds(); seed++) {
      String name = "round-" + seed;
      create(NewQueue.named(name).leaseFor(LEASE_OF_TICKS));
      new Round(one.queue(name), other.queue(name), seed).run();
    }
  }

  /**
   * A process that finds what others did by looking. A hint may come at any moment, so one could
   * wake a lease just when it is ended, which then hands back what it got: see {@link
   * Round#endWaiting}.
   */
  private Queues withoutHints() {
    QueueBackend backend = subject.process();
    return over(
        new QueueBackend(backend.catalog(), backend.partitions(), new NoHints(), backend.time()),
        OPTIONS);
  }

  /** Says nothing and hears nothing. */
  private static final class NoHints implements Hints {
    @Override
    public void send(String topic) {}

    @Override
    public Subscription listen(Listener listener) {
      return () -> {};
    }
  }

  /** Where an answer is written down. */
  private interface Record {
    void write(long begun, List<String> ids, boolean isDone);
  }

  /** A queue, four workers, and what they did. */
  private final class Round {
    private final Queue queue;
    private final Queue elsewhere;
    private final int seed;
    private final QueueHistory history = new QueueHistory(SLACK);
    private List<CompletableFuture<Void>> workers = List.of();
    private final Semaphore progress = new Semaphore(0);
    private final AtomicInteger unfinished = new AtomicInteger();
    private final Set<CompletableFuture<LeasedItems>> waiting = ConcurrentHashMap.newKeySet();
    private final ReadWriteLock gate = new ReentrantReadWriteLock();
    private final AtomicInteger producing = new AtomicInteger(2);

    Round(Queue queue, Queue elsewhere, int seed) {
      this.queue = queue;
      this.elsewhere = elsewhere;
      this.seed = seed;
    }

    void run() throws Exception {
      workers =
          Stream.<Runnable>of(
                  new Producer(queue, "p" + seed, seed)::run,
                  new Producer(elsewhere, "q" + seed, -seed)::run,
                  new Consumer(queue, "c", 31 * seed)::run,
                  new Consumer(elsewhere, "d", -31 * seed)::run)
              .map(worker -> CompletableFuture.runAsync(worker, crew))
              .toList();
      CompletableFuture<Void> all =
          CompletableFuture.allOf(workers.toArray(CompletableFuture<?>[]::new));
      for (int turn = 1; !all.isDone(); turn++) {
        tick();
        if (turn % 3 == 0) {
          endWaiting();
        }
        // The clock follows the calls, and goes on by itself when all of them wait for it.
        progress.tryAcquire(subject.pace().toMillis(), TimeUnit.MILLISECONDS);
      }
      all.get();
      try {
        history.check();
      } catch (AssertionError e) {
        throw new AssertionError("seed " + seed + ": " + e.getMessage(), e);
      }
      assertThat(unfinished).as("items without an end, seed %d", seed).hasValue(0);
    }

    /** Moves the clock, and has leases ended that are over, while calls go on. */
    private void tick() {
      // An item may stay hidden from another process for a second if more than 50 ms lie between
      // its id and its commit; on this clock those are over before a database has answered.
      Lock calls = elsewhere.equals(queue) ? new ReentrantLock() : gate.writeLock();
      calls.lock();
      try {
        long begun = history.begin();
        pass(TICK);
        history.swept(begun, Instant.ofEpochMilli(time.nowMs()));
      } finally {
        calls.unlock();
      }
    }

    /**
     * Ends the leases that wait, with nothing. It does so only when no other call is under way: a
     * lease that ends while its claim is running hands back what it got, and for that while items
     * are in hands that no history shows.
     */
    private void endWaiting() {
      gate.writeLock().lock();
      try {
        eventually(() -> waiting.size() == parked() || hasFailed());
        waiting.forEach(lease -> lease.complete(LeasedItems.none()));
        eventually(() -> parked() == 0);
      } finally {
        gate.writeLock().unlock();
      }
    }

    private boolean hasFailed() {
      return workers.stream().anyMatch(CompletableFuture::isCompletedExceptionally);
    }

    private int parked() {
      int here = queue.admin().stats().leaseWaiting();
      return elsewhere.equals(queue) ? here : here + elsewhere.admin().stats().leaseWaiting();
    }

    private <T> T gated(Supplier<T> call) {
      gate.readLock().lock();
      try {
        return call.get();
      } finally {
        gate.readLock().unlock();
      }
    }

    /** Appends requests of one to three items. */
    private final class Producer {
      private final Queue mine;
      private final String name;
      private final Random random;

      Producer(Queue mine, String name, int seed) {
        this.mine = mine;
        this.name = name;
        this.random = new Random(seed);
      }

      void run() {
        for (int i = 0; i < PRODUCES; i++) {
          List<String> labels = new ArrayList<>();
          for (int n = random.nextInt(3); n >= 0; n--) {
            labels.add(name + "-" + i + "-" + n);
          }
          unfinished.addAndGet(labels.size());
          gated(() -> produce(labels));
          progress.release();
        }
        producing.decrementAndGet();
      }

      private Produced produce(List<String> labels) {
        long begun = history.begin();
        Produced produced = mine.produce(labels.stream().map(NewItem::text).toList(), PATIENCE);
        history.produced(begun, labels, produced.ids());
        return produced;
      }
    }

    /** Leases until everything is done; completes most, retries some, is late with others. */
    private final class Consumer {
      private final Queue mine;
      private final String name;
      private final Random random;
      private final Deque<List<String>> late = new ArrayDeque<>();

      Consumer(Queue mine, String name, int seed) {
        this.mine = mine;
        this.name = name;
        this.random = new Random(seed);
      }

      void run() {
        int calls = 0;
        boolean isOver = false;
        while (!isOver || !late.isEmpty()) {
          // Looks before it leases: the last lease begins with everything done, and must be empty.
          isOver = producing.get() == 0 && unfinished.get() <= 0 || ++calls > MOST_CALLS;
          List<String> ids = lease();
          if (!ids.isEmpty()) {
            deal(ids);
          }
          if (late.size() > 1 || (ids.isEmpty() && !late.isEmpty())) {
            complete(late.pop());
          }
          progress.release();
        }
      }

      private List<String> lease() {
        int batch = 1 + random.nextInt(4);
        long begun = history.begin();
        CompletableFuture<LeasedItems> lease = gated(() -> ask(batch));
        LeasedItems leased = now(lease);
        waiting.remove(lease);
        history.leased(
            begun,
            batch,
            leased.items().stream()
                .map(i -> new QueueHistory.Taken(i.id(), i.text(), i.leaseDeadline()))
                .toList());
        return leased.ids();
      }

      private CompletableFuture<LeasedItems> ask(int batch) {
        CompletableFuture<LeasedItems> lease = mine.leaseAsync(new LeaseRequest(name, batch, LONG));
        waiting.add(lease);
        return lease;
      }

      private void deal(List<String> ids) {
        int choice = random.nextInt(20);
        if (choice < 12) {
          complete(ids);
        } else if (choice < 17) {
          retry(ids);
        } else if (choice < 19) {
          late.add(ids);
        } // else it forgets them, and their leases run out
      }

      private void complete(List<String> ids) {
        if (settled(() -> mine.complete(0, ids, PATIENCE), ids, history::completed)) {
          unfinished.addAndGet(-ids.size());
        }
      }

      private void retry(List<String> ids) {
        List<Retry> retries = ids.stream().map(Retry::now).toList();
        settled(() -> mine.retry(0, retries), ids, history::retried);
      }

      private boolean settled(Runnable call, List<String> ids, Record record) {
        return gated(
            () -> {
              long begun = history.begin();
              boolean isDone = isDone(call);
              record.write(begun, ids, isDone);
              return isDone;
            });
      }

      private boolean isDone(Runnable call) {
        try {
          call.run();
          return true;
        } catch (QueueException e) {
          assertThat(e.kind())
              .as(e.getMessage())
              .isIn(QueueException.Kind.INVALID, QueueException.Kind.CONFLICT);
          return false;
        }
      }
    }
  }
}
