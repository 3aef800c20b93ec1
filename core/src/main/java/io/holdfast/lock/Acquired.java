package io.holdfast.lock;

import io.holdfast.ErrorCode;
import io.holdfast.lease.Fence;
import io.holdfast.lease.KeptLease;
import io.holdfast.lease.LossReason;
import io.holdfast.lease.Trust;
import java.time.Duration;
import java.time.Instant;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A lock that was granted, and the handle to it. It lasts until {@link #expiresAt} unless it is
 * extended or {@linkplain #keep() kept}, and what this process may rely on ends a little earlier:
 * ask {@link #isHeld} before each step that matters. Safe for use by many threads.
 */
public final class Acquired implements LockAttempt {
  private final HandleCalls calls;
  private final LockKey key;
  private final LockId id;
  private final LockTtl ttl;
  private final Fence fence;
  private final Instant acquiredAt;
  private final Duration grantedFor;
  private final Trust trust;
  private final Disposal disposal;

  private volatile Instant expiresAt;
  private volatile Duration waited = Duration.ZERO;
  private volatile boolean released;
  private volatile @Nullable KeptLease kept;

  Acquired(
      HandleCalls calls, LockStore.Request request, LockStore.Grant.Granted grant, Trust trust) {
    this.calls = calls;
    this.key = request.key();
    this.id = request.id();
    this.ttl = request.ttl();
    this.fence = grant.fence();
    this.acquiredAt = Instant.ofEpochMilli(grant.acquiredAtMs());
    this.expiresAt = Instant.ofEpochMilli(grant.expiresAtMs());
    this.grantedFor = Duration.ofMillis(grant.leftMs());
    this.trust = trust;
    this.disposal = new Disposal(calls, key, id);
  }

  @Override
  public boolean ok() {
    return true;
  }

  /** The key in its canonical spelling. */
  public String key() {
    return key.text();
  }

  /** The id of this lease; whoever has it can release and extend the lock. */
  public String lockId() {
    return id.text();
  }

  /** The number of this grant: greater than that of every earlier one of the key. */
  public Fence fence() {
    return fence;
  }

  /** When the lease ends on the store's clock, as far as this handle knows. */
  public Instant expiresAt() {
    return expiresAt;
  }

  /** When it was granted on the store's clock. */
  public Instant acquiredAt() {
    return acquiredAt;
  }

  /** How long it was to last when the store decided: less than the ttl for a repeated call only. */
  public Duration grantedFor() {
    return grantedFor;
  }

  /** How long the call had waited when it made the try that was granted. */
  public Duration waited() {
    return waited;
  }

  /** Whether the lock may be relied on right now, by this process's monotonic clock. */
  public boolean isHeld() {
    KeptLease keeping = kept;
    return !released && (keeping == null ? trust.holds() : keeping.isHeld());
  }

  /** Throws {@code LeaseLost} unless the lock {@linkplain #isHeld() may be relied on}. */
  public void ensureHeld() {
    if (!isHeld()) {
      throw new LockException(ErrorCode.LEASE_LOST, "the lock is not held any more")
          .about(key.text(), id.text());
    }
  }

  /** Why a kept lock was lost, if it was. */
  public @Nullable LossReason lossReason() {
    KeptLease keeping = kept;
    return keeping == null ? null : keeping.lossReason();
  }

  /** Renews the lock from now on, until it is released or lost. */
  public Acquired keep() {
    return keep(reason -> {});
  }

  /**
   * The same, calling {@code onLost} once, on a thread of its own, when the lock is lost. That
   * happens before the lease ends, unless the machine was suspended or the process stopped.
   */
  public Acquired keep(Consumer<LossReason> onLost) {
    synchronized (disposal) {
      if (kept == null && !released) {
        kept = calls.keep(this, ttl, trust, onLost);
      }
    }
    return this;
  }

  /** Keeps the lock and interrupts the calling thread on loss, never once the lock was released. */
  public Acquired keepInterrupting() {
    keep();
    KeptLease keeping = kept;
    if (keeping != null) {
      keeping.interruptOnLoss(Thread.currentThread());
    }
    return this;
  }

  @Override
  public ReleaseOutcome release() {
    stopKeeping();
    return disposal.release();
  }

  @Override
  public ExtendOutcome extend(Duration newTtl) {
    LockTtl checked = LockTtl.of(newTtl);
    long asked = calls.nanos();
    ExtendOutcome outcome = calls.extend(key, id, checked);
    if (outcome instanceof Extended extended) {
      expiresAt = extended.expiresAt();
      trust.renew(asked, checked.millis());
      KeptLease keeping = kept;
      if (keeping != null) {
        calls.extendedByHolder(keeping, checked);
      }
    }
    return outcome;
  }

  @Override
  public void close() {
    stopKeeping();
    disposal.close(null);
  }

  /** Closes with a listener of its own for a failed release. */
  void close(@Nullable ReleaseErrorListener listener) {
    stopKeeping();
    disposal.close(listener);
  }

  void waitedSince(long startNanos) {
    waited = Duration.ofNanos(Math.max(0, trust.sinceNanos() - startNanos));
  }

  void renewedUntil(long expiresAtMs) {
    expiresAt = Instant.ofEpochMilli(expiresAtMs);
  }

  LockKey lockKey() {
    return key;
  }

  LockId id() {
    return id;
  }

  private void stopKeeping() {
    synchronized (disposal) {
      released = true;
      KeptLease keeping = kept;
      if (keeping != null) {
        calls.endKeeping(this, keeping);
      }
    }
  }

  /** Hashed, so that it can be logged. */
  @Override
  public String toString() {
    return "Acquired[key=" + key.hash() + ", fence=" + fence + ", expiresAt=" + expiresAt + "]";
  }
}
