package io.holdfast.postgres;

import io.holdfast.ErrorCode;
import io.holdfast.Telemetry.Figure;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/** Counts database calls, and passes them on to another listener. Safe for use by many threads. */
final class StatementCounts implements StatementListener {
  private final StatementListener next;
  private final Map<Kind, Sum> sums = new ConcurrentHashMap<>();

  private record Kind(String operation, String outcome) {
    Map<String, String> labels() {
      return Map.of("operation", operation, "outcome", outcome);
    }
  }

  private static final class Sum {
    final LongAdder count = new LongAdder();
    final LongAdder nanos = new LongAdder();
  }

  StatementCounts(StatementListener next) {
    this.next = next;
  }

  @Override
  public void executed(String operation, Duration took, @Nullable ErrorCode error) {
    Kind kind = new Kind(operation, error == null ? "ok" : error.text());
    Sum sum = sums.computeIfAbsent(kind, k -> new Sum());
    sum.count.increment();
    sum.nanos.add(took.toNanos());
    next.executed(operation, took, error);
  }

  List<Figure> figures() {
    List<Figure> figures = new ArrayList<>();
    sums.forEach(
        (kind, sum) -> {
          figures.add(Figure.total("holdfast.statements", kind.labels(), sum.count.sum()));
          figures.add(
              Figure.total("holdfast.statement.seconds", kind.labels(), sum.nanos.sum() / 1e9));
        });
    return figures;
  }
}
