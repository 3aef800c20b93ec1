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

    /** Called after each renewal that failed and will be repeated, on a keeper thread. */
    default void failed(RuntimeException failure) {}

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
  private boolean repeating;
  private boolean ended;
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
    if (ended) {
      return;
    }
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
    ended = true;
    if (state == State.HELD) {
      state = State.ENDED;
    }
    interruptNobody();
  }

  /** The lease is kept on, but its loss interrupts nobody any more, as after {@link #end}. */
  public synchronized void interruptNobody() {
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

  /** Marks the lease as being renewed, if it is held and due; a first try may join others early. */
  synchronized boolean startRenewal(long nanos, long earlyNanos) {
    long early = repeating ? 0 : earlyNanos;
    if (state != State.HELD || renewing || dueNanos - nanos > early) {
      return false;
    }
    renewing = true;
    return true;
  }

  /** When the next renewal has to start; while one is under way, {@code farNanos}. */
  synchronized long nextNanos(long farNanos) {
    return renewing ? farNanos : dueNanos;
  }

  /** Brings the next renewal forward, if it was to come later. */
  synchronized void renewBy(long nanos) {
    if (!renewing && nanos - dueNanos < 0) {
      dueNanos = nanos;
    }
  }

  synchronized void renewAt(long nanos) {
    renewing = false;
    repeating = false;
    dueNanos = nanos;
  }

  synchronized void repeatAt(long nanos) {
    renewAt(nanos);
    repeating = true;
  }

  /** Takes a successful renewal; false when it came too late, after the loss or the deadline. */
  synchronized boolean renewed(long requestedNanos, long nextNanos) {
    renewAt(nextNanos);
    if (!isHeld()) {
      return false;
    }
    trust.renew(requestedNanos, lease.ttl().toMillis());
    return true;
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
