package io.holdfast.lock;

import java.time.Duration;

/** How an acquire waits for a taken key: for how long, and whether in order of arrival. */
public record Wait(Duration limit, boolean isFair) {
  public Wait {
    if (limit.isNegative()) {
      throw LockException.invalid("wait must not be negative");
    }
  }

  /** Up to {@code limit}, whoever comes first after a release. */
  public static Wait upTo(Duration limit) {
    return new Wait(limit, false);
  }

  /**
   * The same in order of arrival among fair waiters; callers that do not queue may still barge in.
   */
  public Wait fair() {
    return new Wait(limit, true);
  }

  /** The limit in milliseconds, held back from overflowing. */
  long limitMs() {
    return limit.compareTo(Duration.ofMillis(LockTtl.MAX_MILLIS)) > 0
        ? LockTtl.MAX_MILLIS
        : limit.toMillis();
  }
}
