package io.holdfast.testkit.history;

import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** One atomic step of a partition, with all ids known. */
sealed interface QueueStep {
  /** New items arrive at the tail. */
  record Add(List<String> ids) implements QueueStep {}

  /**
   * A lease answers these items.
   *
   * @param rivals items that leases took whose calls overlap this one: it may pass them over
   */
  record Take(int batch, List<String> ids, Set<String> rivals) implements QueueStep {
    @Override
    public String toString() {
      return "Take[" + batch + ", " + ids + "]";
    }
  }

  /** A holder settles its items; they come back under {@code next}, which is empty on complete. */
  record Settle(List<String> ids, List<String> next) implements QueueStep {}

  /** A holder is told that some of these are not his. */
  record Refuse(List<String> ids) implements QueueStep {}

  /**
   * A lease is over; nothing happens if its holder was faster.
   *
   * @param before a lease that certainly ended before this one, or null
   */
  record Expire(String id, String next, @Nullable String before) implements QueueStep {}
}
