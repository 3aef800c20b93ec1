package io.holdfast.job;

import java.util.HashSet;
import java.util.Set;

/**
 * What a transition means for others.
 *
 * @param keys limit keys whose waiting jobs may be admitted now: a slot became free, or a job
 *     joined those that wait
 * @param runnable queues in which a job may run now or within a second
 */
public record Effects(Set<QueueKey> keys, Set<String> runnable) {
  /** None. */
  public static final Effects NONE = new Effects(Set.of(), Set.of());

  /** These and those. */
  public Effects and(Effects other) {
    if (other.keys.isEmpty() && other.runnable.isEmpty()) {
      return this;
    }
    Set<QueueKey> bothKeys = new HashSet<>(keys);
    bothKeys.addAll(other.keys);
    Set<String> bothRunnable = new HashSet<>(runnable);
    bothRunnable.addAll(other.runnable);
    return new Effects(bothKeys, bothRunnable);
  }
}
