package io.holdfast.testkit.job;

import io.holdfast.job.JobError;
import io.holdfast.job.JobException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Where a call of a {@link FaultyJobStore} stops until it is let go. Safe for use by many threads.
 */
public final class Halt {
  private static final long LIMIT_SECONDS = 20;

  private final CountDownLatch reached = new CountDownLatch(1);
  private final CountDownLatch open = new CountDownLatch(1);

  /** Waits, in real time, until a call has stopped here. */
  public void awaitReached() {
    await(reached, "no call has come here");
  }

  /** Lets the call go on. */
  public void open() {
    open.countDown();
  }

  void pass() {
    reached.countDown();
    await(open, "a halted call was forgotten");
  }

  private static void await(CountDownLatch latch, String otherwise) {
    try {
      if (!latch.await(LIMIT_SECONDS, TimeUnit.SECONDS)) {
        throw new AssertionError(otherwise);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new JobException(JobError.ABORTED, "interrupted in the store", e);
    }
  }
}
