package io.holdfast.lock;

import io.holdfast.lease.Cancellation;
import io.holdfast.lease.LeaseKeeper;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * How {@link Locks#withLock} takes and keeps its lock. Start from {@link #DEFAULTS}.
 *
 * @param ttl for how long the lock is taken, and renewed
 * @param retry how contention is retried
 * @param acquireCancellation calls off the acquisition only
 * @param autoRenew renew until the function returns
 * @param interruptOnLoss interrupt the function's thread when a renewed lease is lost
 * @param failIfLost throw {@code LeaseLost} when the function returned after the lease was lost
 * @param onReleaseError hears of a failed release, or null for the listener of the {@link Locks}
 */
public record WithLockOptions(
    Duration ttl,
    LockRetry retry,
    Cancellation acquireCancellation,
    boolean autoRenew,
    boolean interruptOnLoss,
    boolean failIfLost,
    @Nullable ReleaseErrorListener onReleaseError) {

  /** 30 s, retried for 5 s, not renewed. */
  public static final WithLockOptions DEFAULTS =
      new WithLockOptions(
          LockTtl.DEFAULT, LockRetry.DEFAULTS, Cancellation.never(), false, false, false, null);

  public WithLockOptions {
    LockTtl.of(ttl);
  }

  /** A lock that is to be renewed must live long enough for that. */
  void checkRenewable() {
    if ((autoRenew || interruptOnLoss) && ttl.toMillis() < LeaseKeeper.MIN_TTL_MS) {
      throw LockException.invalid("a lock to be renewed needs a ttl of at least 100 ms");
    }
  }

  /** With another ttl. */
  public WithLockOptions withTtl(Duration value) {
    return new WithLockOptions(
        value, retry, acquireCancellation, autoRenew, interruptOnLoss, failIfLost, onReleaseError);
  }

  /** With another way to retry. */
  public WithLockOptions withRetry(LockRetry value) {
    return new WithLockOptions(
        ttl, value, acquireCancellation, autoRenew, interruptOnLoss, failIfLost, onReleaseError);
  }

  /** With a token for the acquisition only. */
  public WithLockOptions withAcquireCancellation(Cancellation value) {
    return new WithLockOptions(
        ttl, retry, value, autoRenew, interruptOnLoss, failIfLost, onReleaseError);
  }

  /** Renewed until the function returns. */
  public WithLockOptions renewing() {
    return new WithLockOptions(
        ttl, retry, acquireCancellation, true, interruptOnLoss, failIfLost, onReleaseError);
  }

  /** Renewed, and the function's thread is interrupted on loss. */
  public WithLockOptions interruptingOnLoss() {
    return new WithLockOptions(
        ttl, retry, acquireCancellation, true, true, failIfLost, onReleaseError);
  }

  /** Failing when the lease was lost meanwhile. */
  public WithLockOptions failingIfLost() {
    return new WithLockOptions(
        ttl, retry, acquireCancellation, autoRenew, interruptOnLoss, true, onReleaseError);
  }

  /** With a listener for a failed release. */
  public WithLockOptions withOnReleaseError(ReleaseErrorListener value) {
    return new WithLockOptions(
        ttl, retry, acquireCancellation, autoRenew, interruptOnLoss, failIfLost, value);
  }
}
