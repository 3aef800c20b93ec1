package io.holdfast.lock;

import io.holdfast.ErrorCode;
import io.holdfast.lease.Cancellation;
import io.holdfast.lease.Causes;
import io.holdfast.lease.Time;
import java.time.Duration;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * An acquire whose wait a {@link PatientLockStore} does. It is asked again while time is left; what
 * it may have granted to a call that was called off is given back. Safe for use by many threads.
 */
final class DelegatedWait {
  private final LockEngine engine;
  private final LockService locks;
  private final PatientLockStore store;
  private final LockStore.Request request;
  private final Wait patience;
  private final long untilNanos;
  private final CompletableFuture<LockAttempt> future = new CompletableFuture<>();

  private DelegatedWait(
      LockEngine engine, LockService locks, PatientLockStore store, Waiting.Wanted wanted) {
    this.engine = engine;
    this.locks = locks;
    this.store = store;
    this.request = wanted.request(null);
    this.patience = wanted.patience();
    this.untilNanos = Time.after(engine.time.nanos(), patience.limitMs());
  }

  /** Begins to wait; cancelling the answer ends it. */
  static CompletableFuture<LockAttempt> begin(
      LockService locks, PatientLockStore store, Waiting.Wanted wanted, Cancellation cancellation) {
    DelegatedWait wait = new DelegatedWait(locks.engine(), locks, store, wanted);
    Cancellation.Registration registration =
        cancellation.onCancel(() -> wait.future.completeExceptionally(Waiting.cancelled()));
    wait.future.whenComplete((answer, failure) -> registration.close());
    wait.ask();
    return wait.future;
  }

  /** The answer, waited for; an interrupt calls it off. */
  static LockAttempt join(CompletableFuture<LockAttempt> answer) {
    try {
      return answer.get();
    } catch (InterruptedException e) {
      answer.cancel(true);
      Thread.currentThread().interrupt();
      throw new LockException(ErrorCode.ABORTED, "the waiting thread was interrupted");
    } catch (ExecutionException | CancellationException e) {
      throw known(e);
    }
  }

  private void ask() {
    long leftNanos = Math.max(0, untilNanos - engine.time.nanos());
    Wait left = new Wait(Duration.ofNanos(leftNanos), patience.isFair());
    CompletableFuture<LockStore.Grant> asked = store.acquire(request, left);
    asked.whenComplete(this::heard);
    future.whenComplete(
        (answer, failure) -> {
          if (failure != null && !asked.isDone()) {
            asked.cancel(true);
          }
        });
  }

  private void heard(LockStore.@Nullable Grant grant, @Nullable Throwable failure) {
    if (grant instanceof LockStore.Grant.Granted granted) {
      LockAttempt attempt = locks.granted(request, granted);
      if (!future.complete(attempt)) {
        engine.inBackground(attempt::close);
      }
    } else if (grant instanceof LockStore.Grant.Refused refused) {
      if (untilNanos - engine.time.nanos() > 0 && !future.isDone()) {
        ask();
      } else {
        future.complete(new Locked(Duration.ofMillis(refused.retryAfterMs())));
      }
    } else {
      failed(known(failure));
    }
  }

  private void failed(LockException failure) {
    boolean isCalledOff = !future.completeExceptionally(failure);
    if ((isCalledOff || failure.isOutcomeUnknown()) && !request.callersId()) {
      engine.outcomeUnknown(request.id());
    }
  }

  private static LockException known(@Nullable Throwable failure) {
    Throwable cause = Causes.ofNullable(failure);
    if (cause instanceof LockException lock) {
      return lock;
    }
    return cause instanceof CancellationException
        ? Waiting.cancelled()
        : new LockException(ErrorCode.INTERNAL, "the wait failed unexpectedly", cause);
  }
}
