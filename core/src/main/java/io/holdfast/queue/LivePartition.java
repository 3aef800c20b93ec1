package io.holdfast.queue;

import io.holdfast.lease.Coalescer;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;

/**
 * A partition as this process uses it: the store's side, calls that share statements, and what is
 * believed about it. The fields are guarded by the lock of its {@link LiveQueue}.
 */
final class LivePartition {
  final int number;
  final Partition store;
  final Coalescer<List<NewItem>, List<String>> producer;
  final Coalescer<List<String>, Optional<Fault>> completer;
  final Coalescer<List<Retry>, Optional<Fault>> retrier;
  final Coalescer<ItemLeaser.Extend, ItemLeaser.Extension> extender;

  /** Leases that will be part of the next claim. */
  final Deque<WaitingLease> assigned = new ArrayDeque<>();

  /** Claims under way. */
  int claims;

  /** Leases that are part of a claim under way. */
  int claiming;

  /** Grows with everything that may have made an item leasable. */
  long events;

  /** How often in a row it failed; one that did is not used until it has been seen to work. */
  int failures;

  private long ready;
  private long assumed;

  LivePartition(LiveQueue queue, Partition store, QueueEngine engine) {
    this.number = store.info().number();
    this.store = store;
    PartitionCalls calls = new PartitionCalls(queue, this, engine);
    this.producer =
        engine.coalescer("produce", calls::produce, List::size, items -> List.of(), queue.room);
    this.completer =
        engine.coalescer("complete", calls::complete, List::size, ids -> ids, queue.room);
    this.retrier =
        engine.coalescer(
            "retry",
            calls::retry,
            List::size,
            items -> items.stream().map(Retry::id).toList(),
            queue.room);
    this.extender =
        engine.coalescer(
            "extend", calls::extend, e -> e.ids().size(), ItemLeaser.Extend::ids, queue.room);
  }

  boolean isHealthy() {
    return failures == 0;
  }

  /** How many items are believed to be ready, counting what calls under way will change. */
  long estimate() {
    return Math.max(0, ready + assumed);
  }

  /** The store said that so many items became ready, or fewer are. */
  void changed(long by) {
    ready = Math.max(0, ready + by);
  }

  void counted(long items) {
    ready = items;
  }

  /** A call that is about to be made will change the count; taken back when it is over. */
  void assume(long by) {
    assumed += by;
  }

  int waitingSettles() {
    return completer.waiting() + retrier.waiting() + extender.waiting();
  }

  int inFlight() {
    return producer.inFlight()
        + completer.inFlight()
        + retrier.inFlight()
        + extender.inFlight()
        + claiming;
  }

  void refuseWaiting(QueueException why) {
    producer.refuseWaiting(() -> why);
    completer.refuseWaiting(() -> why);
    retrier.refuseWaiting(() -> why);
    extender.refuseWaiting(() -> why);
  }
}
