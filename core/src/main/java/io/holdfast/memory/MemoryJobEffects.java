package io.holdfast.memory;

import io.holdfast.job.Effects;
import io.holdfast.job.QueueKey;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.Set;

/** Gathers what one transition means for others. */
final class MemoryJobEffects {
  private static final Duration SOON = Duration.ofSeconds(1);

  private final Set<QueueKey> keys = new HashSet<>();
  private final Set<String> runnable = new HashSet<>();
  private final Instant soon;

  MemoryJobEffects(Instant now) {
    this.soon = now.plus(SOON);
  }

  /** A job moved: it may run soon, or its limit key may have room or one more who waits. */
  void moved(MemoryJob job) {
    if (isRunnable(job)) {
      runnable.add(job.queue);
    } else if (job.keys.limit() != null) {
      keys.add(new QueueKey(job.queue, job.keys.limit()));
    }
  }

  private boolean isRunnable(MemoryJob job) {
    return job.status == MemoryJob.Status.READY
        && job.gateAt == null
        && (job.runAt == null || !job.runAt.isAfter(soon));
  }

  Effects all() {
    return new Effects(Set.copyOf(keys), Set.copyOf(runnable));
  }
}
