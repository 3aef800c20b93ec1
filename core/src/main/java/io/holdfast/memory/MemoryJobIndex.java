package io.holdfast.memory;

import io.holdfast.job.JobParts.Position;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.Comparator;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Jobs of a queue in the order of one status: by limit key if they wait for one, instant and id.
 */
final class MemoryJobIndex {
  private static final Duration MICROSECOND = Duration.ofNanos(1_000);

  /** Jobs whose instant is not known come last. */
  static final Comparator<Position> ORDER =
      Comparator.comparing(Position::key, Comparator.nullsFirst(MemoryLockAdmin.BYTES))
          .thenComparing(Position::at, Comparator.nullsLast(Comparator.naturalOrder()))
          .thenComparing(Position::id, MemoryLockAdmin.BYTES);

  private final NavigableMap<Position, MemoryJob> jobs = new TreeMap<>(ORDER);

  /** The place before all jobs that are due after {@code now}. */
  static Position after(Instant now) {
    return new Position(now.plus(MICROSECOND), null, "");
  }

  void add(MemoryJob job) {
    jobs.put(job.place(), job);
  }

  void remove(MemoryJob job) {
    jobs.remove(job.place());
  }

  int size() {
    return jobs.size();
  }

  Stream<MemoryJob> stream() {
    return jobs.values().stream();
  }

  /** The latest first. */
  Stream<MemoryJob> backwards() {
    return jobs.descendingMap().values().stream();
  }

  /** The jobs whose instant is not after {@code now}, the earliest first. */
  Stream<MemoryJob> until(Instant now) {
    Position end = after(now);
    return jobs.entrySet().stream()
        .takeWhile(entry -> ORDER.compare(entry.getKey(), end) < 0)
        .map(Map.Entry::getValue);
  }

  /** The jobs behind a place, or with null all. */
  Collection<MemoryJob> behind(@Nullable Position place) {
    return place == null ? jobs.values() : jobs.tailMap(place, false).values();
  }

  /** The first place behind this one; null if there is none. */
  @Nullable Position next(Position place) {
    return jobs.higherKey(place);
  }
}
