package io.holdfast.queue;

import io.holdfast.lease.Coalescer;
import io.holdfast.lease.Time;
import io.holdfast.lease.Timers;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One queue of a service. A blocking call that finds nothing under way makes its statement on the
 * caller's own thread; the others never touch the store on it.
 */
final class QueueHandle implements Queue {
  private static final Duration OTHERS = Duration.ofMinutes(5);

  private final QueueEngine engine;
  private final String name;
  private final QueueAdmin admin;

  QueueHandle(QueueEngine engine, String name) {
    this.engine = engine;
    this.name = name;
    this.admin = new AdminHandle(engine, name);
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public QueueAdmin admin() {
    return admin;
  }

  @Override
  public CompletableFuture<Produced> produceAsync(List<NewItem> items, Duration timeout) {
    Patience patience = patience(timeout);
    return async(patience, queue -> produce(queue, items, patience, false));
  }

  @Override
  public Produced produce(List<NewItem> items, Duration timeout) {
    Patience patience = patience(timeout);
    return await(() -> produce(find(), items, patience, true), true);
  }

  private CompletableFuture<Produced> produce(
      LiveQueue queue, List<NewItem> items, Patience patience, boolean callerRuns) {
    ItemRules.checkProduce(items, patience.timeout());
    return queue.produces.produce(List.copyOf(items), patience.untilNanos(), callerRuns);
  }

  @Override
  public CompletableFuture<LeasedItems> leaseAsync(LeaseRequest request) {
    Patience patience = patience(request.timeout());
    return async(patience, queue -> lease(queue, request, patience, engine.tasks));
  }

  @Override
  public LeasedItems lease(LeaseRequest request) {
    Patience patience = patience(request.timeout());
    return await(() -> lease(find(), request, patience, Runnable::run), false);
  }

  private CompletableFuture<LeasedItems> lease(
      LiveQueue queue, LeaseRequest request, Patience patience, Executor first) {
    ItemRules.checkLease(request);
    return queue.leases.ask(request, patience.untilNanos(), first);
  }

  @Override
  public CompletableFuture<Instant> extendAsync(
      int partition, List<String> ids, @Nullable Duration duration) {
    return async(patience(OTHERS), queue -> extend(queue, partition, ids, duration, false));
  }

  @Override
  public Instant extend(int partition, List<String> ids, @Nullable Duration duration) {
    return await(() -> extend(find(), partition, ids, duration, true), true);
  }

  private CompletableFuture<Instant> extend(
      LiveQueue queue,
      int number,
      List<String> ids,
      @Nullable Duration duration,
      boolean callerRuns) {
    LivePartition partition = AdminHandle.partition(engine, queue, number);
    ItemRules.checkExtend(ids, duration, queue.info().settings());
    ItemLeaser.Extend call = new ItemLeaser.Extend(List.copyOf(ids), duration);
    return queue.settle(
        partition,
        p -> send(p.extender, call, callerRuns),
        extension -> {
          raise("extended", Optional.ofNullable(extension.fault()));
          return Objects.requireNonNull(extension.deadline());
        },
        patience(OTHERS).untilNanos());
  }

  @Override
  public CompletableFuture<Void> completeAsync(int partition, List<String> ids, Duration timeout) {
    Patience patience = patience(timeout);
    return async(patience, queue -> complete(queue, partition, ids, patience, false));
  }

  @Override
  public void complete(int partition, List<String> ids, Duration timeout) {
    Patience patience = patience(timeout);
    await(() -> complete(find(), partition, ids, patience, true), true);
  }

  private CompletableFuture<Void> complete(
      LiveQueue queue, int number, List<String> ids, Patience patience, boolean callerRuns) {
    LivePartition partition = AdminHandle.partition(engine, queue, number);
    ItemRules.checkComplete(ids, patience.timeout());
    List<String> call = List.copyOf(ids);
    return queue.settle(
        partition,
        p -> send(p.completer, call, callerRuns),
        fault -> raise("completed", fault),
        patience.untilNanos());
  }

  @Override
  public CompletableFuture<Void> retryAsync(int partition, List<Retry> items) {
    return async(patience(OTHERS), queue -> retry(queue, partition, items, false));
  }

  @Override
  public void retry(int partition, List<Retry> items) {
    await(() -> retry(find(), partition, items, true), true);
  }

  private CompletableFuture<Void> retry(
      LiveQueue queue, int number, List<Retry> items, boolean callerRuns) {
    LivePartition partition = AdminHandle.partition(engine, queue, number);
    ItemRules.checkRetry(items);
    List<Retry> call = List.copyOf(items);
    return queue.settle(
        partition,
        p -> send(p.retrier, call, callerRuns),
        fault -> raise("retried", fault),
        patience(OTHERS).untilNanos());
  }

  @Override
  public CompletableFuture<Void> handBackAsync(int partition, List<String> ids, boolean isKnown) {
    return async(patience(OTHERS), queue -> handBack(queue, partition, ids, isKnown));
  }

  private CompletableFuture<Void> handBack(
      LiveQueue queue, int number, List<String> ids, boolean isKnown) {
    LivePartition partition = AdminHandle.partition(engine, queue, number);
    ItemRules.checkIds(ids);
    List<String> given = List.copyOf(ids);
    return isKnown
        ? queue.leases.takeBack(partition, given)
        : queue.leases.handBack(partition, given);
  }

  @Override
  public void leave(String clientId) {
    LiveQueue known = engine.known(name);
    if (known != null) {
      known.leases.leave(clientId);
    }
  }

  @Override
  public QueueConsumer consume(ItemHandler handler, ConsumeOptions options) {
    LiveQueue queue = find();
    return engine.consuming(
        new QueueConsumer(this, handler, options, new Consuming(engine, queue)));
  }

  /** What a consumer of this queue needs. */
  private record Consuming(QueueEngine engine, LiveQueue queue) implements QueueConsumer.Context {
    @Override
    public Time time() {
      return engine.time;
    }

    @Override
    public Timers timers() {
      return engine.timers;
    }

    @Override
    public Duration leaseTimeout() {
      return queue.info().settings().leaseTimeout();
    }

    @Override
    public void handBack(int number, List<LeasedItem> items) {
      LivePartition partition = queue.partition(number);
      if (partition != null) {
        queue.leases.handBack(partition, items.stream().map(LeasedItem::id).toList());
      }
    }

    @Override
    public void closed(QueueConsumer consumer) {
      engine.consumed(consumer);
    }
  }

  private static <C, R> Coalescer.Pending<C, R> send(
      Coalescer<C, R> coalescer, C call, boolean callerRuns) {
    return callerRuns ? coalescer.callOrSubmit(call) : coalescer.submit(call);
  }

  private static @Nullable Void raise(String verb, Optional<Fault> fault) {
    if (fault.isPresent()) {
      throw fault.get().refusal(verb);
    }
    return null;
  }

  /** How long a caller waits, from the moment it asked, also while the queue is looked up. */
  private record Patience(Duration timeout, long askedNanos) {
    long untilNanos() {
      return Time.after(askedNanos, Math.max(1, timeout.toMillis()));
    }

    long lookUpUntilNanos() {
      return Time.after(askedNanos, ItemRules.lookUpTimeout(timeout).toMillis());
    }
  }

  private Patience patience(Duration timeout) {
    return new Patience(timeout, engine.time.nanos());
  }

  private LiveQueue find() {
    QueueRules.checkName(name);
    return engine.find(name);
  }

  /** Runs {@code call} with the queue, on another thread if the store has to be asked for it. */
  private <T> CompletableFuture<T> async(
      Patience patience, Function<LiveQueue, CompletableFuture<T>> call) {
    try {
      QueueRules.checkName(name);
      engine.start();
      LiveQueue known = engine.known(name);
      if (known != null) {
        return caught(() -> call.apply(known));
      }
    } catch (QueueException e) {
      return CompletableFuture.failedFuture(e);
    }
    CompletableFuture<T> result = new CompletableFuture<>();
    lookUp(patience)
        .whenComplete(
            (queue, failure) -> {
              if (failure != null) {
                result.completeExceptionally(QueueEngine.asQueueException(failure));
              } else if (!result.isDone()) {
                relay(caught(() -> call.apply(queue)), result);
              }
            });
    return result;
  }

  /** Asks the store for the queue, on another thread. One that comes too late is nobody's. */
  private CompletableFuture<LiveQueue> lookUp(Patience patience) {
    CompletableFuture<LiveQueue> found = new CompletableFuture<>();
    Timers.Timer timer =
        engine.timers.at(
            patience.lookUpUntilNanos(),
            () ->
                found.completeExceptionally(
                    QueueException.retryable("request timeout; nothing was done", null)));
    found.whenComplete((queue, failure) -> timer.cancel());
    try {
      engine.tasks.execute(
          () -> relay(caught(() -> CompletableFuture.completedFuture(engine.find(name))), found));
    } catch (RuntimeException rejected) {
      found.completeExceptionally(engine.closedException());
    }
    return found;
  }

  private static <T> CompletableFuture<T> caught(Supplier<CompletableFuture<T>> call) {
    try {
      return call.get();
    } catch (RuntimeException e) {
      return CompletableFuture.failedFuture(QueueEngine.asQueueException(e));
    }
  }

  /** Passes the outcome on, and a cancellation back. */
  private static <T> void relay(CompletableFuture<T> from, CompletableFuture<T> to) {
    from.whenComplete(
        (value, failure) -> {
          if (failure != null) {
            to.completeExceptionally(QueueEngine.asQueueException(failure));
          } else if (!to.complete(value)) {
            from.cancel(true);
          }
        });
    to.whenComplete((value, failure) -> from.cancel(true));
  }

  /**
   * Waits for the outcome; an interrupt calls the request off and stays set. What a change did is
   * unknown then, whereas a lease that was called off hands back what it got.
   */
  private <T extends @Nullable Object> T await(
      Supplier<CompletableFuture<T>> call, boolean isChange) {
    CompletableFuture<T> future = call.get();
    try {
      return future.get();
    } catch (InterruptedException e) {
      future.cancel(true);
      Thread.currentThread().interrupt();
      throw isChange
          ? QueueException.unknown("interrupted; the outcome is unknown", e)
          : QueueException.aborted("interrupted; nothing was leased");
    } catch (ExecutionException e) {
      throw QueueEngine.asQueueException(e.getCause());
    }
  }
}
