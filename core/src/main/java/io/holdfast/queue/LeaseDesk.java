package io.holdfast.queue;

import io.holdfast.lease.Coalescer;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

/**
 * Where leases of one queue wait and are served.
 *
 * <p>A lease is <em>assigned</em> to a partition that may have something for it, becomes part of a
 * <em>claim</em> there together with all others assigned to it, and is answered as soon as it gets
 * an item. One that got nothing moves on to the next partition that may have something; when there
 * is none left it is <em>parked</em>.
 *
 * <p>No event is missed, because each is counted: a partition's number grows with every event, and
 * a lease remembers the number from when its claim began. Something that became ready while the
 * claim was under way has a greater number, so the lease is tried there once more before it parks.
 *
 * <p>An event that brings n items wakes at most n parked leases, in the order they came: it can
 * serve no more. If their claim was filled to its limit there may be more, and others are woken.
 *
 * <p>What was claimed for a lease that is gone by then goes to the others of the claim, and if
 * there are none back to the queue, as if it had never been leased. All state is guarded by the
 * queue's lock, and nothing is called while it is held.
 */
final class LeaseDesk {
  /** How many are woken when nobody knows how many items there are. */
  private static final int WAKE_UNKNOWN = 64;

  private static final int CLAIMS_AT_ONCE = 2;
  private static final long ALMOST_FULL_BYTES = 11L << 20; // of 16 MiB, when items have up to 5 MB

  private final LiveQueue queue;
  private final QueueEngine engine;
  private final Coalescer.Room room;
  private final Object lock;
  private final Map<String, WaitingLease> clients = new HashMap<>();
  private final Set<WaitingLease> parked = new LinkedHashSet<>();

  /** Partitions that may be able to start a claim; empty whenever the lock is free. */
  private final Set<LivePartition> ripe = new LinkedHashSet<>();

  LeaseDesk(LiveQueue queue, QueueEngine engine) {
    this.queue = queue;
    this.engine = engine;
    this.room = queue.room;
    this.lock = queue.lock;
  }

  /** One statement that leases items for several requests. */
  private record Claim(LivePartition partition, List<WaitingLease> leases, int limit) {}

  /** Begins to serve a request; its first claim may run on {@code first}. */
  CompletableFuture<LeasedItems> ask(LeaseRequest request, long deadlineNanos, Executor first) {
    WaitingLease lease = new WaitingLease(request, engine.time.nanos());
    List<Claim> claims = new ArrayList<>();
    synchronized (lock) {
      queue.requireOpen();
      if (clients.containsKey(request.clientId())) {
        throw QueueException.invalid(
            "duplicate client id; a client cannot make multiple leased requests to the same"
                + " queue");
      }
      room.enter();
      lease.inRoom = true;
      clients.put(request.clientId(), lease);
      place(lease);
      claims.addAll(claims());
    }
    start(claims, first);
    if (!lease.isDone()) {
      lease.timer = engine.timers.at(deadlineNanos, () -> answer(lease, LeasedItems.none()));
    }
    lease.future.whenComplete((items, failure) -> forget(lease));
    return lease.future;
  }

  /** Ends the lease of this client, if one waits, with nothing. */
  void leave(String clientId) {
    WaitingLease lease;
    synchronized (lock) {
      lease = clients.get(clientId);
    }
    if (lease != null) {
      answer(lease, LeasedItems.none());
    }
  }

  /** How many wait for an item to appear. */
  int parked() {
    synchronized (lock) {
      return parked.size();
    }
  }

  /** Something in {@code partition} may have become leasable: so many items, or unknown for 0. */
  void wake(LivePartition partition, int items) {
    List<Claim> claims = new ArrayList<>();
    synchronized (lock) {
      partition.events++;
      wakeParked(items == 0 ? WAKE_UNKNOWN : items);
      claims.addAll(claims());
    }
    start(claims, engine.tasks);
  }

  /** Answers everybody who waits; later requests are refused by the queue. */
  void close(QueueException why) {
    List<WaitingLease> waiting = new ArrayList<>();
    synchronized (lock) {
      waiting.addAll(parked);
      queue.partitions().forEach(partition -> waiting.addAll(partition.assigned));
    }
    waiting.forEach(lease -> refuse(lease, why));
  }

