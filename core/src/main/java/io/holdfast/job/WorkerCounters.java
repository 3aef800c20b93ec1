package io.holdfast.job;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.Collectors;

/** What a worker has done. Safe for use by many threads. */
final class WorkerCounters {
  private final Map<WorkerStats.Ended, LongAdder> outcomes = new ConcurrentHashMap<>();
  private final Map<JobError, LongAdder> refusals = new ConcurrentHashMap<>();

  void ended(String type, WorkerStats.Outcome outcome) {
    outcomes
        .computeIfAbsent(new WorkerStats.Ended(type, outcome), key -> new LongAdder())
        .increment();
  }

  void refused(JobError error) {
    refusals.computeIfAbsent(error, key -> new LongAdder()).increment();
  }

  WorkerStats stats(Roster roster, int slots) {
    return new WorkerStats(
        roster.active(), roster.buffered(), slots, roster.stuck(), sums(outcomes), sums(refusals));
  }

  private static <K> Map<K, Long> sums(Map<K, LongAdder> counters) {
    return counters.entrySet().stream()
        .collect(Collectors.toUnmodifiableMap(Map.Entry::getKey, entry -> entry.getValue().sum()));
  }
}
