package io.holdfast.job;

import org.jspecify.annotations.Nullable;

/**
 * Which jobs to list.
 *
 * @param state the name of a {@link JobState}; null: all, one state after the other
 * @param type only of this type; null: of any
 * @param cursor where the page before ended; null: from the beginning
 */
public record JobQuery(
    String queue,
    @Nullable String state,
    @Nullable String type,
    int limit,
    @Nullable String cursor) {
  /** The jobs of a queue, 50 a page. */
  public static JobQuery of(String queue) {
    return new JobQuery(queue, null, null, 50, null);
  }

  /** Only those in this state. */
  public JobQuery state(@Nullable JobState value) {
    return new JobQuery(queue, value == null ? null : value.text(), type, limit, cursor);
  }

  /** Only those of this type. */
  public JobQuery type(@Nullable String value) {
    return new JobQuery(queue, state, value, limit, cursor);
  }

  /** So many a page, up to 500. */
  public JobQuery limit(int value) {
    return new JobQuery(queue, state, type, value, cursor);
  }

  /** What follows the page that gave this cursor. */
  public JobQuery after(@Nullable String value) {
    return new JobQuery(queue, state, type, limit, value);
  }
}
