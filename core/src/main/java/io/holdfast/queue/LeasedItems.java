package io.holdfast.queue;

import java.time.Duration;
import java.util.List;

/**
 * The answer to a lease: items of one partition, oldest first; none when the time was over.
 *
 * @param claimedNanos a moment before the store leased them, on this process's monotonic clock: how
 *     long a lease can be relied on counts from there
 * @param waited how long the request had waited by then; zero for an empty answer
 */
public record LeasedItems(
    int partition, List<LeasedItem> items, long claimedNanos, Duration waited) {
  /** Nothing came in time. */
  public static LeasedItems none() {
    return new LeasedItems(0, List.of(), 0, Duration.ZERO);
  }

  public boolean isEmpty() {
    return items.isEmpty();
  }

  /** The ids, in the order of the items. */
  public List<String> ids() {
    return items.stream().map(LeasedItem::id).toList();
  }
}
