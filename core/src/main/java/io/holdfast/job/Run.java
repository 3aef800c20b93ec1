package io.holdfast.job;

import io.holdfast.lease.CancellationSource;
import io.holdfast.lease.Trust;
import java.util.EnumSet;
import java.util.Set;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * One leased job in a worker's hands. Whoever decides what becomes of it does so once: the
 * handler's end, a timeout that the handler ignores, the loss of the lease, or giving it back
 * unstarted. Safe for use by many threads.
 */
final class Run {
  final LeasedJob leased;
  final Trust trust;
  final long sinceNanos;
  final CancellationSource ending = new CancellationSource();
  private final Executor callbacks;
  private final Set<JobContext.EndReason> told = EnumSet.noneOf(JobContext.EndReason.class);
  private boolean isDecided;
  private boolean isAnswerLost;
  private boolean isGuarded;
  private boolean isCompleted;
  private @Nullable Long guardedNanos;
  private @Nullable Thread thread;
  private JobContext.@Nullable EndReason endReason;

  /**
   * A job that has not started.
   *
   * @param callbacks runs what the handler registered for its end
   */
  Run(LeasedJob leased, Trust trust, long sinceNanos, Executor callbacks) {
    this.leased = leased;
    this.trust = trust;
    this.sinceNanos = sinceNanos;
    this.callbacks = callbacks;
  }

  Held held() {
    return leased.held();
  }

  /** The handler's thread enters; false when there is nothing to do, or no longer. */
  synchronized boolean enter() {
    if (isDecided || endReason != null) {
      return false;
    }
    thread = Thread.currentThread();
    return true;
  }

  /** The handler's thread leaves; an interrupt that it has not seen was meant for the handler. */
  synchronized void leave() {
    thread = null;
    Thread.interrupted();
  }

  /**
   * Asks the handler to end, by its token and by an interrupt, once for each reason. Being lost
   * outweighs the rest.
   */
  void end(JobContext.EndReason reason) {
    synchronized (this) {
      if (!told.add(reason)) {
        return;
      }
      if (endReason == null || reason == JobContext.EndReason.LEASE_LOST) {
        endReason = reason;
      }
      if (thread != null) {
        thread.interrupt();
      }
    }
    ending.cancel(callbacks);
  }

  synchronized JobContext.@Nullable EndReason endReason() {
    return endReason;
  }

  /** True for the one caller who may say what becomes of it. */
  synchronized boolean decide() {
    boolean isFirst = !isDecided;
    isDecided = true;
    return isFirst;
  }

  synchronized boolean isDecided() {
    return isDecided;
  }

  /** It was settled, or not: the store's answer is unknown. */
  synchronized void answerLost() {
    isAnswerLost = true;
  }

  /** Whether a refusal for this reason only means that an earlier try was successful. */
  synchronized boolean isSettledBefore(JobError refusal) {
    boolean isOver = refusal == JobError.JOB_NOT_INFLIGHT;
    boolean isNext = refusal == JobError.LEASE_MISMATCH && trust.holds();
    return isAnswerLost && (isOver || isNext);
  }

  /** A transaction of the handler's is about to hold the job's row; answers whether one did. */
  synchronized boolean guarding() {
    boolean wasGuarded = isGuarded;
    isGuarded = true;
    guardedNanos = null;
    return wasGuarded;
  }

  /** Whether it holds it now: then nobody can take the job over until that transaction ends. */
  synchronized void guarded(boolean isHeld, long nanos) {
    isGuarded = isHeld;
    guardedNanos = nanos;
  }

  /** It is completed with the commit of the transaction that holds it. */
  synchronized void completed() {
    isCompleted = true;
  }

  /** The lease was alive and the row free at some time after {@code nanos}. */
  synchronized void seenFree(long nanos) {
    if (guardedNanos != null && nanos - guardedNanos > 0) {
      isGuarded = false;
    }
  }

  /** Whether a transaction of the handler's holds the job's row, as far as is known. */
  synchronized boolean isGuarded() {
    return isGuarded;
  }

  /** Whether a transaction was to complete it, and may have. */
  synchronized boolean isCompleted() {
    return isCompleted;
  }
}
