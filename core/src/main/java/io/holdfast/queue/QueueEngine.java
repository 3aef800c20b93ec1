package io.holdfast.queue;

import io.holdfast.lease.Causes;
import io.holdfast.lease.Coalescer;
import io.holdfast.lease.Duty;
import io.holdfast.lease.Engine;
import io.holdfast.lease.Hints;
import io.holdfast.lease.StoreCall;
import io.holdfast.lease.Time;
import io.holdfast.lease.Timers;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;

/**
 * What all queues of one service share: the store, the clock, threads, duties, and which queues are
 * in use here. Safe for use by many threads.
 */
final class QueueEngine implements Hints.Listener {
  private static final int STATEMENTS_AT_ONCE = 2;

  final QueueBackend backend;
  final QueueOptions options;
  final Time time;
  final ExecutorService tasks;
  final Timers timers;
  final Sweeper sweeper;
  final Recovery recovery;
  final Announcer announcer;
  private final CatalogWatch watch;
  private final Engine engine;
  private final Map<String, LiveQueue> live = new ConcurrentHashMap<>();
  private final Set<QueueConsumer> consumers = ConcurrentHashMap.newKeySet();
  private volatile Hints.@Nullable Subscription subscription;

  QueueEngine(QueueBackend backend, QueueOptions options) {
    this.backend = backend;
    this.options = options;
    this.time = backend.time();
    this.engine = new Engine("holdfast-queue", time, options.isStepped());
    this.tasks = engine.tasks();
    this.timers = engine.timers();
    this.announcer = new Announcer(backend.hints(), timers, time);
    this.sweeper = new Sweeper(this);
    this.recovery = new Recovery(this);
    this.watch = new CatalogWatch(this);
    List.of(sweeper, recovery, watch, new Poller(this)).forEach(engine::add);
  }

  /** Begins the duties, once. */
  void start() {
    requireOpen();
    engine.start(() -> subscription = backend.hints().listen(this));
  }

  /** Says that a duty may be due earlier than it announced. */
  void wake(Duty duty) {
    engine.wake(duty);
  }

  /** Steps every duty once; for tests. */
  int step() {
    start();
    return engine.step();
  }

  void requireOpen() {
    if (engine.isClosed()) {
      throw closedException();
    }
  }

  QueueException closedException() {
    return QueueException.closed("service is shutting down");
  }

  /** Closes the consumer before everything else. */
  QueueConsumer consuming(QueueConsumer consumer) {
    consumers.add(consumer);
    return consumer;
  }

  /** The consumer has ended by itself. */
  void consumed(QueueConsumer consumer) {
    consumers.remove(consumer);
  }

  /** Queues in use here. */
  Collection<LiveQueue> live() {
    return live.values();
  }

  @Nullable LiveQueue known(String name) {
    return live.get(name);
  }

  /** The queue, read from the store if it is not in use yet. May block. */
  LiveQueue find(String name) {
    start();
    LiveQueue known = live.get(name);
    if (known != null) {
      return known;
    }
    return read(name);
  }

  /** Reads the queue and takes it over. May block. */
  LiveQueue read(String name) {
    QueueInfo info =
        call(() -> backend.catalog().get(name, storeCall()))
            .orElseThrow(() -> QueueException.noQueue(name));
    return take(info);
  }

  /** Uses the queue from now on, or takes over what was read about it. */
  LiveQueue take(QueueInfo info) {
    LiveQueue queue =
        live.compute(
            info.name(),
            (name, known) -> {
              if (known == null || known.isClosed() || isAnother(known.info(), info)) {
                if (known != null) {
                  known.close(queueGone());
                }
                return new LiveQueue(this, info);
              }
              return known;
            });
    queue.update(info);
    queue.partitions().forEach(sweeper::add);
    requireOpen();
    return queue;
  }

  /** A queue of the same name that was deleted and created again. */
  private static boolean isAnother(QueueInfo known, QueueInfo read) {
    return !known.createdAt().equals(read.createdAt());
  }

  static QueueException queueGone() {
    return QueueException.closed("queue is shutting down");
  }

  Partition open(QueueInfo queue, PartitionInfo partition) {
    return backend.partitions().open(queue, partition);
  }

  /** The queue was deleted: whoever waits is told. */
  void vanished(LiveQueue queue) {
    if (live.remove(queue.name(), queue)) {
      queue.close(queueGone());
      queue.partitions().forEach(sweeper::remove);
    }
  }

