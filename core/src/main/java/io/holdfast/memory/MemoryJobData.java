package io.holdfast.memory;

import io.holdfast.job.Held;
import io.holdfast.job.JobError;
import io.holdfast.job.JobIds;
import io.holdfast.job.QueueKey;
import io.holdfast.job.Schedule;
import io.holdfast.job.WorkerInfo;
import io.holdfast.lease.Time;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.HashMap;
import java.util.Map;
import java.util.NavigableMap;
import java.util.OptionalLong;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The jobs of a memory store. Whoever touches them, or anything in them, holds this object's lock
 * for the whole of one transition.
 */
final class MemoryJobData {
  final Map<String, MemoryJob> jobs = new HashMap<>();
  final NavigableMap<String, MemoryJobQueue> queues = new TreeMap<>(MemoryLockAdmin.BYTES);
  final NavigableMap<String, Schedule> schedules = new TreeMap<>(MemoryLockAdmin.BYTES);
  final NavigableMap<String, WorkerInfo> workers = new TreeMap<>(MemoryLockAdmin.BYTES);
  final JobIds ids = new JobIds(() -> now().toEpochMilli());

  /** The limit key that the last sweep ended with; null: there was none. */
  @Nullable QueueKey lastSwept;

  private final Time time;

  MemoryJobData(Time time) {
    this.time = time;
  }

  /** The clock, in the microseconds that a database keeps. */
  Instant now() {
    OptionalLong manual = time.databaseMs();
    return manual.isPresent()
        ? Instant.ofEpochMilli(manual.getAsLong())
        : cut(Clock.systemUTC().instant());
  }

  /** Without what is below a microsecond. */
  static Instant cut(Instant instant) {
    return instant.truncatedTo(ChronoUnit.MICROS);
  }

  /** So much after {@code now}, in whole microseconds. */
  static Instant in(Duration duration, Instant now) {
    return now.plus(duration.truncatedTo(ChronoUnit.MICROS));
  }

  /** The instant that is asked for, by itself or as a delay; null: none is. */
  static @Nullable Instant due(@Nullable Instant at, @Nullable Duration delay, Instant now) {
    if (at != null) {
      return cut(at);
    }
    return delay == null ? null : in(delay, now);
  }

  static @Nullable Instant earlier(@Nullable Instant one, @Nullable Instant other) {
    if (one == null || other == null) {
      return one == null ? other : one;
    }
    return one.isBefore(other) ? one : other;
  }

  /** The queue, made if nobody named it before. */
  MemoryJobQueue queue(String name) {
    return queues.computeIfAbsent(name, MemoryJobQueue::new);
  }

  void change(MemoryJob job, Runnable transition) {
    queue(job.queue).change(job, transition);
  }

  void delete(MemoryJob job) {
    queue(job.queue).remove(job);
    jobs.remove(job.id);
  }

  /** Why nobody may act on a job under this token; null: its holder may. */
  @Nullable JobError refusal(Held held, Instant now) {
    MemoryJob job = jobs.get(held.id());
    MemoryJob.Lease lease = job == null ? null : job.lease;
    if (lease == null) {
      return JobError.JOB_NOT_INFLIGHT;
    }
    if (!lease.expiresAt().isAfter(now)) {
      return JobError.LEASE_EXPIRED;
    }
    return lease.token().equals(held.token()) ? null : JobError.LEASE_MISMATCH;
  }
}
