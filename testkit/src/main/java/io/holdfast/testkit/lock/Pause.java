package io.holdfast.testkit.lock;

import io.holdfast.ErrorCode;
import io.holdfast.lock.LockException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * A call to a {@link FaultyLockStore} that stops half-way. An interrupt aborts it, as it aborts a
 * call that is blocked in a database. Safe for use by many threads.
 */
public final class Pause {
  static final long LIMIT_SECONDS = 20;

  private final CountDownLatch reached = new CountDownLatch(1);
  private final CompletableFuture<@Nullable RuntimeException> verdict = new CompletableFuture<>();

  Pause() {}

  /** Waits, in real time, until a call has stopped here. */
  public void awaitReached() {
    try {
      if (!reached.await(LIMIT_SECONDS, TimeUnit.SECONDS)) {
        throw new AssertionError("no call has come to the pause");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError("interrupted while waiting for a call", e);
    }
  }

  /** Lets the call go on. */
  public void open() {
    verdict.complete(null);
  }

  /** Lets the call fail. */
  public void fail(RuntimeException failure) {
    verdict.complete(failure);
  }

  /** What the call does here. */
  void pass() {
    reached.countDown();
    RuntimeException failure;
    try {
      failure = verdict.get(LIMIT_SECONDS, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      failure = new LockException(ErrorCode.ABORTED, "interrupted in the store");
    } catch (ExecutionException | TimeoutException e) {
      throw new AssertionError("a paused call was forgotten", e);
    }
    if (failure != null) {
      throw failure;
    }
  }
}
