package io.holdfast.lock;

import io.holdfast.ErrorCode;
import io.holdfast.lease.Background;
import io.holdfast.lease.Cancellation;
import io.holdfast.lease.DutyRunner;
import io.holdfast.lease.Fence;
import io.holdfast.lease.Hints;
import io.holdfast.lease.Lease;
import io.holdfast.lease.LeaseKeeper;
import io.holdfast.lease.Renewal;
import io.holdfast.lease.Time;
import io.holdfast.lease.Timers;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What all views of one {@link Locks} share: store, keeper, waiting room, duties, and their end.
 */
final class LockEngine {
  private static final Logger LOG = LoggerFactory.getLogger(Locks.class);
  private static final int PARKED_AT_ONCE = 8;

  final LockBackend backend;
  final LockOptions options;
  final Time time;
  final LeaseKeeper keeper;
  final WaitingRoom room = new WaitingRoom();
  final Timers timers;

  /** The name under which the unordered waiters of this process share one ticket per key. */
  final String processId = LockId.random().text();

  private final UnknownOutcomes unknown;
  private final DutyRunner recovering;
  private final @Nullable DutyRunner purging;
  private final DutyRunner timing;
  private final Set<Acquired> kept = ConcurrentHashMap.newKeySet();
  private final Set<ParkedAcquire> parked = ConcurrentHashMap.newKeySet();
  private final ExecutorService tasks = Background.tasks("holdfast-lock");
  private final ExecutorService tries = Background.tasks("holdfast-lock-wait", PARKED_AT_ONCE);
  private final OncePer fenceWarnings;
  private final OncePer cleanups;
  private final AtomicBoolean cleaning = new AtomicBoolean();
  private final AtomicBoolean started = new AtomicBoolean();
  private Hints.@Nullable Subscription subscription;
  private volatile boolean closed;

  LockEngine(LockBackend backend, LockOptions options) {
    this.backend = backend;
    this.options = options;
    this.time = backend.time();
    this.keeper = new LeaseKeeper(time, new StoreRenewer(), backend.reserve());
    this.unknown = new UnknownOutcomes(this::release, options.timeouts().call(), time);
    this.recovering = new DutyRunner("holdfast-recover", unknown, time);
    this.purging = purgeRunner(options.purgeEvery());
    this.timers = new Timers(time, this::timerIsEarlier);
    this.timing = new DutyRunner("holdfast-lock-timers", timers, time);
    this.fenceWarnings = new OncePer(Duration.ofMinutes(1), time);
    this.cleanups = new OncePer(Duration.ofSeconds(1), time);
  }

  LockStore store() {
    return backend.store();
  }

  LockCall call(Cancellation cancellation) {
    return new LockCall(cancellation, options.timeouts().lock(), options.timeouts().call());
  }

  /** The checks before anything else: not cancelled, not interrupted, not closed. */
  void admit(Cancellation cancellation) {
    if (cancellation.isCancelled()) {
      throw new LockException(ErrorCode.ABORTED, "the call was cancelled");
    }
    if (Thread.currentThread().isInterrupted()) {
      throw new LockException(ErrorCode.ABORTED, "the calling thread was interrupted");
    }
    requireOpen();
    if (started.compareAndSet(false, true) && purging != null) {
      purging.wake();
    }
  }

  void requireOpen() {
    if (closed) {
      throw closedNow();
    }
  }

  private static LockException closedNow() {
    return new LockException(ErrorCode.SERVICE_UNAVAILABLE, "the locks are closed");
  }

  /** An acquire whose answer was lost: what it may have taken must not stay taken. */
  void outcomeUnknown(LockId id) {
    unknown.add(id);
    recovering.wake();
  }

  /** Wakes whoever waits for {@code key}: directly here, by a hint elsewhere. */
  void released(LockKey key, boolean othersWait) {
    room.wake(key.text());
    if (othersWait && options.hints()) {
      backend.hints().send(key.hash());
    }
  }

  /** Releases where no caller waits for it, and wakes whoever waits for the key. */
  LockStore.Freed release(LockId id) {
    LockStore.Freed freed = store().release(id, true, call(Cancellation.never()));
    LockKey key = freed.key();
    if (key != null && freed.status() == LockStore.Freed.Status.RELEASED) {
      released(key, freed.wake());
    }
    return freed;
  }

