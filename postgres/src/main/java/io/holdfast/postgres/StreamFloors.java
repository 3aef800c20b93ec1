package io.holdfast.postgres;

import io.holdfast.lease.Time;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Where in the order of ready_at this process begins to look for each group.
 *
 * <p>A claimed cursor leaves a dead entry in the index, which stays until a vacuum, and the oldest
 * open transaction of the server can hold that up for hours. A look from the beginning would walk
 * over all of them. Cursors become claimable at the present, so a look may begin where the last
 * claim was, less a second for those whose transaction took that long to commit. What took longer
 * is found by a look from the beginning, once per second. Safe for use by many threads.
 */
final class StreamFloors {
  private static final Duration LAG = Duration.ofSeconds(1);
  private static final long PAUSE_NANOS = Duration.ofSeconds(1).toNanos();
  private static final int MOST = 10_000;

  private final Time time;
  private final Map<Key, Floor> floors = new HashMap<>();

  StreamFloors(Time time) {
    this.time = time;
  }

  /** A group of a queue. */
  record Key(String queue, String group) {}

  /**
   * Where to begin.
   *
   * @param at null: at the beginning
   * @param of the store's own name of the queue and the group: who was deleted and made again has
   *     another one, and begins anew
   */
  record Floor(@Nullable Instant at, @Nullable String of, long unflooredNanos) {
    static final Floor NONE = new Floor(null, null, 0);
  }

  /** Where to begin. */
  synchronized Floor begin(Key key) {
    long now = time.nanos();
    Floor floor = floors.getOrDefault(key, Floor.NONE);
    if (floor != Floor.NONE && now - floor.unflooredNanos() < 0) {
      return floor;
    }
    if (floors.size() >= MOST) {
      floors.clear();
    }
    floors.put(key, new Floor(floor.at(), floor.of(), now + PAUSE_NANOS));
    return Floor.NONE;
  }

  /** A claim was committed whose last partition had been ready since {@code readyAt}. */
  synchronized void reached(Key key, Instant readyAt, String of) {
    floors.computeIfPresent(
        key, (k, floor) -> new Floor(readyAt.minus(LAG), of, floor.unflooredNanos()));
  }
}
