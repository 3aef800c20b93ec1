package io.holdfast.lock;

import io.holdfast.ErrorCode;
import io.holdfast.lease.Cancellation;
import io.holdfast.lease.CancellationSource;
import io.holdfast.lease.Signal;
import io.holdfast.lease.Time;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * The end of a handle: {@code active → disposing → disposed}. Over all threads at most one release
 * reaches the store; whoever comes second waits for it (close) or is told there is nothing left to
 * release (release). A close never throws and, with a time limit, never blocks longer than that.
 */
final class Disposal {
  private final HandleCalls calls;
  private final LockKey key;
  private final LockId id;
  private final AtomicBoolean started = new AtomicBoolean();
  private final Signal finishing = new Signal();
  private volatile boolean disposed;

  Disposal(HandleCalls calls, LockKey key, LockId id) {
    this.calls = calls;
    this.key = key;
    this.id = id;
  }

  ReleaseOutcome release() {
    if (!started.compareAndSet(false, true)) {
      return NotHeld.NOT_FOUND;
    }
    try {
      return calls.release(key, id, Cancellation.never());
    } finally {
      finish();
    }
  }

  void close(@Nullable ReleaseErrorListener listener) {
    boolean interrupted = Thread.interrupted();
    try {
      Duration limit = calls.closeTimeout();
      if (!started.compareAndSet(false, true)) {
        awaitFinish(limit);
      } else if (limit == null) {
        releaseReporting(listener, Cancellation.never());
      } else {
        closeWithin(limit, listener);
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  private void closeWithin(Duration limit, @Nullable ReleaseErrorListener listener) {
    CancellationSource cancel = new CancellationSource();
    calls.inBackground(() -> releaseReporting(listener, cancel));
    if (!awaitFinish(limit)) {
      disposed = true;
      LockException late =
          new LockException(ErrorCode.NETWORK_TIMEOUT, "closing a lock took too long");
      calls.releaseFailed(late.about(key.text(), id.text()), key, id, listener);
      calls.inBackground(cancel::cancel);
    }
  }

  private void releaseReporting(@Nullable ReleaseErrorListener listener, Cancellation cancel) {
    try {
      calls.release(key, id, cancel);
    } catch (LockException e) {
      calls.releaseFailed(e, key, id, listener);
    } finally {
      finish();
    }
  }

  private void finish() {
    disposed = true;
    finishing.raise();
  }

  /** Waits until the release under way is over; each waiter wakes the next one. */
  private boolean awaitFinish(@Nullable Duration limit) {
    Time time = calls.time();
    long until = Time.after(time.nanos(), limit == null ? Long.MAX_VALUE : limit.toMillis());
    while (!disposed) {
      Signal.Woken woken = finishing.await(time, until);
      if (woken == Signal.Woken.TIMED_OUT) {
        return false;
      }
      if (woken == Signal.Woken.INTERRUPTED) {
        Thread.interrupted();
      }
    }
    finishing.raise();
    return true;
  }
}
