package io.holdfast.benchmarks;

import io.holdfast.ErrorCode;
import io.holdfast.postgres.StatementListener;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/** Adds up how often something was said to the server, and how long that took. */
final class StatementTimes implements StatementListener {
  private record Sum(LongAdder times, LongAdder nanos) {}

  private final Map<String, Sum> sums = new ConcurrentSkipListMap<>();

  @Override
  public void executed(String operation, Duration took, @Nullable ErrorCode error) {
    add(operation, took.toNanos());
  }

  void add(String operation, long nanos) {
    Sum sum = sums.computeIfAbsent(operation, o -> new Sum(new LongAdder(), new LongAdder()));
    sum.times.increment();
    sum.nanos.add(nanos);
  }

  /** Forgets everything so far. */
  void reset() {
    sums.clear();
  }

  long total() {
    return sums.values().stream().mapToLong(sum -> sum.times.sum()).sum();
  }

  /** How often each was said. */
  Map<String, Long> counts() {
    Map<String, Long> counts = new TreeMap<>();
    sums.forEach((operation, sum) -> counts.put(operation, sum.times.sum()));
    return counts;
  }

  static final List<String> HEADER = List.of("subject", "statement", "times", "mean µs");

  List<List<String>> rows(String subject) {
    List<List<String>> rows = new ArrayList<>();
    sums.forEach(
        (operation, sum) ->
            rows.add(
                List.of(
                    subject,
                    operation,
                    Long.toString(sum.times.sum()),
                    Targets.text("%.0f", sum.nanos.sum() / 1e3 / sum.times.sum()))));
    return rows;
  }
}
