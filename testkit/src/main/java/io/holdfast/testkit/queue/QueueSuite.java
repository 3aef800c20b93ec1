package io.holdfast.testkit.queue;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.lease.Background;
import io.holdfast.lease.StoreCall;
import io.holdfast.queue.ItemIds;
import io.holdfast.queue.LeaseRequest;
import io.holdfast.queue.LeasedItems;
import io.holdfast.queue.NewItem;
import io.holdfast.queue.NewQueue;
import io.holdfast.queue.Partition;
import io.holdfast.queue.Produced;
import io.holdfast.queue.Queue;
import io.holdfast.queue.QueueBackend;
import io.holdfast.queue.QueueException;
import io.holdfast.queue.QueueInfo;
import io.holdfast.queue.QueueOptions;
import io.holdfast.queue.QueueStats;
import io.holdfast.queue.StoredItem;
import io.holdfast.testkit.ManualTime;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;
import org.assertj.core.api.Assertions;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;

/**
 * What every queue suite starts from: a fresh store on a manual clock, and queues over it whose
 * duties run only when a test steps them.
 */
@Timeout(120)
@SuppressWarnings("NullAway.Init") // the fields are set before each test
public abstract class QueueSuite {
  protected static final QueueOptions OPTIONS = QueueOptions.DEFAULTS.stepped();
  protected static final Duration LEASE = Duration.ofSeconds(10);
  protected static final Duration EXPIRE = Duration.ofHours(1);
  protected static final Duration PATIENCE = Duration.ofSeconds(30);
  private static final long LOOK_EVERY_NANOS = 50_000;

  private final List<SteppedQueues> opened = new CopyOnWriteArrayList<>();
  protected final ExecutorService crew = Background.tasks("queue-suite");
  protected final ManualTime time = new ManualTime();
  protected QueueSubject subject;
  protected SteppedQueues queues;

  /** The store under test, fresh and empty, with {@code time} for its clock. */
  protected abstract QueueSubject subject(ManualTime time);

  @BeforeEach
  void openQueues() {
    subject = subject(time);
    queues = process();
  }

  @AfterEach
  void closeQueues() {
    Thread.interrupted();
    crew.shutdownNow();
    opened.forEach(SteppedQueues::close);
    subject.close();
  }

  /** Queues as one more process has them. */
  protected SteppedQueues process() {
    return over(subject.process(), OPTIONS);
  }

  protected SteppedQueues over(QueueBackend backend, QueueOptions options) {
    SteppedQueues service = open(backend, options);
    opened.add(service);
    return service;
  }

  /** The same for a process whose duties nobody steps and which nobody ends but the test. */
  protected SteppedQueues open(QueueBackend backend, QueueOptions options) {
    return subject.open(backend, options);
  }

  /** Ends a process in good order; its duties are not stepped any more. */
  protected void end(SteppedQueues process) {
    opened.remove(process);
    process.close();
  }

  /** Steps the duties of all processes until none has anything to do. */
  protected void settle() {
    int rounds = 0;
    int done = 1;
    while (done > 0) {
      done = opened.stream().mapToInt(SteppedQueues::step).sum();
      assertThat(rounds++).as("duties come to an end").isLessThan(10_000);
    }
  }

  /** Moves the clock and lets the duties do what that made due. */
  protected void pass(Duration by) {
    time.advance(by);
    settle();
  }

  /** What most tests use: leases of ten seconds, items of an hour. */
  protected static NewQueue named(String name) {
    return NewQueue.named(name).leaseFor(LEASE).expireAfter(EXPIRE);
  }

  protected Queue create(NewQueue queue) {
    queues.create(queue);
    return queues.queue(queue.name());
  }

  protected static Produced produce(Queue queue, String... payloads) {
    List<NewItem> items = new ArrayList<>();
    for (String payload : payloads) {
      items.add(NewItem.text(payload));
    }
    return queue.produce(items, PATIENCE);
  }

  /** So many payloads that can be told apart. */
  protected static String[] numbered(int count) {
    return IntStream.range(0, count).mapToObj(i -> "item " + i).toArray(String[]::new);
  }

