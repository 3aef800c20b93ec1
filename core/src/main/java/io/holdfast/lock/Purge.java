package io.holdfast.lock;

import io.holdfast.lease.Duty;
import io.holdfast.lease.Time;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Removes rows that expired long ago, and tickets of waiters that are gone. Never touches counters.
 */
final class Purge implements Duty {
  private static final Logger LOG = LoggerFactory.getLogger(Purge.class);
  private static final int BATCH = 1000;
  private static final long MANY_COUNTERS = 10_000_000;

  private final LockAdmin admin;
  private final LockCall call;
  private final Time time;
  private final long periodNanos;
  private final OncePer counterWarnings;
  private long dueNanos;

  Purge(LockAdmin admin, LockCall call, Time time, Duration period) {
    this.admin = admin;
    this.call = call;
    this.time = time;
    this.periodNanos = period.toNanos();
    this.counterWarnings = new OncePer(Duration.ofHours(6), time);
    this.dueNanos = next();
  }

  @Override
  public int work() {
    if (dueNanos - time.nanos() > 0) {
      return 0;
    }
    int removed = 0;
    try {
      removed = admin.purge(BATCH, call);
      warnOfCounters();
    } finally {
      // A full batch means that there is more: go on at once.
      dueNanos = removed == BATCH ? time.nanos() : next();
    }
    return removed;
  }

  @Override
  public long dueNanos() {
    return dueNanos;
  }

  private void warnOfCounters() {
    if (counterWarnings.allows("") && admin.stats(call).counters() > MANY_COUNTERS) {
      LOG.warn(
          "there are more than {} fence counters: use fewer distinct keys. Never delete or archive"
              + " counters, a deleted one issues its fences again",
          MANY_COUNTERS);
    }
  }

  private long next() {
    long half = periodNanos / 2;
    return time.nanos() + half + ThreadLocalRandom.current().nextLong(periodNanos);
  }
}
