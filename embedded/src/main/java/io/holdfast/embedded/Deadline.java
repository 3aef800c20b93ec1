package io.holdfast.embedded;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** A moment on the monotonic clock after which waiting is given up. */
final class Deadline {
  private static final long STEP_MILLIS = 10;
  private static final long PAUSE_MILLIS = 200;

  private final long nanos;

  private Deadline(long nanos) {
    this.nanos = nanos;
  }

  static Deadline in(Duration timeout) {
    return new Deadline(System.nanoTime() + timeout.toNanos());
  }

  /** Asks again and again, in short steps; false when the deadline passed without a yes. */
  boolean await(Condition condition) throws IOException, InterruptedException {
    while (!condition.holds()) {
      if (hasPassed()) {
        return false;
      }
      TimeUnit.MILLISECONDS.sleep(STEP_MILLIS);
    }
    return true;
  }

  /** Waits a little before another try; false when the deadline has passed. */
  boolean pause() throws InterruptedException {
    TimeUnit.MILLISECONDS.sleep(PAUSE_MILLIS);
    return !hasPassed();
  }

  private boolean hasPassed() {
    return System.nanoTime() - nanos >= 0;
  }

  /** Something outside this JVM that becomes true without telling us. */
  interface Condition {
    boolean holds() throws IOException;
  }
}
