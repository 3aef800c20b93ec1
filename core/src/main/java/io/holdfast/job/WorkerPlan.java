package io.holdfast.job;

import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * How a worker works, once it is described.
 *
 * @param weights per queue, in the order in which they were named
 */
record WorkerPlan(
    String id,
    Map<String, Integer> weights,
    Map<String, Registration> handlers,
    List<Middleware> middleware,
    Places places,
    Timing timing,
    RetryPolicy policy,
    JobCodec codec) {
  /** How many jobs it runs at once, and leases ahead. */
  record Places(int slots, int prefetch) {}

  /** How long things last. */
  record Timing(Duration lease, Duration poll, Duration timeoutGrace, Duration stop) {}

  /** What it tells others about itself. */
  WorkerInfo info() {
    return new WorkerInfo(
        id,
        WorkerId.host(),
        List.copyOf(weights.keySet()),
        handlers.keySet().stream().sorted().toList(),
        places.slots(),
        null,
        null);
  }
}
