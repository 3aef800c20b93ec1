package io.holdfast.memory;

import io.holdfast.job.Effects;
import io.holdfast.job.JobLimits;
import io.holdfast.job.JobQueueConfig;
import io.holdfast.job.JobQueueInfo;
import io.holdfast.job.JobQueueSettings;
import io.holdfast.job.QueueKey;
import io.holdfast.lease.StoreCall;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Settings of queues, and the limits of their keys, in {@link MemoryJobData}. */
final class MemoryJobLimits implements JobLimits {
  private final MemoryJobData data;

  MemoryJobLimits(MemoryJobData data) {
    this.data = data;
  }

  @Override
  public JobQueueInfo configure(JobQueueConfig config, StoreCall call) {
    synchronized (data) {
      MemoryJobQueue queue = data.queue(config.queue());
      queue.isConfigured = true;
      queue.settings = settings(queue.settings, config);
      config.limits().forEach(limit -> limit(queue, limit));
      return queue.info();
    }
  }

  private static JobQueueSettings settings(JobQueueSettings old, JobQueueConfig config) {
    Integer deliveryLimit = config.deliveryLimit();
    String limitKey = config.defaultLimitKey();
    return new JobQueueSettings(
        config.doneKeep() == null ? old.doneKeep() : millis(config.doneKeep()),
        config.deadKeep() == null ? old.deadKeep() : deadKeep(config.deadKeep()),
        deliveryLimit == null ? old.deliveryLimit() : deliveryLimit,
        limitKey == null ? old.defaultLimitKey() : limitKey.isEmpty() ? null : limitKey);
  }

  private static @Nullable Duration deadKeep(Duration keep) {
    return keep.equals(JobQueueConfig.FOR_EVER) ? null : millis(keep);
  }

  /** Settings are kept in whole milliseconds. */
  private static Duration millis(Duration duration) {
    return duration.truncatedTo(ChronoUnit.MILLIS);
  }

  private static void limit(MemoryJobQueue queue, JobQueueConfig.KeyLimit limit) {
    if (limit.maxRunning() == null) {
      queue.limits.remove(limit.key());
    } else {
      queue.limits.put(limit.key(), limit.maxRunning());
    }
  }

  @Override
  public Effects admit(Set<QueueKey> keys, StoreCall call) {
    synchronized (data) {
      return new MemoryJobAdmission(data, data.now()).all(keys).effects();
    }
  }
}