  private void wakeParked(int count) {
    List<WaitingLease> woken = parked.stream().limit(count).toList();
    woken.forEach(parked::remove);
    woken.forEach(this::place);
  }

  /** Assigns the lease to the most promising partition, or parks it. */
  private void place(WaitingLease lease) {
    LivePartition partition = queue.choice.forLease(lease::mayFindIn);
    if (partition == null) {
      leaveRoom(lease);
      lease.hasWaited = true;
      parked.add(lease);
      return;
    }
    lease.assumed = Math.min(partition.estimate(), lease.batch);
    partition.assume(-lease.assumed);
    partition.assigned.add(lease);
    lease.assignedTo = partition;
    ripe.add(partition);
  }

  /** Makes claims of what was assigned, as far as claims may run. */
  private List<Claim> claims() {
    List<Claim> claims = new ArrayList<>();
    ripe.forEach(partition -> pump(partition, claims));
    ripe.clear();
    return claims;
  }

  private void pump(LivePartition partition, List<Claim> claims) {
    while (partition.claims < CLAIMS_AT_ONCE && !partition.assigned.isEmpty()) {
      List<WaitingLease> leases = new ArrayList<>();
      int limit = 0;
      while (!partition.assigned.isEmpty()
          && (limit == 0
              || limit + partition.assigned.peek().batch <= engine.options.fusedRows())) {
        WaitingLease lease = partition.assigned.remove();
        lease.assignedTo = null;
        lease.triedIn(partition);
        leaveRoom(lease);
        leases.add(lease);
        limit += lease.batch;
      }
      partition.claims++;
      partition.claiming += leases.size();
      claims.add(new Claim(partition, leases, limit));
    }
  }

  private void leaveRoom(WaitingLease lease) {
    if (lease.inRoom) {
      lease.inRoom = false;
      room.leave(1);
    }
  }

  private void start(List<Claim> claims, Executor executor) {
    for (Claim claim : claims) {
      try {
        executor.execute(() -> run(claim));
      } catch (RuntimeException rejected) {
        failed(claim, engine.closedException());
      }
    }
  }

  private void run(Claim claim) {
    List<LeasedItem> items;
    long askedNanos = engine.time.nanos();
    try {
      items = engine.call(() -> claim.partition.store.lease(claim.limit, engine.storeCall()));
    } catch (RuntimeException e) {
      failed(claim, QueueEngine.asQueueException(e));
      return;
    }
    if (!items.isEmpty()) {
      engine.sweeper.dueIn(claim.partition, queue.info().settings().leaseTimeout());
    }
    deliver(claim, items, askedNanos);
  }

  private void deliver(Claim claim, List<LeasedItem> items, long askedNanos) {
    LivePartition partition = claim.partition;
    List<WaitingLease> served = new ArrayList<>();
    List<WaitingLease> refused = new ArrayList<>();
    List<LeasedItem> undelivered;
    List<Claim> claims = new ArrayList<>();
    synchronized (lock) {
      finish(claim);
      partition.changed(-items.size());
      List<WaitingLease> present = claim.leases.stream().filter(l -> !l.isDone()).toList();
      undelivered = new ArrayList<>(deal(items, present));
      boolean mayBeMore = items.size() == claim.limit || isAlmostFull(items);
      if (mayBeMore) {
        partition.events++;
      }
      for (WaitingLease lease : present) {
        if (!lease.dealt.isEmpty()) {
          served.add(lease);
        } else if (queue.isClosed()) {
          refused.add(lease);
        } else {
          place(lease);
        }
      }
      if (mayBeMore) {
        wakeParked(items.size());
      }
      ripe.add(partition);
      claims.addAll(claims());
    }
    start(claims, engine.tasks);
    for (WaitingLease lease : served) {
      List<LeasedItem> dealt = List.copyOf(lease.dealt);
      Duration waited = Duration.ofNanos(Math.max(0, askedNanos - lease.askedNanos));
      if (!answer(lease, new LeasedItems(partition.number, dealt, askedNanos, waited))) {
        undelivered.addAll(dealt);
      }
    }
    refused.forEach(lease -> refuse(lease, queue.whyClosed()));
    queue.flow.leased.add(items.size() - undelivered.size());
    handBack(partition, undelivered.stream().map(LeasedItem::id).toList());
  }

