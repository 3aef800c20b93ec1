package io.holdfast.memory;

import io.holdfast.stream.PageKey;
import io.holdfast.stream.TimeRange;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.UUID;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A page of rows, newest first. */
record MemoryPage(TimeRange range, @Nullable PageKey after, int limit) {
  /** By instant, then by id as a database orders it. */
  static final Comparator<PageKey> OLDEST_FIRST =
      Comparator.comparing(PageKey::at)
          .thenComparing(key -> high(key.id()), Long::compareUnsigned)
          .thenComparing(key -> low(key.id()), Long::compareUnsigned);

  private static Long high(UUID id) {
    return id.getMostSignificantBits();
  }

  private static Long low(UUID id) {
    return id.getLeastSignificantBits();
  }

  <T> List<T> of(Stream<T> rows, Function<T, PageKey> key) {
    return rows.filter(row -> has(key.apply(row)))
        .sorted(Comparator.comparing(key, OLDEST_FIRST.reversed()))
        .limit(limit)
        .toList();
  }

  private boolean has(PageKey key) {
    Instant from = range.from();
    Instant to = range.to();
    return (from == null || !key.at().isBefore(from))
        && (to == null || key.at().isBefore(to))
        && (after == null || OLDEST_FIRST.compare(key, after) < 0);
  }
}