  /** Leases what is there now; nothing when there is nothing. */
  protected LeasedItems lease(Queue queue, int batch) {
    int before = queue.admin().stats().leaseWaiting();
    CompletableFuture<LeasedItems> lease = waiting(queue, "lease", batch);
    eventually(
        () -> {
          settle();
          return lease.isDone() || hasParked(queue, before);
        });
    if (!lease.isDone()) {
      lease.cancel(true);
      eventually(() -> queue.admin().stats().leaseWaiting() <= before);
      return LeasedItems.none();
    }
    return now(lease);
  }

  /** A lease that waits for up to a minute of manual time. */
  protected static CompletableFuture<LeasedItems> waiting(Queue queue, String client, int batch) {
    return queue.leaseAsync(new LeaseRequest(client, batch, Duration.ofMinutes(1)));
  }

  /** A lease that has looked everywhere, found nothing and waits. */
  protected CompletableFuture<LeasedItems> parked(Queue queue, String client, int batch) {
    int before = queue.admin().stats().leaseWaiting();
    CompletableFuture<LeasedItems> lease = waiting(queue, client, batch);
    eventually(() -> lease.isDone() || hasParked(queue, before));
    assertThat(lease).as("nothing was there to lease").isNotDone();
    return lease;
  }

  /** Whether one more than before has looked everywhere and waits, and no call is under way. */
  protected static boolean hasParked(Queue queue, int before) {
    QueueStats stats = queue.admin().stats();
    return stats.leaseWaiting() > before && stats.inFlight() == 0;
  }

  /** Waits, in real time and without any move of the clock, for something that is on its way. */
  protected static void eventually(BooleanSupplier condition) {
    long until = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() - until > 0) {
        throw new AssertionError("it did not happen");
      }
      LockSupport.parkNanos(LOOK_EVERY_NANOS);
    }
  }

  /** Ready and leased items of partition 0. */
  protected static List<StoredItem> stored(Queue queue) {
    return queue.admin().list(0, "", 0);
  }

  /** Scheduled items of partition 0. */
  protected static List<StoredItem> scheduled(Queue queue) {
    return queue.admin().listScheduled(0, "", 0);
  }

  /** The store's clock. */
  protected Instant instant() {
    return Instant.ofEpochMilli(time.nowMs());
  }

  protected Instant in(Duration delay) {
    return instant().plus(delay);
  }

  /** A partition as its store has it, past every service: nobody hears of what happens there. */
  protected static Partition behindTheScenes(QueueBackend backend, Queue queue, int number) {
    QueueInfo info =
        backend.catalog().get(queue.name(), StoreCall.plain()).orElseThrow(AssertionError::new);
    return backend.partitions().open(info, info.partitions().get(number));
  }

  /** Inserts without anybody hearing of it. */
  protected void slipIn(Queue queue, int partition, String payload) {
    QueueBackend backend = subject.process();
    Partition store = behindTheScenes(backend, queue, partition);
    store.produce(List.of(List.of(NewItem.text(payload))), StoreCall.plain());
    store.close();
    backend.catalog().close();
  }

  /** An id that could be one of ours and is nobody's. */
  protected static String strangersId() {
    return "0".repeat(ItemIds.LENGTH);
  }

  /** The result of something that is about to be done, without any move of the clock. */
  protected static <T> T now(CompletableFuture<T> future) {
    try {
      return future.get(20, TimeUnit.SECONDS);
    } catch (ExecutionException e) {
      if (e.getCause() instanceof QueueException failure) {
        throw failure;
      }
      throw new AssertionError("failed in an unexpected way", e);
    } catch (InterruptedException | TimeoutException e) {
      throw new AssertionError("not done", e);
    }
  }

  protected static List<String> texts(List<StoredItem> items) {
    return items.stream().map(item -> item.content().text()).toList();
  }

  protected static List<String> texts(LeasedItems items) {
    return items.items().stream().map(item -> item.text()).toList();
  }

  /** Runs {@code call}, which must fail in this way. */
  protected static QueueException failing(QueueException.Kind kind, ThrowingCallable call) {
    Throwable thrown = Assertions.catchThrowable(call);
    assertThat(thrown).isInstanceOf(QueueException.class);
    QueueException failure = (QueueException) thrown;
    assertThat(failure.kind()).as(failure.getMessage()).isEqualTo(kind);
    return failure;
  }
}