  /** One by one, round and round, in the order the leases came; answers what nobody could take. */
  private static List<LeasedItem> deal(List<LeasedItem> items, List<WaitingLease> leases) {
    Deque<WaitingLease> turns = new ArrayDeque<>(leases);
    int next = 0;
    while (next < items.size() && !turns.isEmpty()) {
      WaitingLease lease = turns.remove();
      lease.dealt.add(items.get(next++));
      if (lease.dealt.size() < lease.batch) {
        turns.add(lease);
      }
    }
    return items.subList(next, items.size());
  }

  private static boolean isAlmostFull(List<LeasedItem> items) {
    return items.stream().mapToLong(i -> i.content().payload().length).sum() > ALMOST_FULL_BYTES;
  }

  /** Returns what nobody got, keeping its id: no byte of it has left this process. */
  CompletableFuture<Void> handBack(LivePartition partition, List<String> ids) {
    if (ids.isEmpty()) {
      return CompletableFuture.completedFuture(null);
    }
    return returning(
        () -> {
          int back = engine.call(() -> partition.store.handBack(ids, engine.storeCall()));
          queue.becameReady(partition, back, ids.get(0));
        });
  }

  /** Returns what may have been read by somebody, under new ids. */
  CompletableFuture<Void> takeBack(LivePartition partition, List<String> ids) {
    return returning(
        () ->
            queue.changed(
                partition, engine.call(() -> partition.store.takeBack(ids, engine.storeCall()))));
  }

  private CompletableFuture<Void> returning(Runnable work) {
    CompletableFuture<Void> done = new CompletableFuture<>();
    engine.background(
        "hand back",
        () -> {
          try {
            work.run();
            done.complete(null);
          } catch (RuntimeException e) {
            done.completeExceptionally(e);
            throw e;
          }
        });
    return done;
  }

  private void failed(Claim claim, QueueException failure) {
    boolean noQueue = failure.kind() == QueueException.Kind.INVALID;
    List<Claim> claims = new ArrayList<>();
    List<WaitingLease> refused = new ArrayList<>();
    if (!noQueue) {
      queue.failed(claim.partition, failure);
    }
    if (failure.isOutcomeUnknown()) {
      // Items may be leased that nobody got: they return when their lease is over.
      engine.sweeper.dueIn(claim.partition, queue.info().settings().leaseTimeout());
    }
    synchronized (lock) {
      finish(claim);
      for (WaitingLease lease : claim.leases) {
        if (noQueue || queue.isClosed()) {
          refused.add(lease);
        } else if (!lease.isDone()) {
          place(lease);
        }
      }
      ripe.add(claim.partition);
      claims.addAll(claims());
    }
    for (WaitingLease lease : refused) {
      if (noQueue) { // who has waited is told what others hear who wait now
        refuse(lease, lease.hasWaited ? QueueEngine.queueGone() : failure);
      } else {
        refuse(lease, queue.whyClosed());
      }
    }
    start(claims, engine.tasks);
    if (noQueue) {
      engine.vanished(queue);
    }
  }

  private void finish(Claim claim) {
    claim.partition.claims--;
    claim.partition.claiming -= claim.leases.size();
    for (WaitingLease lease : claim.leases) {
      claim.partition.assume(lease.assumed);
      lease.assumed = 0;
    }
  }

  /** Answers, unless somebody was faster. Forgotten first: its client may ask again at once. */
  private boolean answer(WaitingLease lease, LeasedItems items) {
    forget(lease);
    return lease.future.complete(items);
  }

  private void refuse(WaitingLease lease, QueueException why) {
    forget(lease);
    lease.future.completeExceptionally(why);
  }

  private void forget(WaitingLease lease) {
    if (lease.timer != null) {
      lease.timer.cancel();
    }
    synchronized (lock) {
      clients.remove(lease.clientId, lease);
      leaveRoom(lease);
      parked.remove(lease);
      LivePartition partition = lease.assignedTo;
      if (partition != null) {
        partition.assigned.remove(lease);
        partition.assume(lease.assumed);
        lease.assignedTo = null;
        lease.assumed = 0;
      }
    }
  }
}
