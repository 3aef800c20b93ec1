package io.holdfast.lease;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;

/**
 * The one way a thread waits here: until it is raised, a moment comes, the caller cancels, or the
 * thread is interrupted. A raised signal stays up until one waiter has seen it. Safe for use by
 * many threads.
 */
public final class Signal {
  private final Set<Thread> waiting = ConcurrentHashMap.newKeySet();
  private volatile boolean raised;

  /** Why a wait ended. */
  public enum Woken {
    RAISED,
    TIMED_OUT,
    CANCELLED,
    /** The thread's interrupt flag is left set. */
    INTERRUPTED
  }

  /** Ends one present or future wait. */
  public void raise() {
    raised = true;
    waiting.forEach(LockSupport::unpark);
  }

  /** Waits without a caller's token. */
  public Woken await(Time time, long untilNanos) {
    return await(time, untilNanos, Cancellation.never());
  }

  /** Waits until the first of the four reasons holds; a raised signal wins over the others. */
  public Woken await(Time time, long untilNanos, Cancellation cancellation) {
    Thread me = Thread.currentThread();
    waiting.add(me);
    Cancellation.Registration registration = cancellation.onCancel(() -> LockSupport.unpark(me));
    try {
      while (true) {
        if (raised) {
          raised = false;
          return Woken.RAISED;
        }
        if (cancellation.isCancelled()) {
          return Woken.CANCELLED;
        }
        if (me.isInterrupted()) {
          return Woken.INTERRUPTED;
        }
        if (time.nanos() - untilNanos >= 0) {
          return Woken.TIMED_OUT;
        }
        time.park(untilNanos);
      }
    } finally {
      registration.close();
      waiting.remove(me);
    }
  }
}
