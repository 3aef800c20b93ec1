package io.holdfast.lease;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

/**
 * How many calls of this process have shared a statement, and how much was in it. Calls of one kind
 * count together, whatever they are about, so there are few names. Safe for use by many threads.
 */
public final class FusionCounts {
  private static final Map<String, FusionCounts> KINDS = new ConcurrentHashMap<>();

  private final LongAdder statements = new LongAdder();
  private final LongAdder calls = new LongAdder();
  private final LongAdder rows = new LongAdder();

  private FusionCounts() {}

  static FusionCounts of(String kind) {
    return KINDS.computeIfAbsent(kind, k -> new FusionCounts());
  }

  void sent(int callsOfStatement, int rowsOfStatement) {
    statements.increment();
    calls.add(callsOfStatement);
    rows.add(rowsOfStatement);
  }

  /** What has been sent so far for calls of one kind. */
  public record Count(String kind, long statements, long calls, long rows) {}

  /** What has been counted so far, for each kind. */
  public static List<Count> all() {
    List<Count> all = new ArrayList<>();
    KINDS.forEach(
        (kind, c) -> all.add(new Count(kind, c.statements.sum(), c.calls.sum(), c.rows.sum())));
    return all;
  }
}
