package io.holdfast.job;

import io.holdfast.lease.Time;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.ThreadLocalRandom;

/** When a worker looks again after an answer that left places free. Used by one thread. */
final class Rhythm {
  private static final long SOON_MS = 11;
  private static final double JITTER = 0.1;

  private final Time time;
  private final Duration poll;
  private int crowded;

  Rhythm(Time time, Duration poll) {
    this.time = time;
    this.poll = poll;
  }

  long next(Reserved reserved) {
    double scatter = 1 + JITTER * (2 * ThreadLocalRandom.current().nextDouble() - 1);
    long pollMs = Math.max(1, (long) (poll.toMillis() * scatter));
    Instant nextAt = reserved.nextAt();
    if (nextAt != null) {
      long inMs = 1 + Math.max(0, toMillis(Duration.between(reserved.at(), nextAt)));
      pollMs = Math.min(pollMs, Math.max(inMs, leastMs(reserved, inMs)));
    }
    return Time.after(time.nanos(), pollMs);
  }

  /** What somebody works on looks as if it came at any moment: looking for it must not be all. */
  private long leastMs(Reserved reserved, long inMs) {
    boolean isCrowded = reserved.jobs().isEmpty() && inMs <= SOON_MS;
    crowded = isCrowded ? Math.min(crowded + 1, 20) : 0;
    return crowded < 2 ? 0 : 1L << crowded;
  }

  private static long toMillis(Duration duration) {
    return duration.toDays() > 365 ? Duration.ofDays(365).toMillis() : duration.toMillis();
  }
}
