package io.holdfast.job;

import io.holdfast.lease.StoreCall;
import java.util.Set;

/** Settings of queues, and who may pass under the limits of keys. Safe for use by many threads. */
public interface JobLimits {
  /** Changes settings and limits of a queue; answers how it is set up now. */
  JobQueueInfo configure(JobQueueConfig config, StoreCall call);

  /**
   * {@code gated → ready}: lets as many waiting jobs of these keys pass as their limits allow,
   * first come first served. Waits for whoever does the same for one of them.
   */
  Effects admit(Set<QueueKey> keys, StoreCall call);
}
