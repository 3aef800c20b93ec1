package io.holdfast.lock;

import io.holdfast.ErrorCode;
import io.holdfast.lease.KeptLease;
import io.holdfast.lease.Lease;
import io.holdfast.lease.LeaseKeeper;
import io.holdfast.lease.LeaseKey;
import io.holdfast.lease.LossReason;
import io.holdfast.lease.Trust;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Joins a granted lock to the keeper: renewals become events, a loss becomes the holder's callback.
 */
final class Keeping {
  private static final Logger LOG = LoggerFactory.getLogger(Locks.class);

  private final LockEngine engine;
  private final Observer observer;

  Keeping(LockEngine engine, Observer observer) {
    this.engine = engine;
    this.observer = observer;
  }

  KeptLease keep(Acquired lock, LockTtl ttl, Trust trust, Consumer<LossReason> onLost) {
    Lease lease = new Lease(new LeaseKey("lock", lock.key()), lock.id(), ttl.duration());
    if (!LeaseKeeper.canKeep(lease)) {
      throw LockException.invalid("a lock to be renewed needs a ttl of at least 100 ms");
    }
    engine.requireOpen();
    engine.keeping(lock, true);
    return engine.keeper.keep(lease, trust, new Listener(lock, onLost));
  }

  private final class Listener implements KeptLease.Listener {
    private final Acquired lock;
    private final Consumer<LossReason> onLost;

    Listener(Acquired lock, Consumer<LossReason> onLost) {
      this.lock = lock;
      this.onLost = onLost;
    }

    @Override
    public void renewed(long expiresAtMs) {
      lock.renewedUntil(expiresAtMs);
      observer.report(
          LockEvent.Type.EXTEND,
          LockEvent.Outcome.OK,
          Observer.Subject.of(lock.lockKey(), lock.id()),
          0);
    }

    @Override
    public void failed(RuntimeException failure) {
      ErrorCode code = failure instanceof LockException e ? e.code() : ErrorCode.INTERNAL;
      observer.report(
          LockEvent.Type.EXTEND,
          LockEvent.Outcome.error(code),
          Observer.Subject.of(lock.lockKey(), lock.id()),
          0);
    }

    @Override
    public void lost(LossReason reason) {
      engine.keeping(lock, false);
      observer.report(
          LockEvent.Type.EXTEND,
          LockEvent.Outcome.fail(reason == LossReason.NOT_FOUND ? "not-found" : "expired"),
          Observer.Subject.of(lock.lockKey(), lock.id()),
          0);
      try {
        onLost.accept(reason);
      } finally {
        releaseQuietly();
      }
    }

    /** The lease may still stand in the store, in the way of the next holder. */
    private void releaseQuietly() {
      try {
        engine.release(lock.id());
      } catch (RuntimeException e) {
        LOG.debug("releasing a lost lock failed: {}", e.getMessage());
      }
    }
  }
}
