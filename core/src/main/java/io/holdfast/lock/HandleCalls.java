package io.holdfast.lock;

import io.holdfast.lease.Cancellation;
import io.holdfast.lease.KeptLease;
import io.holdfast.lease.LossReason;
import io.holdfast.lease.Time;
import io.holdfast.lease.Trust;
import java.time.Duration;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** What a handle asks of the locks it came from. */
interface HandleCalls {
  ReleaseOutcome release(LockKey key, LockId id, Cancellation cancellation);

  ExtendOutcome extend(LockKey key, LockId id, LockTtl ttl);

  KeptLease keep(Acquired lock, LockTtl ttl, Trust trust, Consumer<LossReason> onLost);

  void extendedByHolder(KeptLease kept, LockTtl ttl);

  void endKeeping(Acquired lock, KeptLease kept);

  void releaseFailed(
      LockException error, LockKey key, LockId id, @Nullable ReleaseErrorListener listener);

  void inBackground(Runnable task);

  /** The limit for closing, or null for none. */
  @Nullable Duration closeTimeout();

  Time time();

  default long nanos() {
    return time().nanos();
  }
}
