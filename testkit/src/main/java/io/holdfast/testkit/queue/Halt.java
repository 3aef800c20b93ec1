package io.holdfast.testkit.queue;

import io.holdfast.queue.QueueException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * A call to a {@link FaultyQueueStore} that stops half-way until it is let go. An interrupt ends
 * it, as it ends a call that is blocked in a database. Safe for use by many threads.
 */
public final class Halt {
  private static final long LIMIT_SECONDS = 20;

  private final CountDownLatch reached = new CountDownLatch(1);
  private final CountDownLatch open = new CountDownLatch(1);

  Halt() {}

  /** Waits, in real time, until a call has stopped here. */
  public void awaitReached() {
    if (!await(reached)) {
      throw new AssertionError("no call has come here");
    }
  }

  /** Lets the call go on. */
  public void open() {
    open.countDown();
  }

  /** What the call does here. */
  void pass() {
    reached.countDown();
    if (!await(open)) {
      throw new AssertionError("a halted call was forgotten");
    }
  }

  private static boolean await(CountDownLatch latch) {
    try {
      return latch.await(LIMIT_SECONDS, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw QueueException.aborted("interrupted in the store");
    }
  }
}
