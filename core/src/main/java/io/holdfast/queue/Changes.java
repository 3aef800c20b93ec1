package io.holdfast.queue;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a step changed in a partition, so that estimates follow and waiting leases look again.
 *
 * @param ready items that became ready here
 * @param firstReady the smallest id among them, or null
 * @param unready ready items that are gone
 * @param removed items that are gone, in whatever state they were
 * @param dead items that arrived in dead queues
 */
public record Changes(
    int ready, @Nullable String firstReady, int unready, int removed, List<Arrival> dead) {
  /** Nothing happened. */
  public static final Changes NONE = new Changes(0, null, 0, 0, List.of());

  /** Items that arrived in a partition of another queue, and the smallest of their ids. */
  public record Arrival(String queue, int partition, int count, String first) {}

  /** Both together. */
  public Changes plus(Changes other) {
    if (this.equals(NONE)) {
      return other;
    }
    List<Arrival> all = new ArrayList<>(dead);
    all.addAll(other.dead);
    return new Changes(
        ready + other.ready,
        smaller(firstReady, other.firstReady),
        unready + other.unready,
        removed + other.removed,
        List.copyOf(all));
  }

  private static @Nullable String smaller(@Nullable String a, @Nullable String b) {
    if (a == null || b == null) {
      return a == null ? b : a;
    }
    return a.compareTo(b) < 0 ? a : b;
  }
}
