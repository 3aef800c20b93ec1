package io.holdfast.lease;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

/**
 * How often the duties of this process have taken a step, how often that failed, and how long it
 * took. Duties of the same kind count together, whoever runs them, so there are few names. Safe for
 * use by many threads.
 */
public final class DutyCounts {
  private static final Map<String, DutyCounts> KINDS = new ConcurrentHashMap<>();

  private final LongAdder steps = new LongAdder();
  private final LongAdder failures = new LongAdder();
  private final LongAdder nanos = new LongAdder();

  private DutyCounts() {}

  /** Of duties whose threads have this name. */
  static DutyCounts of(String kind) {
    return KINDS.computeIfAbsent(kind, k -> new DutyCounts());
  }

  void took(long stepNanos) {
    steps.increment();
    nanos.add(stepNanos);
  }

  void failed() {
    failures.increment();
  }

  /** What duties of one kind have done so far. */
  public record Count(String duty, long steps, long failures, long nanos) {}

  /** What has been counted so far, for each kind. */
  public static List<Count> all() {
    List<Count> all = new ArrayList<>();
    KINDS.forEach(
        (kind, c) -> all.add(new Count(kind, c.steps.sum(), c.failures.sum(), c.nanos.sum())));
    return all;
  }
}
