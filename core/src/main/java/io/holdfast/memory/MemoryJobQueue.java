package io.holdfast.memory;

import io.holdfast.job.JobParts.Part;
import io.holdfast.job.JobParts.Position;
import io.holdfast.job.JobQueueConfig.KeyLimit;
import io.holdfast.job.JobQueueInfo;
import io.holdfast.job.JobQueueSettings;
import java.time.Instant;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.NavigableSet;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** A queue: how it is set up, and its jobs, each in one index at a time. */
final class MemoryJobQueue {
  final String name;
  JobQueueSettings settings = JobQueueSettings.DEFAULTS;
  final NavigableMap<String, Integer> limits = new TreeMap<>(MemoryLockAdmin.BYTES);
  @Nullable Instant pausedAt;

  /** Whether somebody set it up; else it is only known by its jobs. */
  boolean isConfigured;

  /** Without a due time. */
  final MemoryJobIndex ready = new MemoryJobIndex();

  /** With a due time, past or ahead. */
  final MemoryJobIndex timed = new MemoryJobIndex();

  final MemoryJobIndex gated = new MemoryJobIndex();
  final MemoryJobIndex inflight = new MemoryJobIndex();
  final MemoryJobIndex done = new MemoryJobIndex();
  final MemoryJobIndex dead = new MemoryJobIndex();

  /** The jobs that have an idempotency key, by it. */
  final Map<String, MemoryJob> byKey = new HashMap<>();

  private final Map<String, NavigableSet<String>> slots = new HashMap<>();

  MemoryJobQueue(String name) {
    this.name = name;
  }

  void add(MemoryJob job) {
    indexOf(job).add(job);
    if (job.keys.idempotency() != null) {
      byKey.put(job.keys.idempotency(), job);
    }
    if (job.isHoldingSlot()) {
      slots
          .computeIfAbsent(job.keys.limit(), k -> new TreeSet<>(MemoryLockAdmin.BYTES))
          .add(job.id);
    }
  }

  void remove(MemoryJob job) {
    indexOf(job).remove(job);
    if (job.keys.idempotency() != null) {
      byKey.remove(job.keys.idempotency());
    }
    if (job.isHoldingSlot()) {
      slots.computeIfPresent(job.keys.limit(), (key, ids) -> without(ids, job.id));
    }
  }

  private static @Nullable NavigableSet<String> without(NavigableSet<String> ids, String id) {
    ids.remove(id);
    return ids.isEmpty() ? null : ids;
  }

  /** The one way to change a job that is stored. */
  void change(MemoryJob job, Runnable transition) {
    remove(job);
    transition.run();
    add(job);
  }

  private MemoryJobIndex indexOf(MemoryJob job) {
    return switch (job.status) {
      case INFLIGHT -> inflight;
      case DONE -> done;
      case DLQ -> dead;
      case READY -> job.gateAt != null ? gated : job.runAt != null ? timed : ready;
    };
  }

  /** The index that a part of a list is in. */
  MemoryJobIndex index(Part part) {
    return switch (part) {
      case INFLIGHT -> inflight;
      case READY -> ready;
      case DUE, SCHEDULED -> timed;
      case GATED -> gated;
      case DLQ -> dead;
      case FINISHED, SUCCEEDED, CANCELLED -> done;
    };
  }

  /** The ids of the jobs in the slots of a limit key, in order. */
  NavigableSet<String> slots(String key) {
    NavigableSet<String> ids = slots.get(key);
    return ids == null ? Collections.emptyNavigableSet() : ids;
  }

  /** How many jobs of a limit key may be in slots; null: any number. */
  @Nullable Integer limit(String key) {
    return limits.getOrDefault(key, limits.get(KeyLimit.EVERY_OTHER));
  }

  /** When the next job becomes due or the next lease ends; null if nothing is known. */
  @Nullable Instant nextAt(Instant now) {
    Position due = timed.next(MemoryJobIndex.after(now));
    Position expiry = inflight.next(MemoryJobIndex.after(now));
    return MemoryJobData.earlier(
        due == null ? null : due.at(), expiry == null ? null : expiry.at());
  }

  boolean isKnown() {
    return isConfigured
        || ready.size() + timed.size() + gated.size() > 0
        || inflight.size() + done.size() + dead.size() > 0;
  }

  JobQueueInfo info() {
    List<KeyLimit> keyLimits =
        limits.entrySet().stream().map(e -> new KeyLimit(e.getKey(), e.getValue())).toList();
    return new JobQueueInfo(name, pausedAt, settings, keyLimits);
  }
}
