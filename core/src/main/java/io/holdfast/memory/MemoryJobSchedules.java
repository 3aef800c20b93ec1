package io.holdfast.memory;

import io.holdfast.job.Cron;
import io.holdfast.job.JobRow;
import io.holdfast.job.JobSchedules;
import io.holdfast.job.JobSpec;
import io.holdfast.job.NewJob;
import io.holdfast.job.Schedule;
import io.holdfast.job.ScheduleSpec;
import io.holdfast.lease.StoreCall;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Recurring jobs in {@link MemoryJobData}. */
final class MemoryJobSchedules implements JobSchedules {
  private final MemoryJobData data;

  MemoryJobSchedules(MemoryJobData data) {
    this.data = data;
  }

  @Override
  public Schedule put(ScheduleSpec spec, StoreCall call) {
    synchronized (data) {
      Schedule old = data.schedules.get(spec.name());
      Schedule next =
          old == null
              ? new Schedule(kept(spec), true, next(spec), null, null)
              : new Schedule(
                  kept(spec),
                  old.isEnabled(),
                  isSameTime(spec, old.spec()) ? old.nextAt() : next(spec),
                  old.lastSlot(),
                  old.lastJobId());
      data.schedules.put(spec.name(), next);
      return next;
    }
  }

  private Instant next(ScheduleSpec spec) {
    return Cron.parse(spec.cron(), spec.zone()).next(data.now());
  }

  private static boolean isSameTime(ScheduleSpec one, ScheduleSpec other) {
    return one.cron().equals(other.cron()) && one.zone().equals(other.zone());
  }

  /** With what counts of its job. */
  private static ScheduleSpec kept(ScheduleSpec spec) {
    NewJob job = spec.job();
    NewJob kept =
        NewJob.of(job.type())
            .queue(job.queue())
            .payload(job.payload())
            .priority(job.priority())
            .maxAttempts(job.maxAttempts())
            .timeout(job.timeout())
            .limitedBy(job.limitKey());
    return new ScheduleSpec(
        spec.name(), kept, spec.cron(), spec.zone(), spec.missed(), spec.overlap());
  }

  @Override
  public boolean delete(String name, StoreCall call) {
    synchronized (data) {
      return data.schedules.remove(name) != null;
    }
  }

  @Override
  public Optional<Schedule> enable(String name, boolean isEnabled, StoreCall call) {
    synchronized (data) {
      return Optional.ofNullable(
          data.schedules.computeIfPresent(name, (n, old) -> enabled(old, isEnabled)));
    }
  }

  private Schedule enabled(Schedule old, boolean isEnabled) {
    boolean isResumed = isEnabled && !old.isEnabled();
    return new Schedule(
        old.spec(),
        isEnabled,
        isResumed ? next(old.spec()) : old.nextAt(),
        old.lastSlot(),
        old.lastJobId());
  }

  @Override
  public Optional<Triggered> trigger(String name, StoreCall call) {
    synchronized (data) {
      return Optional.ofNullable(data.schedules.get(name)).map(this::triggered);
    }
  }

  private Triggered triggered(Schedule schedule) {
    Instant now = data.now();
    MemoryJobEffects effects = new MemoryJobEffects(now);
    JobRow row = row(data, schedule.spec(), null);
    new MemoryJobEnqueue(data, now, effects).one(row);
    data.schedules.put(
        schedule.name(),
        new Schedule(
            schedule.spec(),
            schedule.isEnabled(),
            schedule.nextAt(),
            schedule.lastSlot(),
            row.id()));
    return new Triggered(row.id(), effects.all());
  }

  /** The job of a schedule, under this idempotency key if there is one. */
  static JobRow row(MemoryJobData data, ScheduleSpec spec, @Nullable String key) {
    NewJob job = spec.job();
    String queue = Objects.requireNonNull(job.queue(), "queue");
    return new JobRow(data.ids.next(), queue, new JobSpec.Keys(key, job.limitKey(), null), job);
  }

  @Override
  public List<Schedule> list(StoreCall call) {
    synchronized (data) {
      return List.copyOf(data.schedules.values());
    }
  }
}
