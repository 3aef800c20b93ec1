package io.holdfast.job;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Which dead letters of a queue, oldest first.
 *
 * @param type only of this type; null: of any
 * @param reasonPrefix only those whose reason begins so; null: any
 * @param failedBefore only those that died before
 * @param failedAfter only those that died at this instant or after
 * @param limit at most so many, up to 10,000
 */
public record DeadQuery(
    String queue,
    @Nullable String type,
    @Nullable String reasonPrefix,
    @Nullable Instant failedBefore,
    @Nullable Instant failedAfter,
    int limit) {
  /** The oldest thousand of a queue. */
  public static DeadQuery of(String queue) {
    return new DeadQuery(queue, null, null, null, null, 1_000);
  }

  /** Only those of this type. */
  public DeadQuery type(@Nullable String value) {
    return new DeadQuery(queue, value, reasonPrefix, failedBefore, failedAfter, limit);
  }

  /** Only those whose reason begins so. */
  public DeadQuery reason(@Nullable String prefix) {
    return new DeadQuery(queue, type, prefix, failedBefore, failedAfter, limit);
  }

  /** Only those that died in this time; null: no bound. */
  public DeadQuery died(@Nullable Instant from, @Nullable Instant before) {
    return new DeadQuery(queue, type, reasonPrefix, before, from, limit);
  }

  /** At most so many. */
  public DeadQuery limit(int value) {
    return new DeadQuery(queue, type, reasonPrefix, failedBefore, failedAfter, value);
  }
}