  /** The same, if that is what the failure says. */
  void vanishedIf(LiveQueue queue, QueueException failure) {
    if (failure.kind() == QueueException.Kind.INVALID
        && String.valueOf(failure.getMessage()).startsWith("queue does not exist")) {
      vanished(queue);
    }
  }

  /** Items arrived in a queue by what happened in another. */
  void arrived(Changes.Arrival arrival) {
    LiveQueue queue = live.get(arrival.queue());
    LivePartition partition = queue == null ? null : queue.partition(arrival.partition());
    if (queue != null && partition != null) {
      sweeper.dueIn(partition, queue.info().settings().expireTimeout());
      partition.store.hinted(arrival.first());
      queue.becameReady(partition, arrival.count(), arrival.first());
    } else {
      announcer.announce(arrival.queue(), arrival.partition(), arrival.first());
    }
  }

  <C, R> Coalescer<C, R> coalescer(
      String operation,
      Coalescer.Work<C, R> work,
      ToIntFunction<C> rows,
      Function<C, Collection<String>> names,
      Coalescer.Room room) {
    Coalescer.Shape<C> shape =
        new Coalescer.Shape<>("queue." + operation, rows, names, QueueEngine::isBadData);
    Coalescer.Width width =
        options.isFusing()
            ? new Coalescer.Width(options.fusedRows(), STATEMENTS_AT_ONCE)
            : new Coalescer.Width(0, Integer.MAX_VALUE);
    return new Coalescer<>(work, shape, width, room, tasks);
  }

  private static boolean isBadData(RuntimeException e) {
    return e instanceof QueueException failure && failure.kind() == QueueException.Kind.INVALID;
  }

  /** What a call to the store has to respect: closing calls it off when its patience ends. */
  StoreCall storeCall() {
    return engine.storeCall();
  }

  /** Makes a call to the store, which closing waits for. */
  <T> T call(Supplier<T> call) {
    return engine.call(call);
  }

  /** Runs something that nobody waits for; a failure is logged. */
  void background(String what, Runnable task) {
    engine.background(what, task);
  }

  /** Fails {@code future} at the deadline: not sent and not done, or sent and unknown. */
  <C, R, T extends @Nullable Object> void limit(
      CompletableFuture<T> future, Coalescer.Pending<C, R> pending, long deadlineNanos) {
    Timers.Timer timer =
        timers.at(
            deadlineNanos,
            () ->
                future.completeExceptionally(
                    pending.withdraw()
                        ? QueueException.retryable("request timeout; nothing was done", null)
                        : QueueException.unknown("request timeout; the outcome is unknown", null)));
    future.whenComplete(
        (result, failure) -> {
          timer.cancel();
          pending.withdraw();
        });
  }

  static QueueException asQueueException(@Nullable Throwable failure) {
    Throwable e = Causes.ofNullable(failure);
    if (e instanceof QueueException known) {
      return known;
    }
    return QueueException.internal("internal failure; " + e, e);
  }

  @Override
  public void hinted(String topic) {
    if (topic.startsWith(CatalogWatch.TOPIC)) {
      watch.changed(topic.substring(CatalogWatch.TOPIC.length()));
    } else {
      announcer.read(topic, this::heard);
    }
  }

  private void heard(String queue, int number, String id) {
    LiveQueue known = live.get(queue);
    LivePartition partition = known == null ? null : known.partition(number);
    if (known != null && partition != null) {
      partition.store.hinted(id);
      known.leases.wake(partition, 0);
    }
  }

  @Override
  public void mayHaveMissedSome() {
    watch.changedSomewhere();
    live.values().forEach(LiveQueue::wakeAll);
  }

  /** Refuses new calls, answers who waits, lets calls under way finish, and ends. */
  void close() {
    consumers.forEach(QueueConsumer::close);
    List<LiveQueue> queues = new ArrayList<>();
    boolean isFirst = engine.close(options.grace(), () -> queues.addAll(refuseAll()));
    if (isFirst) {
      queues.forEach(LiveQueue::release);
      backend.catalog().close();
    }
  }

  private List<LiveQueue> refuseAll() {
    Hints.Subscription listening = subscription;
    if (listening != null) {
      listening.close();
    }
    List<LiveQueue> queues = new ArrayList<>(live.values());
    queues.forEach(queue -> queue.close(closedException()));
    return queues;
  }
}
