package io.holdfast.client.lock;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What goes over HTTP about locks, to {@code POST /v1/locks.<verb>} and back. Times are whole
 * milliseconds, instants milliseconds since 1970 on the database's clock, fences 15 digits of text.
 */
public final class LockWire {
  private LockWire() {}

  /**
   * {@code acquire}.
   *
   * @param lockId an id of the caller's making, so that a lost answer can be asked for again
   * @param waitMs how long to wait for a taken key; none: not at all
   * @param fair whether in order of arrival
   */
  public record LockAcquire(
      @Nullable String key,
      @Nullable Long ttlMs,
      @Nullable String lockId,
      @Nullable Long waitMs,
      @Nullable Boolean fair) {}

  /**
   * What became of it.
   *
   * @param reason {@code locked} if it was refused
   * @param leftMs how long the lease was to last when it was decided
   * @param waitedMs how long after the call came in the try began that was granted
   */
  public record LockAcquireReply(
      boolean ok,
      @Nullable String lockId,
      @Nullable String fence,
      @Nullable Long expiresAtMs,
      @Nullable Long acquiredAtMs,
      @Nullable Long leftMs,
      @Nullable Long waitedMs,
      @Nullable String reason,
      @Nullable Long retryAfterMs) {}

  /** {@code release}. */
  public record LockRelease(@Nullable String lockId) {}

  /**
   * What became of it.
   *
   * @param reason {@code not-found} or {@code expired} if it is not held
   */
  public record LockReleaseReply(boolean ok, @Nullable String reason) {}

  /** {@code extend}. */
  public record LockExtend(@Nullable String lockId, @Nullable Long ttlMs) {}

  /**
   * What became of it.
   *
   * @param reason {@code not-found} or {@code expired} if it is not held
   */
  public record LockExtendReply(boolean ok, @Nullable Long expiresAtMs, @Nullable String reason) {}

  /** {@code isLocked}. */
  public record LockOfKey(@Nullable String key) {}

  /** Whether it is. */
  public record LockedReply(boolean locked) {}

  /**
   * {@code lookup} by key or by id.
   *
   * @param raw with raw key and id, for administrators
   */
  public record LockLookup(@Nullable String key, @Nullable String lockId, @Nullable Boolean raw) {}

  /**
   * A lock.
   *
   * @param found whether there is a live one; in an answer to {@code lookup} only
   * @param key raw, if that was asked for
   * @param lockId raw, if that was asked for
   */
  public record LockDocument(
      @Nullable Boolean found,
      @Nullable String keyHash,
      @Nullable String lockIdHash,
      @Nullable String fence,
      @Nullable Long expiresAtMs,
      @Nullable Long acquiredAtMs,
      @Nullable String key,
      @Nullable String lockId) {}

  /**
   * {@code list}, by key.
   *
   * @param after the key that the page before ended with
   * @param limit 1 to 1000; 100 unless said otherwise
   */
  public record LockList(
      @Nullable String prefix,
      @Nullable String after,
      @Nullable Integer limit,
      @Nullable Boolean raw) {}

  /** A page of them. */
  public record LockListReply(List<LockDocument> locks) {}

  /** {@code inspect}. */
  public record LockInspect(@Nullable String key, @Nullable Boolean raw) {}

  /**
   * Everything about a key.
   *
   * @param lock the stored row, live or not
   * @param remainingMs until it stops keeping others out
   * @param fence the last one granted
   * @param waiters in order of arrival
   * @param refusal why a caller would be refused now
   * @param nowMs the database's clock
   */
  public record LockInspectReply(
      @Nullable LockDocument lock,
      long remainingMs,
      String fence,
      List<LockWaiter> waiters,
      @Nullable String refusal,
      long nowMs) {}

  /** Somebody who waits. */
  public record LockWaiter(long ticket, boolean fair, long expiresAtMs) {}

  /** How much there is of everything. */
  public record LockStatsReply(
      long liveLocks,
      long expiredRows,
      long counters,
      long waiters,
      long lockTableBytes,
      long counterTableBytes) {}

  /** {@code break}: frees a key if its fence is still this. */
  public record LockBreak(@Nullable String key, @Nullable String fence) {}

  /** Whether it was. */
  public record LockBreakReply(boolean broken) {}

  /** {@code raiseFences}: adds to every counter. */
  public record LockRaise(@Nullable Long by) {}

  /** How many were raised. */
  public record LockRaiseReply(long raised) {}

  /** {@code stats} and {@code purge} take nothing. */
  public record LockNothing() {}

  /** How many rows were removed. */
  public record LockPurgeReply(long purged) {}
}