  /** Hears other processes' hints from the first wait on. */
  synchronized void listen() {
    if (subscription == null && options.hints() && !closed) {
      subscription = backend.hints().listen(room);
    }
  }

  private void timerIsEarlier() {
    timing.wake();
  }

  /** Has {@code waiter} answered when the locks are closed; at once if they are. */
  void park(ParkedAcquire waiter) {
    parked.add(waiter);
    if (closed) {
      waiter.fail(closedNow());
    }
  }

  void unpark(ParkedAcquire waiter) {
    parked.remove(waiter);
  }

  /** Runs a try of a parked acquire, a few at a time. */
  void tryParked(Runnable task) {
    try {
      tries.execute(task);
    } catch (RejectedExecutionException e) {
      inBackground(task);
    }
  }

  /** Whether to warn about {@code fence}: it is high, and the key was not warned about lately. */
  boolean warnsOf(Fence fence, LockKey key) {
    if (fence.value() <= Fence.WARN || !fenceWarnings.allows(key.text())) {
      return false;
    }
    LOG.warn("the fence of key {} is {}: it ends at {}", key.hash(), fence, Fence.MAX);
    return true;
  }

  /** Removes the row of {@code key} behind the caller's back, if it is worth it. */
  void cleanUp(LockKey key) {
    if (!cleanups.allows(key.text()) || !cleaning.compareAndSet(false, true)) {
      return;
    }
    inBackground(
        () -> {
          try {
            store().removeStale(key, call(Cancellation.never()));
          } catch (RuntimeException e) {
            LOG.debug("cleaning up after isLocked failed: {}", e.getMessage());
          } finally {
            cleaning.set(false);
          }
        });
  }

  void inBackground(Runnable task) {
    try {
      tasks.execute(task);
    } catch (RejectedExecutionException e) {
      // Closed meanwhile; a handle may still be closed then.
      Background.daemon("holdfast-lock-late", task).start();
    }
  }

  void keeping(Acquired lock, boolean on) {
    if (on) {
      kept.add(lock);
    } else {
      kept.remove(lock);
    }
  }

  void reportReleaseError(
      LockException error, LockKey key, LockId id, @Nullable ReleaseErrorListener listener) {
    try {
      (listener == null ? options.onReleaseError() : listener)
          .releaseFailed(error, id.text(), key.text());
    } catch (RuntimeException e) {
      // A listener must not turn a finished call into a failed one.
    }
  }

  /** Ends everything; a second call does nothing. */
  void close() {
    synchronized (this) {
      if (closed) {
        return;
      }
      closed = true;
      if (subscription != null) {
        subscription.close();
      }
    }
    parked.forEach(waiter -> waiter.fail(closedNow()));
    kept.forEach(lock -> inBackground(lock::close));
    await(tries);
    await(tasks);
    timing.close();
    keeper.close();
    recovering.close();
    if (purging != null) {
      purging.close();
    }
  }

  private static void await(ExecutorService threads) {
    threads.shutdown();
    boolean interrupted = Thread.interrupted();
    try {
      if (!threads.awaitTermination(2, TimeUnit.SECONDS)) {
        threads.shutdownNow();
      }
    } catch (InterruptedException e) {
      interrupted = true;
      threads.shutdownNow();
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  private @Nullable DutyRunner purgeRunner(@Nullable Duration period) {
    if (period == null) {
      return null;
    }
    Purge purge = new Purge(backend.admin(), call(Cancellation.never()), time, period);
    return new DutyRunner("holdfast-purge", purge, time);
  }

  /** Renewals as the store does them. */
  private final class StoreRenewer implements LeaseKeeper.Renewer {
    @Override
    public List<Renewal> renewAll(List<Lease> leases) {
      List<LockStore.Extend> extensions =
          leases.stream().map(l -> new LockStore.Extend(id(l), LockTtl.of(l.ttl()))).toList();
      return store().extendMany(extensions, call(Cancellation.never()));
    }

    @Override
    public Renewal renewOne(Lease lease) {
      return store().extend(id(lease), LockTtl.of(lease.ttl()), call(Cancellation.never()));
    }

    private LockId id(Lease lease) {
      return (LockId) lease.token();
    }
  }
}
