package io.holdfast.queue;

import io.holdfast.lease.Coalescer;
import io.holdfast.lease.Timers;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Sends produces of one queue to a partition. One that was certainly not stored moves on to the
 * next healthy partition; when there is none it waits until one has recovered or its time is over.
 * One whose answer was lost is never sent again: it may be stored.
 */
final class ProduceDesk {
  private final LiveQueue queue;
  private final QueueEngine engine;
  private final Set<Call> stranded = new LinkedHashSet<>();

  ProduceDesk(LiveQueue queue, QueueEngine engine) {
    this.queue = queue;
    this.engine = engine;
  }

  /** A produce on its way. */
  private static final class Call {
    final List<NewItem> items;
    final CompletableFuture<Produced> future = new CompletableFuture<>();
    final Set<LivePartition> tried = new HashSet<>();
    volatile @Nullable QueueException lastFailure;
    volatile Coalescer.@Nullable Pending<List<NewItem>, List<String>> pending;

    Call(List<NewItem> items) {
      this.items = items;
    }

    /** Whether the store may have it. */
    boolean mayBeSent() {
      Coalescer.Pending<List<NewItem>, List<String>> current = pending;
      return current != null && !current.withdraw();
    }
  }

  CompletableFuture<Produced> produce(List<NewItem> items, long deadlineNanos, boolean callerRuns) {
    Call call = new Call(items);
    send(call, callerRuns);
    if (!call.future.isDone()) {
      Timers.Timer timer = engine.timers.at(deadlineNanos, () -> expire(call));
      call.future.whenComplete(
          (done, failure) -> {
            timer.cancel();
            call.mayBeSent(); // one that was called off is not sent any more
            synchronized (queue.lock) {
              stranded.remove(call);
            }
          });
    }
    return call.future;
  }

  /** A partition works again: whoever waited for one goes on. */
  void recovered() {
    List<Call> waiting;
    synchronized (queue.lock) {
      waiting = new ArrayList<>(stranded);
      stranded.clear();
    }
    for (Call call : waiting) {
      call.tried.clear();
      sendAgain(call);
    }
  }

  void close(QueueException why) {
    List<Call> waiting;
    synchronized (queue.lock) {
      waiting = new ArrayList<>(stranded);
      stranded.clear();
    }
    waiting.forEach(call -> call.future.completeExceptionally(why));
  }

  int stranded() {
    synchronized (queue.lock) {
      return stranded.size();
    }
  }

  private void send(Call call, boolean callerRuns) {
    LivePartition partition = assign(call);
    if (partition == null) {
      return;
    }
    Coalescer.Pending<List<NewItem>, List<String>> pending;
    try {
      pending =
          callerRuns
              ? partition.producer.callOrSubmit(call.items)
              : partition.producer.submit(call.items);
    } catch (RuntimeException e) {
      forgetAssumption(partition, call);
      throw e;
    }
    call.pending = pending;
    pending.whenComplete((ids, failure) -> answered(call, partition, ids, failure));
  }

  /** The partition it goes to; null when it has to wait for one. */
  private @Nullable LivePartition assign(Call call) {
    synchronized (queue.lock) {
      queue.requireOpen();
      LivePartition partition = queue.choice.forProduce(p -> !call.tried.contains(p));
      if (partition == null) {
        call.tried.clear(); // one of them may have recovered meanwhile
        partition = queue.choice.forProduce(p -> true);
      }
      if (partition == null) {
        if (stranded.size() >= engine.options.maxWaiting()) {
          throw QueueException.overloaded();
        }
        stranded.add(call);
      } else {
        partition.assume(call.items.size());
      }
      return partition;
    }
  }

  private void answered(
      Call call, LivePartition partition, @Nullable List<String> ids, @Nullable Throwable failure) {
    forgetAssumption(partition, call);
    if (ids != null) {
      call.future.complete(new Produced(partition.number, ids));
      return;
    }
    QueueException e = QueueEngine.asQueueException(failure);
    if (!queue.failed(partition, e) || e.isOutcomeUnknown()) {
      call.future.completeExceptionally(e);
      engine.vanishedIf(queue, e);
      return;
    }
    call.pending = null; // certainly not stored there
    call.tried.add(partition);
    call.lastFailure = e;
    sendAgain(call);
  }

  private void sendAgain(Call call) {
    try {
      send(call, false);
    } catch (QueueException refused) {
      call.future.completeExceptionally(refused);
    }
  }

  private void forgetAssumption(LivePartition partition, Call call) {
    synchronized (queue.lock) {
      partition.assume(-call.items.size());
    }
  }

  private void expire(Call call) {
    if (call.mayBeSent()) {
      call.future.completeExceptionally(
          QueueException.unknown(
              "request timeout; it is not known whether items were stored", null));
    } else {
      QueueException cause = call.lastFailure;
      call.future.completeExceptionally(
          QueueException.retryable(
              "request timeout; no items were stored, try again"
                  + (cause == null ? "" : " (" + cause.getMessage() + ")"),
              cause));
    }
  }
}
