package io.holdfast.queue;

import io.holdfast.lease.Coalescer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A queue as this process uses it: what was last read about it, its partitions, and whoever waits
 * for it. Lives until the queue is gone or the service closes. Safe for use by many threads.
 */
final class LiveQueue {
  final Object lock = new Object();
  final Coalescer.Room room;
  final PartitionChoice choice = new PartitionChoice();
  final LeaseDesk leases;
  final ProduceDesk produces;
  final FlowCounter flow = new FlowCounter();
  private final QueueEngine engine;
  private volatile QueueInfo info;
  private volatile List<LivePartition> partitions = List.of();
  private volatile @Nullable QueueException closed;

  LiveQueue(QueueEngine engine, QueueInfo info) {
    this.engine = engine;
    this.info = info;
    this.room = new Coalescer.Room(engine.options.maxWaiting(), QueueException::overloaded);
    this.leases = new LeaseDesk(this, engine);
    this.produces = new ProduceDesk(this, engine);
    grow();
  }

  String name() {
    return info.name();
  }

  QueueInfo info() {
    return info;
  }

  List<LivePartition> partitions() {
    return partitions;
  }

  boolean isClosed() {
    return closed != null;
  }

  void requireOpen() {
    if (closed != null) {
      throw whyClosed();
    }
  }

  /** Why it is closed, if it is. */
  QueueException whyClosed() {
    QueueException why = closed;
    return why == null ? QueueEngine.queueGone() : why;
  }

  /** The partition of this number, or null when there is none. */
  @Nullable LivePartition partition(int number) {
    List<LivePartition> all = partitions;
    return number >= 0 && number < all.size() ? all.get(number) : null;
  }

  /** Takes over what was read about the queue; a change may let waiting leases go on. */
  void update(QueueInfo read) {
    synchronized (lock) {
      if (read.version() <= info.version()) {
        return;
      }
      info = read;
      partitions.forEach(partition -> partition.store.updateQueueInfo(read));
      grow();
    }
    wakeAll();
  }

  private void grow() {
    List<LivePartition> all = new ArrayList<>(partitions);
    for (PartitionInfo partition : info.partitions()) {
      if (partition.number() == all.size()) {
        all.add(new LivePartition(this, engine.open(info, partition), engine));
        choice.add(all.get(all.size() - 1));
      }
    }
    partitions = List.copyOf(all);
  }

  /** Lets waiting leases look everywhere again. */
  void wakeAll() {
    partitions.forEach(partition -> leases.wake(partition, 0));
  }

  /**
   * Items became ready by a statement of ours: leases here and in other processes may have them.
   */
  void becameReady(LivePartition partition, int items, String first) {
    if (items > 0) {
      synchronized (lock) {
        partition.changed(items);
      }
      leases.wake(partition, items);
      engine.announcer.announce(name(), partition.number, first);
    }
  }

  /** Follows what a statement of ours changed, here and in dead queues. */
  void changed(LivePartition partition, Changes changes) {
    synchronized (lock) {
      partition.changed(-changes.unready());
    }
    if (changes.firstReady() != null) {
      becameReady(partition, changes.ready(), changes.firstReady());
    }
    changes.dead().forEach(engine::arrived);
  }

  /**
   * Notes that a call failed; answers whether that was the partition's fault, so that another one
   * may do better.
   */
  boolean failed(LivePartition partition, QueueException failure) {
    boolean atFault =
        failure.kind() == QueueException.Kind.INTERNAL
            || failure.kind() == QueueException.Kind.RETRYABLE
                && switch (failure.code()) {
                  case ABORTED, OVERLOADED, RATE_LIMITED -> false;
                  default -> true;
                };
    if (atFault && !isClosed()) {
      synchronized (lock) {
        partition.failures++;
      }
      engine.recovery.watch(this, partition, failure);
    }
    return atFault;
  }

  /** A failed partition works again. */
  void recovered(LivePartition partition) {
    synchronized (lock) {
      partition.failures = 0;
    }
    produces.recovered();
    leases.wake(partition, 0);
  }

  /**
   * Runs a call that settles items; a partition that is failing is not bothered. Cancelling the
   * answer takes the call back, unless it was sent.
   */
  <C, R, T extends @Nullable Object> CompletableFuture<T> settle(
      LivePartition partition,
      Function<LivePartition, Coalescer.Pending<C, R>> send,
      Function<R, T> answer,
      long deadlineNanos) {
    synchronized (lock) {
      requireOpen();
      if (!partition.isHealthy()) {
        throw QueueException.retryable("partition is failing; try again", null);
      }
    }
    Coalescer.Pending<C, R> pending = send.apply(partition);
    CompletableFuture<T> future = new CompletableFuture<>();
    pending.whenComplete(
        (result, failure) -> {
          if (failure != null) {
            QueueException e = QueueEngine.asQueueException(failure);
            failed(partition, e);
            engine.vanishedIf(this, e);
            future.completeExceptionally(e);
            return;
          }
          try {
            future.complete(answer.apply(result));
          } catch (QueueException refusal) {
            future.completeExceptionally(refusal);
          }
        });
    if (!future.isDone()) {
      engine.limit(future, pending, deadlineNanos);
    }
    return future;
  }

  /** Refuses new calls and answers all that wait; calls under way are answered by their store. */
  void close(QueueException why) {
    synchronized (lock) {
      if (closed != null) {
        return;
      }
      closed = why;
    }
    leases.close(why);
    produces.close(why);
    partitions.forEach(partition -> partition.refuseWaiting(why));
  }

  /** Gives back the store's side; nothing may be under way. */
  void release() {
    partitions.forEach(partition -> partition.store.close());
  }
}
