package io.holdfast.postgres;

import io.holdfast.stream.CursorInfo;
import io.holdfast.stream.Explanation;
import io.holdfast.stream.Message;
import io.holdfast.stream.PageKey;
import io.holdfast.stream.Payload;
import io.holdfast.stream.Pushed;
import io.holdfast.stream.QueueFullException;
import io.holdfast.stream.Redriven;
import io.holdfast.stream.StreamException;
import io.holdfast.stream.StreamInfo;
import io.holdfast.stream.StreamLeases;
import io.holdfast.stream.StreamSettings;
import java.lang.reflect.RecordComponent;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.UUID;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Writes down everything that an answer says, with names in place of ids. */
final class DifferentialStreamText {
  private final DifferentialStreamSide side;

  /**
   * Rows in the order of their keys. Rows of one instant are in the order of their ids, which is
   * that of chance: that order is checked, and does not count.
   */
  record Ordered(List<? extends Object> rows, List<PageKey> keys, boolean isNewestFirst) {
    private static final Comparator<PageKey> OLDEST_FIRST =
        Comparator.comparing(PageKey::at)
            .thenComparing(key -> key.id().getMostSignificantBits(), Long::compareUnsigned)
            .thenComparing(key -> key.id().getLeastSignificantBits(), Long::compareUnsigned);

    static <T> Ordered newestFirst(List<T> rows, Function<T, PageKey> key) {
      return new Ordered(rows, rows.stream().map(key).toList(), true);
    }

    static <T> Ordered oldestFirst(List<T> rows, Function<T, PageKey> key) {
      return new Ordered(rows, rows.stream().map(key).toList(), false);
    }

    private boolean isInOrder() {
      Comparator<PageKey> order = isNewestFirst ? OLDEST_FIRST.reversed() : OLDEST_FIRST;
      List<PageKey> sorted = keys.stream().sorted(order).toList();
      return keys.equals(sorted);
    }
  }

  DifferentialStreamText(DifferentialStreamSide side) {
    this.side = side;
  }

  String of(@Nullable Object value) {
    if (value instanceof UUID id) {
      return side.name(id);
    } else if (value instanceof String text) {
      return side.plainText(text);
    } else if (value instanceof Payload payload) {
      return "'" + side.plainText(payload.text()) + "'";
    } else if (value instanceof Optional<?> maybe) {
      return maybe.map(it -> "some " + of(it)).orElse("nothing");
    } else if (value instanceof List<?> list) {
      return list.stream().map(this::of).toList().toString();
    } else if (value instanceof Map<?, ?> map) {
      Map<String, String> sorted = new TreeMap<>();
      map.forEach((key, each) -> sorted.put(of(key), of(each)));
      return sorted.toString();
    } else if (value instanceof StreamSettings settings) {
      return of(settings.values());
    } else if (value instanceof StreamException failure) {
      return of(failure);
    } else if (value instanceof Ordered ordered) {
      return of(ordered);
    } else if (value instanceof Record row) {
      return of(row);
    }
    return String.valueOf(value);
  }

  private static String of(StreamException failure) {
    String text = "failed with " + failure.error();
    return failure instanceof QueueFullException full
        ? text + " " + full.queue() + " " + full.depth() + " of " + full.maxSize()
        : text;
  }

  private String of(Ordered ordered) {
    List<String> lines = new ArrayList<>();
    int from = 0;
    for (int to = 1; to <= ordered.rows.size(); to++) {
      Instant at = ordered.keys.get(from).at();
      if (to == ordered.rows.size() || !ordered.keys.get(to).at().equals(at)) {
        lines.addAll(ordered.rows.subList(from, to).stream().map(this::of).sorted().toList());
        from = to;
      }
    }
    return (ordered.isInOrder() ? "" : "not in order: ") + lines;
  }

  private String of(Record row) {
    if (row instanceof Message
        || row instanceof Pushed
        || row instanceof Redriven
        || row instanceof CursorInfo) {
      side.learn(row);
    }
    List<String> parts = new ArrayList<>();
    for (RecordComponent part : row.getClass().getRecordComponents()) {
      if (isCompared(row, part.getName())) {
        parts.add(part.getName() + "=" + of(part(row, part)));
      }
    }
    return row.getClass().getSimpleName() + parts;
  }

  /** Keys of queues are numbers of the store, and details are words. */
  private static boolean isCompared(Record row, String part) {
    return !(row instanceof Explanation && part.equals("detail"))
        && !(row instanceof StreamInfo && part.equals("key"));
  }

  /** Which of several released partitions is told of first does not count. */
  private static @Nullable Object part(Record row, RecordComponent part) {
    try {
      Object value = part.getAccessor().invoke(row);
      if (value instanceof List<?> list
          && (row instanceof StreamLeases.AckAnswer || row instanceof StreamLeases.Returned)
          && part.getName().equals("ready")) {
        List<String> sorted = new ArrayList<>(list.stream().map(String::valueOf).toList());
        Collections.sort(sorted);
        return sorted;
      }
      return value;
    } catch (ReflectiveOperationException e) {
      throw new AssertionError(e);
    }
  }
}
