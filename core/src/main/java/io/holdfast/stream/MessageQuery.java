package io.holdfast.stream;

import org.jspecify.annotations.Nullable;

/**
 * Which messages, newest first.
 *
 * @param partition null for all
 * @param group whose status is asked for; must be given with {@code status}
 * @param status null for any
 * @param created when they were pushed
 * @param after the end of the page before
 */
public record MessageQuery(
    String queue,
    @Nullable String partition,
    @Nullable String group,
    @Nullable MessageStatus status,
    TimeRange created,
    @Nullable PageKey after,
    int limit) {
  /** The newest hundred of {@code queue}. */
  public static MessageQuery of(String queue) {
    return new MessageQuery(queue, null, null, null, TimeRange.ALL, null, 100);
  }

  /** Of this partition. */
  public MessageQuery partition(@Nullable String value) {
    return new MessageQuery(queue, value, group, status, created, after, limit);
  }

  /** With this status for this group. */
  public MessageQuery status(String newGroup, MessageStatus value) {
    return new MessageQuery(queue, partition, newGroup, value, created, after, limit);
  }

  /** Pushed then. */
  public MessageQuery created(TimeRange value) {
    return new MessageQuery(queue, partition, group, status, value, after, limit);
  }

  /** The page behind {@code last}. */
  public MessageQuery after(@Nullable PageKey last) {
    return new MessageQuery(queue, partition, group, status, created, last, limit);
  }

  /** At most so many. */
  public MessageQuery limit(int value) {
    return new MessageQuery(queue, partition, group, status, created, after, value);
  }
}
