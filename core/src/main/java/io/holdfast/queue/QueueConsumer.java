package io.holdfast.queue;

import io.holdfast.lease.Background;
import io.holdfast.lease.KeptLease;
import io.holdfast.lease.Lease;
import io.holdfast.lease.LeaseKeeper;
import io.holdfast.lease.LeaseKey;
import io.holdfast.lease.LossReason;
import io.holdfast.lease.Reserve;
import io.holdfast.lease.Time;
import io.holdfast.lease.Timers;
import io.holdfast.lease.Trust;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Leases items of one queue and gives them to a handler, until stopped. Items are renewed from when
 * they are leased until they are settled. Settling is not waited for: completions that come up at
 * the same time share one statement. Safe for use by many threads.
 */
public final class QueueConsumer implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(QueueConsumer.class);
  private static final Duration POLL = Duration.ofSeconds(30);
  private static final long PAUSE_AFTER_ERROR_MS = 1000;

  private final Queue queue;
  private final ItemHandler handler;
  private final ConsumeOptions options;
  private final Context context;
  private final String clientId = "consumer-" + UUID.randomUUID();
  private final LeaseKeeper keeper;
  private final ExecutorService workers = Background.tasks("holdfast-consumer");
  private final Deque<HeldItem> waiting = new ArrayDeque<>();
  private final Set<Thread> handling = new HashSet<>();
  private int active;
  private int settling;
  private @Nullable CompletableFuture<LeasedItems> asking;
  private boolean stopped;

  /** What a consumer needs of the service its queue belongs to. */
  public interface Context {
    /** The clock of this process. */
    Time time();

    /** What runs actions later. */
    Timers timers();

    /** How long a new lease of the queue lasts; must not block. */
    Duration leaseTimeout();

    /** Returns items that were not started. */
    void handBack(int partition, List<LeasedItem> items);

    /** Whether it is no use to lease again after this failure. */
    default boolean isOver(QueueException failure) {
      return failure.kind() == QueueException.Kind.FAILED;
    }

    /** The consumer has ended. */
    void closed(QueueConsumer consumer);
  }

  /** Starts at once. */
  public QueueConsumer(Queue queue, ItemHandler handler, ConsumeOptions options, Context context) {
    this.queue = queue;
    this.handler = handler;
    this.options = options;
    this.context = context;
    this.keeper = new LeaseKeeper(context.time(), new ItemRenewer(queue), Reserve.none());
    ask();
  }

  /** Hears what becomes of an item's lease. */
  private record Loss(Delivery delivery) implements KeptLease.Listener {
    @Override
    public void renewed(long expiresAtMs) {}

    @Override
    public void lost(LossReason reason) {
      LOG.warn(
          "the lease of item {} of {} was lost: {}",
          delivery.item().id(),
          delivery.queue(),
          reason);
    }
  }

  private void ask() {
    CompletableFuture<LeasedItems> lease;
    synchronized (this) {
      int wanted = options.concurrency() + options.prefetch() - active - waiting.size();
      if (stopped || asking != null || wanted <= 0) {
        return;
      }
      lease = queue.leaseAsync(new LeaseRequest(clientId, Math.min(1000, wanted), POLL));
      asking = lease;
    }
    lease.whenComplete((items, failure) -> answered(items, failure));
  }

  private void answered(@Nullable LeasedItems items, @Nullable Throwable failure) {
    boolean isLate;
    synchronized (this) {
      asking = null;
      isLate = stopped;
      if (items != null && !isLate) {
        items.items().forEach(item -> waiting.add(held(items, item)));
      }
    }
    if (isLate) {
      if (items != null) {
        context.handBack(items.partition(), items.items());
      }
      return;
    }
    if (failure != null) {
      if (context.isOver(QueueEngine.asQueueException(failure))) {
        LOG.info("consuming {} ends: {}", queue.name(), failure.getMessage());
        return;
      }
      LOG.warn("leasing from {} failed and is repeated: {}", queue.name(), failure.getMessage());
      context.timers().at(Time.after(context.time().nanos(), PAUSE_AFTER_ERROR_MS), this::ask);
      return;
    }
    hire();
    ask();
  }

  private HeldItem held(LeasedItems items, LeasedItem item) {
    Duration ttl = context.leaseTimeout();
    Trust trust = new Trust(context.time(), items.claimedNanos(), ttl.toMillis());
    HeldItem held = new HeldItem(queue.name(), items, item, trust, ttl);
    ItemRenewer.ItemToken token = new ItemRenewer.ItemToken(item.id(), items.partition());
    Lease lease = new Lease(new LeaseKey("item", queue.name()), token, ttl);
    if (LeaseKeeper.canKeep(lease)) {
      held.kept = keeper.keep(lease, trust, new Loss(held));
    }
    return held;
  }

  /** Lets workers come for what waits, as many as may work. */
  private synchronized void hire() {
    int wanted = Math.min(options.concurrency() - active, waiting.size());
    for (int i = 0; i < wanted; i++) {
      active++;
      workers.execute(this::work);
    }
  }

  private void work() {
    HeldItem next = next();
    while (next != null) {
      ask();
      try {
        handle(next);
      } finally {
        synchronized (this) {
          handling.remove(Thread.currentThread());
        }
        Thread.interrupted();
      }
      next = next();
    }
    ask();
  }

  /** What to handle next; null when there is nothing, and the worker goes. */
  private synchronized @Nullable HeldItem next() {
    HeldItem next = stopped ? null : waiting.poll();
    if (next == null) {
      active--;
      notifyAll();
    } else {
      handling.add(Thread.currentThread());
    }
    return next;
  }

  private void handle(HeldItem held) {
    if (!held.isHeld()) {
      end(held);
      return;
    }
    Exception failure = null;
    try {
      if (held.kept != null) {
        held.kept.interruptOnLoss(Thread.currentThread());
      }
      handler.handle(held);
    } catch (Exception e) {
      failure = e;
    } catch (Error e) {
      settle(held, new UnrecoverableItemException("the handler failed", e));
      throw e;
    }
    settle(held, failure);
  }

  private void settle(HeldItem held, @Nullable Exception failure) {
    end(held); // from here on no interrupt; settling works as long as nobody else has the item
    synchronized (this) {
      settling++;
    }
    CompletableFuture<Void> settled;
    if (failure == null) {
      settled = queue.completeAsync(held.partition, List.of(held.item.id()), Queue.DEFAULT_TIMEOUT);
    } else {
      LOG.warn("item {} of {} failed: {}", held.item.id(), held.queue, failure.toString());
      settled = queue.retryAsync(held.partition, List.of(retry(held, failure)));
    }
    settled.whenComplete((done, problem) -> settled(held, problem));
  }

  private Retry retry(HeldItem held, Exception failure) {
    if (failure instanceof UnrecoverableItemException) {
      return Retry.dead(held.item.id());
    }
    Duration delay = options.retry().delay(held.item, failure);
    if (delay.isZero() || delay.isNegative()) {
      return Retry.now(held.item.id());
    }
    return Retry.at(held.item.id(), held.databaseTimeIn(delay, context.time().nanos()));
  }

  private void settled(HeldItem held, @Nullable Throwable problem) {
    if (problem != null) {
      LOG.warn(
          "item {} of {} could not be settled and will come again: {}",
          held.item.id(),
          held.queue,
          problem.getMessage());
    }
    synchronized (this) {
      settling--;
      notifyAll();
    }
  }

  private void end(HeldItem held) {
    if (held.kept != null) {
      keeper.end(held.kept);
    }
  }

  /**
   * Leases nothing more, hands back what was not started, and waits for running handlers; those
   * that take longer than the grace are interrupted. Idempotent.
   */
  @Override
  public void close() {
    List<HeldItem> unstarted;
    CompletableFuture<LeasedItems> open;
    synchronized (this) {
      if (stopped) {
        return;
      }
      stopped = true;
      unstarted = new ArrayList<>(waiting);
      waiting.clear();
      open = asking;
    }
    if (open != null) {
      open.cancel(true);
    }
    unstarted.forEach(this::end);
    unstarted.stream()
        .collect(Collectors.groupingBy(held -> held.partition, TreeMap::new, Collectors.toList()))
        .forEach((partition, items) -> context.handBack(partition, itemsOf(items)));
    if (!await(options.stopGrace())) {
      synchronized (this) {
        handling.forEach(Thread::interrupt);
      }
      await(options.stopGrace());
    }
    workers.shutdown();
    keeper.close();
    context.closed(this);
  }

  private static List<LeasedItem> itemsOf(List<HeldItem> held) {
    return held.stream().map(HeldItem::item).toList();
  }

  /** Whether everything has ended within the limit. */
  private synchronized boolean await(Duration limit) {
    long until = System.nanoTime() + limit.toNanos();
    try {
      while (active > 0 || settling > 0) {
        long left = until - System.nanoTime();
        if (left <= 0) {
          return false;
        }
        wait(Math.max(1, TimeUnit.NANOSECONDS.toMillis(left)));
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
    return true;
  }
}
