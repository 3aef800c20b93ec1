package io.holdfast.lease;

import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * A lease that a {@link LeaseKeeper} renews. It is held until it is lost or ended, and whichever
 * comes first is final. Safe for use by many threads.
 */
public final class KeptLease {
  /** Hears what becomes of the lease. */
  public interface Listener {
    /** Called after each successful renewal, on a keeper thread. */
    void renewed(long expiresAtMs);

    /** Called once, on a thread of its own. */
    void lost(LossReason reason);
  }

  private enum State {
    HELD,
    LOST,
    ENDED
  }

  private final Lease lease;
  private final Trust trust;
  private final Listener listener;
  private final BiConsumer<KeptLease, LossReason> announce;

  private State state = State.HELD;
  private @Nullable LossReason lossReason;
  private @Nullable Thread owner;
  private boolean interrupted;
  private boolean renewing;
  private long dueNanos;

  KeptLease(
      Lease lease, Trust trust, Listener listener, BiConsumer<KeptLease, LossReason> announce) {
    this.lease = lease;
    this.trust = trust;
    this.listener = listener;
    this.announce = announce;
  }

  /** True while neither lost nor ended nor past its trust deadline. */
  public synchronized boolean isHeld() {
    return state == State.HELD && trust.holds();
  }

  /** Why it was lost, if it was. */
  public synchronized @Nullable LossReason lossReason() {
    return lossReason;
  }

  /** Interrupts {@code thread} when the lease is lost, never after {@link #end} has returned. */
  public synchronized void interruptOnLoss(Thread thread) {
    owner = thread;
    if (state == State.LOST) {
      interruptOwner();
    }
  }

  /**
   * Ends the keeping, whatever the state. If the loss interrupted this very thread and nobody has
   * noticed, the flag is taken back: it must not hit what the thread does next.
   */
  public synchronized void end() {
    if (state == State.HELD) {
      state = State.ENDED;
    }
    if (interrupted && owner == Thread.currentThread()) {
      Thread.interrupted();
    }
    interrupted = false;
    owner = null;
  }

  Lease lease() {
    return lease;
  }

  Listener listener() {
    return listener;
  }

  /** Marks the lease as being renewed, if it is held and due by {@code nanos}. */
  synchronized boolean startRenewal(long nanos) {
    if (state != State.HELD || renewing || dueNanos - nanos > 0) {
      return false;
    }
    renewing = true;
    return true;
  }

  /** When the next renewal has to start; while one is under way, {@code farNanos}. */
  synchronized long nextNanos(long farNanos) {
    return renewing ? farNanos : dueNanos;
  }

  synchronized void renewAt(long nanos) {
    renewing = false;
    dueNanos = nanos;
  }

  /** Takes a successful renewal; it is too late once the loss was announced. */
  synchronized void renewed(long requestedNanos, long nextNanos) {
    renewAt(nextNanos);
    if (state == State.HELD) {
      trust.renew(requestedNanos, lease.ttl().toMillis());
    }
  }

  boolean pastDeadline() {
    return !trust.holds();
  }

  long deadlineNanos() {
    return trust.untilNanos();
  }

  /** Announces the loss, once. */
  boolean lose(LossReason reason) {
    synchronized (this) {
      if (state != State.HELD) {
        return false;
      }
      state = State.LOST;
      lossReason = reason;
      interruptOwner();
    }
    announce.accept(this, reason);
    return true;
  }

  private void interruptOwner() {
    if (owner != null) {
      interrupted = true;
      owner.interrupt();
    }
  }
}
