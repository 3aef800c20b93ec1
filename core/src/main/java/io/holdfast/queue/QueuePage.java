package io.holdfast.queue;

import org.jspecify.annotations.Nullable;

/**
 * Which queues to list.
 *
 * @param pivot names from here on, itself included; blank for the first
 * @param limit at most so many, 1 to 65536; 0 for 1000
 * @param namespace only of this one, with empty for the default; null for all
 */
public record QueuePage(String pivot, int limit, @Nullable String namespace) {
  /** The first thousand. */
  public static final QueuePage FIRST = new QueuePage("", 0, null);
}
