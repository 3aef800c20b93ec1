package io.holdfast.job;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * How a queue treats its jobs.
 *
 * @param doneKeep how long finished jobs stay; zero: success deletes them
 * @param deadKeep how long dead letters stay; null: for ever
 * @param deliveryLimit how many leases may end without an outcome before the job is given up
 * @param defaultLimitKey the limit key of jobs that name none
 */
public record JobQueueSettings(
    Duration doneKeep,
    @Nullable Duration deadKeep,
    int deliveryLimit,
    @Nullable String defaultLimitKey) {
  /** Of a queue that nobody configured. */
  public static final JobQueueSettings DEFAULTS =
      new JobQueueSettings(Duration.ofHours(24), Duration.ofDays(30), 20, null);
}
