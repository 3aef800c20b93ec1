package io.holdfast.postgres;

import io.holdfast.lease.Time;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * From which moment on a scan for due items has to look. Everything before was due at an earlier
 * scan that found nothing left, and what is left in the index there are dead entries. A deadline is
 * set ahead of the clock, so one that passed before it became visible belongs to a transaction that
 * took long; five seconds are allowed for that, and a scan from the beginning, once a minute, finds
 * the rest. Safe for use by many threads.
 */
final class SweepFloor {
  private static final Duration SLACK = Duration.ofSeconds(5);
  private static final long PAUSE_NANOS = Duration.ofSeconds(60).toNanos();
  private static final int STRETCH = 20;

  private final Time time;
  private @Nullable Instant floor;
  private long fullDueNanos;
  private long resets;

  SweepFloor(Time time) {
    this.time = time;
  }

  /** One scan: where it begins, null for the beginning. */
  record Scan(@Nullable Instant from, long startNanos, long resets) {}

  synchronized Scan begin() {
    long nanos = time.nanos();
    boolean isFull = floor == null || nanos - fullDueNanos >= 0;
    return new Scan(isFull ? null : floor, nanos, resets);
  }

  /** A scan that found nothing due at {@code databaseNow}. */
  synchronized void foundNothing(Scan scan, Instant databaseNow) {
    if (scan.resets() != resets) {
      return;
    }
    if (scan.from() == null) {
      long nanos = time.nanos();
      fullDueNanos = nanos + Math.max(PAUSE_NANOS, STRETCH * (nanos - scan.startNanos()));
    }
    floor = databaseNow.minus(SLACK);
  }

  /** Deadlines may have come up anywhere. */
  synchronized void reset() {
    floor = null;
    resets++;
  }

  synchronized @Nullable Instant current() {
    return floor;
  }
}
