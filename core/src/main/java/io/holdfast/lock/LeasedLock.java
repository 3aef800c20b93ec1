package io.holdfast.lock;

import io.holdfast.ErrorCode;
import io.holdfast.lease.Fence;
import io.holdfast.lease.Time;
import java.time.Duration;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A lock on a key in the shape of {@link Lock}: renewed while held, and re-entrant per thread.
 *
 * <p>It is a lease, <strong>not a mutex</strong>: a process that is paused for longer than the ttl,
 * or cut off from the database, loses it while its code still runs. {@link #unlock} says so
 * afterwards; to keep such a holder from doing harm, guard its writes with {@link #fence}.
 *
 * <p>Made for use by many threads; threads of one process queue among themselves first.
 */
public final class LeasedLock implements Lock {
  private static final Duration FOREVER = Duration.ofMillis(LockTtl.MAX_MILLIS);

  private final LockService locks;
  private final LockKey key;
  private final Time time;
  private final Set<LeasedLock> held;
  private final ReentrantLock local = new ReentrantLock();
  private @Nullable Hold hold;

  LeasedLock(LockService locks, LockKey key, Time time, Set<LeasedLock> held) {
    this.locks = locks;
    this.key = key;
    this.time = time;
    this.held = held;
  }

  /** One lease; whether it was lost is its own, for word of that may come after the next began. */
  private record Hold(Acquired lease, AtomicBoolean lost) {}

  /** Waits without limit, whatever interrupts. Throws when the store fails. */
  @Override
  public void lock() {
    boolean interrupted = false;
    try {
      boolean entered = false;
      while (!entered) {
        local.lock();
        interrupted |= Thread.interrupted();
        entered = enterUninterrupted();
      }
    } finally {
      restore(interrupted);
    }
  }

  @Override
  public void lockInterruptibly() throws InterruptedException {
    do {
      local.lockInterruptibly();
    } while (!enterInterruptibly(FOREVER));
  }

  /** Makes one attempt. */
  @Override
  public boolean tryLock() {
    boolean interrupted = Thread.interrupted();
    try {
      return local.tryLock() && enter(() -> locks.acquire(key.text(), LockTtl.DEFAULT));
    } finally {
      restore(interrupted);
    }
  }

  @Override
  public boolean tryLock(long limit, TimeUnit unit) throws InterruptedException {
    long untilNanos = time.nanos() + unit.toNanos(limit);
    if (!local.tryLock(limit, unit)) {
      return false;
    }
    return enterInterruptibly(Duration.ofNanos(Math.max(0, untilNanos - time.nanos())));
  }

  /**
   * Gives the lock back.
   *
   * @throws IllegalMonitorStateException when this thread does not hold it
   * @throws LockException {@code LeaseLost} when it was lost meanwhile; locally it is free all the
   *     same
   */
  @Override
  public void unlock() {
    if (!local.isHeldByCurrentThread()) {
      throw new IllegalMonitorStateException("not held by this thread");
    }
    boolean lost = local.getHoldCount() == 1 && !leave();
    local.unlock();
    if (lost) {
      throw new LockException(ErrorCode.LEASE_LOST, "the lock was lost while it was held")
          .about(key.text(), null);
    }
  }

  /** Not offered: a condition cannot be signalled across processes. */
  @Override
  public Condition newCondition() {
    throw new UnsupportedOperationException();
  }

  /** The fence of the present hold. */
  public Fence fence() {
    Hold present = hold;
    if (!local.isHeldByCurrentThread() || present == null) {
      throw new IllegalMonitorStateException("not held by this thread");
    }
    return present.lease().fence();
  }

  /** Whether this thread holds the lock and may rely on it now. */
  public boolean isHeld() {
    Hold present = hold;
    return local.isHeldByCurrentThread() && present != null && present.lease().isHeld();
  }

  private boolean enterUninterrupted() {
    try {
      return enter(() -> locks.acquire(key.text(), LockTtl.DEFAULT, Wait.upTo(FOREVER)));
    } catch (LockException e) {
      if (e.code() == ErrorCode.ABORTED && Thread.currentThread().isInterrupted()) {
        return false;
      }
      throw e;
    }
  }

  private boolean enterInterruptibly(Duration limit) throws InterruptedException {
    try {
      return enter(() -> locks.acquire(key.text(), LockTtl.DEFAULT, Wait.upTo(limit)));
    } catch (LockException e) {
      if (e.code() == ErrorCode.ABORTED && Thread.interrupted()) {
        throw new InterruptedException();
      }
      throw e;
    }
  }

  /** Takes the lease with the first hold; without it the local lock goes back as well. */
  private boolean enter(Supplier<LockAttempt> acquire) {
    if (local.getHoldCount() > 1) {
      return true;
    }
    boolean entered = false;
    try {
      if (acquire.get() instanceof Acquired got) {
        AtomicBoolean lost = new AtomicBoolean();
        hold = new Hold(got, lost);
        entered = true;
        // Kept from being collected while it is held, should nobody refer to it meanwhile.
        held.add(this);
        got.keep(reason -> lost.set(true));
      }
      return entered;
    } finally {
      if (!entered) {
        local.unlock();
      }
    }
  }

  /** Releases the lease; false when it was lost. A failed release goes to the listener. */
  private boolean leave() {
    Hold present = Objects.requireNonNull(hold);
    Acquired lease = present.lease();
    hold = null;
    held.remove(this);
    boolean interrupted = Thread.interrupted();
    try {
      boolean good = lease.isHeld() && !present.lost().get();
      return lease.release().ok() && good;
    } catch (LockException e) {
      locks.releaseFailed(e, lease);
      return true;
    } finally {
      restore(interrupted);
    }
  }

  private static void restore(boolean interrupted) {
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
