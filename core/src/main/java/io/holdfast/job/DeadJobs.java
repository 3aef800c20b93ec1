package io.holdfast.job;

import java.time.Duration;

/** Jobs that were given up, many at a time. Safe for use by many threads. */
public interface DeadJobs {
  /** Requeues the oldest at once, with a clean record. */
  default Bulk requeue(DeadQuery query) {
    return requeue(query, true, Duration.ZERO);
  }

  /**
   * Requeues the oldest, in transactions of 500.
   *
   * @param isResetting whether they start with no failures on record
   * @param spread they become due evenly over so much time
   */
  Bulk requeue(DeadQuery query, boolean isResetting, Duration spread);

  /** Deletes the oldest, in transactions of 500. */
  Bulk purge(DeadQuery query);
}
