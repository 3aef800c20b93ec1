package io.holdfast.job;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A change of a queue's settings; what is null stays as it is.
 *
 * @param deadKeep {@link #FOR_EVER} for no end
 * @param defaultLimitKey empty for none
 * @param limits limits to set; one without a maximum removes that of its key
 */
public record JobQueueConfig(
    String queue,
    @Nullable Duration doneKeep,
    @Nullable Duration deadKeep,
    @Nullable Integer deliveryLimit,
    @Nullable String defaultLimitKey,
    List<KeyLimit> limits) {
  /** Longer than anything. */
  public static final Duration FOR_EVER = Duration.ofSeconds(Long.MAX_VALUE);

  /**
   * How many jobs of a key may be leased or about to be at once.
   *
   * @param key {@code *} for every key without a limit of its own
   * @param maxRunning null: no limit
   */
  public record KeyLimit(String key, @Nullable Integer maxRunning) {
    /** The key that stands for every other one. */
    public static final String EVERY_OTHER = "*";
  }

  /** No change yet. */
  public static JobQueueConfig of(String queue) {
    return new JobQueueConfig(queue, null, null, null, null, List.of());
  }

  /** Finished jobs stay so long; zero: success deletes them. */
  public JobQueueConfig keepDone(Duration value) {
    return new JobQueueConfig(queue, value, deadKeep, deliveryLimit, defaultLimitKey, limits);
  }

  /** Dead letters stay so long. */
  public JobQueueConfig keepDead(Duration value) {
    return new JobQueueConfig(queue, doneKeep, value, deliveryLimit, defaultLimitKey, limits);
  }

  /** So many leases may end without an outcome. */
  public JobQueueConfig deliveryLimit(int value) {
    return new JobQueueConfig(queue, doneKeep, deadKeep, value, defaultLimitKey, limits);
  }

  /** Jobs without a limit key get this one. */
  public JobQueueConfig defaultLimitKey(String value) {
    return new JobQueueConfig(queue, doneKeep, deadKeep, deliveryLimit, value, limits);
  }

  /** So many jobs of {@code key} at once; null: no limit. */
  public JobQueueConfig limit(String key, @Nullable Integer maxRunning) {
    List<KeyLimit> more = new ArrayList<>(limits);
    more.add(new KeyLimit(key, maxRunning));
    return new JobQueueConfig(
        queue, doneKeep, deadKeep, deliveryLimit, defaultLimitKey, List.copyOf(more));
  }
}
