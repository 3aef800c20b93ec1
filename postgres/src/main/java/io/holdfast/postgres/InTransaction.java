package io.holdfast.postgres;

import io.holdfast.lease.Cancellation;
import io.holdfast.lease.Fence;
import io.holdfast.lock.Acquired;
import io.holdfast.lock.ExtendOutcome;
import io.holdfast.lock.LockAttempt;
import io.holdfast.lock.LockCall;
import io.holdfast.lock.LockKey;
import io.holdfast.lock.LockOptions;
import io.holdfast.lock.Locks;
import io.holdfast.lock.ReleaseOutcome;
import java.sql.Connection;
import java.time.Duration;

/**
 * Lock operations inside a caller's open transaction: visible with its commit, undone by its
 * rollback. The key's advisory lock stays until then, so others wait; keep such transactions short
 * and, for several keys, take them in one order. The ttl counts from the call. Nothing is repeated:
 * a lost race (40001, 40P01) reaches the caller as {@code ServiceUnavailable}.
 *
 * <p>A handle granted here acts on connections of its own, so it is for after the commit: {@code
 * keep()} it then, or close it. Used by one thread, as its connection is.
 */
public final class InTransaction {
  private final Connection connection;
  private final Locks locks;
  private final PostgresLocks store;
  private final LockOptions options;
  private final QueuesInTransaction queues;
  private final StreamsInTransaction streams;
  private final JobsInTransaction jobs;

  InTransaction(
      Connection connection,
      Locks locks,
      PostgresLocks store,
      LockOptions options,
      QueuesInTransaction queues,
      StreamsInTransaction streams,
      JobsInTransaction jobs) {
    this.queues = queues;
    this.streams = streams;
    this.jobs = jobs;
    this.connection = connection;
    this.locks = locks;
    this.store = store;
    this.options = options;
  }

  /** Queue operations that take effect with the commit. */
  public QueuesInTransaction queues() {
    return queues;
  }

  /** Stream operations that take effect with the commit. */
  public StreamsInTransaction streams() {
    return streams;
  }

  /** Job operations that take effect with the commit. */
  public JobsInTransaction jobs() {
    return jobs;
  }

  /** Takes {@code key} if it is free. */
  public LockAttempt acquire(String key, Duration ttl) {
    return locks.acquire(key, ttl);
  }

  /** The same under an id of the caller's making. */
  public LockAttempt acquire(String key, Duration ttl, String lockId) {
    return locks.acquire(key, ttl, lockId);
  }

  /** Gives back a lock. Waiters elsewhere find out by polling, after the commit. */
  public ReleaseOutcome release(String lockId) {
    return locks.release(lockId);
  }

  /** Replaces the remaining time of a live lock. */
  public ExtendOutcome extend(String lockId, Duration ttl) {
    return locks.extend(lockId, ttl);
  }

  /** Fails the transaction if a newer holder acted on {@code resource}; see {@link FenceGuard}. */
  public void guard(String resource, Fence fence) {
    FenceGuard.guard(connection, resource, fence);
  }

  /**
   * Fails the transaction unless {@code lock} is still the last grant of its key, and holds off the
   * next one until the transaction ends. The locks must be in this database. Release after the
   * commit rather than inside.
   */
  public void guardStrict(Acquired lock) {
    guardStrict(lock.key(), lock.fence());
  }

  /** The same for a key and fence. */
  public void guardStrict(String key, Fence fence) {
    LockCall call =
        new LockCall(Cancellation.never(), options.timeouts().lock(), options.timeouts().call());
    store.assertCurrent(LockKey.of(key), fence, call);
  }
}
