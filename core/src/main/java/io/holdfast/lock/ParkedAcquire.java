package io.holdfast.lock;

import io.holdfast.ErrorCode;
import io.holdfast.lease.Cancellation;
import io.holdfast.lease.CancellationSource;
import io.holdfast.lease.Timers;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * An acquire that waits without a thread. It follows the rules of {@link Waiting}; only a try takes
 * a thread, of a few that all parked ones share. However it ends (granted, refused, cancelled,
 * closed), its place and its ticket are given up after the last try and by the thread that made it,
 * so that no try can leave a ticket behind its back; and a grant that nobody waits for any more is
 * released. Safe for use by many threads.
 */
final class ParkedAcquire {
  private final LockEngine engine;
  private final CompletableFuture<LockAttempt> future = new CompletableFuture<>();
  private final CancellationSource ended = new CancellationSource();
  private final Waiting waiting;
  private Timers.@Nullable Timer timer;
  private boolean isLooking;
  private boolean isLookingAgain;

  private ParkedAcquire(LockEngine engine, LockService locks, Waiting.Wanted wanted) {
    this.engine = engine;
    this.isLooking = true; // nobody looks before it is complete
    this.waiting = new Waiting(engine, locks, wanted, this::look);
  }

  /** Begins to wait; cancelling the answer ends it. */
  static CompletableFuture<LockAttempt> begin(
      LockEngine engine, LockService locks, Waiting.Wanted wanted, Cancellation cancellation) {
    ParkedAcquire parked = new ParkedAcquire(engine, locks, wanted);
    engine.park(parked);
    Cancellation.Registration registration =
        cancellation.onCancel(() -> parked.fail(Waiting.cancelled()));
    parked.future.whenComplete(
        (answer, failure) -> {
          registration.close();
          parked.end();
        });
    parked.submit();
    return parked.future;
  }

  /** Ends it for this reason, unless it is over. */
  void fail(LockException reason) {
    future.completeExceptionally(reason);
  }

  /** Calls off a try under way; if there is none, one more look cleans up. */
  private void end() {
    engine.unpark(this);
    synchronized (this) {
      if (timer != null) {
        timer.cancel();
      }
    }
    ended.cancel(engine::inBackground);
    look();
  }

  /** Looks soon on another thread; while one is looking, that one looks again. */
  private void look() {
    synchronized (this) {
      if (isLooking) {
        isLookingAgain = true;
        return;
      }
      isLooking = true;
    }
    submit();
  }

  private void submit() {
    engine.tryParked(this::tryNow);
  }

  private void tryNow() {
    LockAttempt answer = null;
    if (!future.isDone()) {
      try {
        answer = waiting.look(ended);
      } catch (LockException e) {
        finish(null);
        fail(e);
        return;
      } catch (RuntimeException | Error e) {
        finish(null);
        fail(new LockException(ErrorCode.INTERNAL, "the wait failed unexpectedly", e));
        return;
      }
    }
    if (answer == null && !future.isDone()) {
      lookLater();
    } else {
      finish(answer);
    }
  }

  /**
   * The timer is set while this one still looks: what fires or comes up meanwhile is looked at
   * next.
   */
  private void lookLater() {
    Timers.Timer later = engine.timers.at(waiting.nextNanos(), this::look);
    boolean isAgain;
    synchronized (this) {
      if (timer != null) {
        timer.cancel();
      }
      timer = later;
      isAgain = isLookingAgain;
      isLooking = false;
      isLookingAgain = false;
    }
    if (future.isDone()) {
      later.cancel();
    }
    if (isAgain || future.isDone()) {
      look();
    }
  }

  /** Nobody looks after this, because this one never stops looking. */
  private void finish(@Nullable LockAttempt answer) {
    waiting.leave(answer != null && answer.ok());
    if (answer != null && !future.complete(answer)) {
      answer.close();
    }
  }
}
