package io.holdfast.stream;

import org.jspecify.annotations.Nullable;

/**
 * Which dead letters, newest first.
 *
 * @param queue null for all
 * @param group null for all
 * @param partition null for all
 * @param failed when they were given up
 * @param after the end of the page before
 */
public record DeadLetterQuery(
    @Nullable String queue,
    @Nullable String group,
    @Nullable String partition,
    TimeRange failed,
    @Nullable PageKey after,
    int limit) {
  /** The newest hundred of {@code queue}. */
  public static DeadLetterQuery of(@Nullable String queue) {
    return new DeadLetterQuery(queue, null, null, TimeRange.ALL, null, 100);
  }

  /** Of this group. */
  public DeadLetterQuery group(@Nullable String value) {
    return new DeadLetterQuery(queue, value, partition, failed, after, limit);
  }

  /** Of this partition. */
  public DeadLetterQuery partition(@Nullable String value) {
    return new DeadLetterQuery(queue, group, value, failed, after, limit);
  }

  /** Given up then. */
  public DeadLetterQuery failed(TimeRange value) {
    return new DeadLetterQuery(queue, group, partition, value, after, limit);
  }

  /** The page behind {@code last}. */
  public DeadLetterQuery after(@Nullable PageKey last) {
    return new DeadLetterQuery(queue, group, partition, failed, last, limit);
  }

  /** At most so many. */
  public DeadLetterQuery limit(int value) {
    return new DeadLetterQuery(queue, group, partition, failed, after, value);
  }
}
