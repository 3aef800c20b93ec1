package io.holdfast.lock;

import io.holdfast.lease.Cancellation;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;

/**
 * Locks on keys: at most one live lease per key, each granted with a fence that only grows. A lease
 * ends by itself, so a crashed holder blocks nobody for long; and because a paused holder can
 * always wake up too late, what must not happen twice has to check the fence as well.
 *
 * <p>Answers that a caller has to expect are values; everything else is a {@link LockException}.
 * Single calls make one attempt. A token given by {@link #cancelledBy} is checked before anything
 * else, and a blocked call ends soon after it is cancelled or its thread is interrupted.
 *
 * <p>Safe for use by many threads.
 */
public interface Locks extends AutoCloseable {
  /** Takes {@code key} for {@code ttl} if it is free. Not re-entrant. */
  LockAttempt acquire(String key, Duration ttl);

  /**
   * The same under an id of the caller's making ({@link LockId#random}), so that a call whose
   * answer was lost can be repeated: while that lease lives, it is returned as it was granted.
   */
  LockAttempt acquire(String key, Duration ttl, String lockId);

  /** The same, waiting for a taken key. */
  LockAttempt acquire(String key, Duration ttl, Wait wait);

  /**
   * The same without a thread: the answer comes by the future, and so does every failure.
   * Cancelling it ends the wait, gives back a grant that comes too late, and leaves no ticket.
   */
  CompletableFuture<LockAttempt> acquireAsync(String key, Duration ttl, Wait wait);

  /** The same under an id of the caller's making. */
  CompletableFuture<LockAttempt> acquireAsync(String key, Duration ttl, String lockId, Wait wait);

  /** Gives back the lock held under {@code lockId}. */
  ReleaseOutcome release(String lockId);

  /** Replaces the remaining time of a live lock by {@code ttl}; it never revives a dead one. */
  ExtendOutcome extend(String lockId, Duration ttl);

  /** The live lock on {@code key}; may be out of date on arrival. */
  Optional<LockInfo> lookup(String key);

  /** The live lock held under {@code lockId}. */
  Optional<LockInfo> lookupById(String lockId);

  /** The same as {@link #lookup} with raw values. */
  Optional<LockInfoRaw> lookupRaw(String key);

  /** The same as {@link #lookupById} with raw values. */
  Optional<LockInfoRaw> lookupRawById(String lockId);

  /** Whether {@code lockId} is live. */
  boolean owns(String lockId);

  /** Whether {@code key} is taken. */
  boolean isLocked(String key);

  /** Runs {@code fn} under the lock with the default options. */
  <T, X extends Exception> T withLock(String key, LockedFunction<T, X> fn) throws X;

  /**
   * Runs {@code fn} under the lock and always releases it. Contention is retried, and gives up with
   * {@code AcquisitionTimeout}; a release that fails never hides what {@code fn} returned or threw.
   */
  <T, X extends Exception> T withLock(String key, WithLockOptions options, LockedFunction<T, X> fn)
      throws X;

  /** The lock on {@code key} as a {@link java.util.concurrent.locks.Lock}; one instance per key. */
  LeasedLock obtain(String key);

  /** Makes the store ready; otherwise the first operation does. */
  void setup();

  /** The same locks, with {@code cancellation} for every call. */
  Locks cancelledBy(Cancellation cancellation);

  /** The same locks, reporting every call to {@code listener}, without raw values. */
  Locks observed(LockListener listener);

  /** The same, with raw values in the events that {@code includeRaw} picks. */
  Locks observed(LockListener listener, Predicate<LockEvent> includeRaw);

  /** What operators need. */
  LockOperator operator();

  /** What the store offers. */
  LockCapabilities capabilities();

  /** Ends background duties and releases what is still being renewed, within two seconds. */
  @Override
  void close();
}
