package io.holdfast.stream;

import org.jspecify.annotations.Nullable;

/**
 * Where a pop takes messages from: one queue, or one partition of it, or any queue with these
 * labels.
 *
 * @param queue null when labels are given
 * @param partition null for any
 * @param namespace null for any
 * @param task null for any
 */
public record PopSource(
    @Nullable String queue,
    @Nullable String partition,
    @Nullable String namespace,
    @Nullable String task) {
  /** Any partition of this queue. */
  public static PopSource queue(String name) {
    return new PopSource(name, null, null, null);
  }

  /** Any queue with these labels, of which at least one is given. */
  public static PopSource labels(@Nullable String namespace, @Nullable String task) {
    return new PopSource(null, null, namespace, task);
  }

  PopSource partition(String name) {
    return new PopSource(queue, name, namespace, task);
  }
}
