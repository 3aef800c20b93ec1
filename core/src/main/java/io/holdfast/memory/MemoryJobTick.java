package io.holdfast.memory;

import io.holdfast.job.Cron;
import io.holdfast.job.Enqueued;
import io.holdfast.job.JobException;
import io.holdfast.job.JobUpkeep.Ticked;
import io.holdfast.job.Schedule;
import io.holdfast.job.ScheduleSpec;
import io.holdfast.job.Slots;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Fires schedules whose slot has come. */
final class MemoryJobTick {
  private static final Logger LOG = LoggerFactory.getLogger(MemoryJobTick.class);
  private static final int MOST_SCHEDULES = 100;

  private final MemoryJobData data;
  private final Instant now;
  private final MemoryJobEffects effects;
  private final MemoryJobEnqueue enqueue;
  private int fired;

  MemoryJobTick(MemoryJobData data, Instant now) {
    this.data = data;
    this.now = now;
    this.effects = new MemoryJobEffects(now);
    this.enqueue = new MemoryJobEnqueue(data, now, effects);
  }

  Ticked run() {
    List<Schedule> due =
        data.schedules.values().stream()
            .filter(schedule -> schedule.isEnabled() && !schedule.nextAt().isAfter(now))
            .sorted(Comparator.comparing(Schedule::nextAt))
            .limit(MOST_SCHEDULES)
            .toList();
    due.forEach(schedule -> data.schedules.put(schedule.name(), ticked(schedule)));
    return new Ticked(fired, effects.all(), nextIn());
  }

  private Schedule ticked(Schedule schedule) {
    try {
      return fire(schedule, slots(schedule));
    } catch (JobException e) {
      LOG.warn("schedule '{}' does not fire any more", schedule.name(), e);
      return new Schedule(
          schedule.spec(), false, schedule.nextAt(), schedule.lastSlot(), schedule.lastJobId());
    }
  }

  private Slots slots(Schedule schedule) {
    ScheduleSpec spec = schedule.spec();
    Cron cron = Cron.parse(spec.cron(), spec.zone());
    return Slots.due(cron, schedule.nextAt(), now, spec.missed());
  }

  private Schedule fire(Schedule schedule, Slots slots) {
    ScheduleSpec spec = schedule.spec();
    Instant lastSlot = schedule.lastSlot();
    String lastJobId = schedule.lastJobId();
    for (Instant slot : slots.fire()) {
      if (spec.overlap() == ScheduleSpec.Overlap.SKIP && isUnfinished(lastJobId)) {
        continue;
      }
      String key = Slots.key(schedule.name(), slot);
      Enqueued job = enqueue.one(MemoryJobSchedules.row(data, spec, key));
      if (!job.existed()) {
        lastSlot = slot;
        lastJobId = job.id();
        fired++;
      }
    }
    return new Schedule(spec, true, slots.next(), lastSlot, lastJobId);
  }

  private boolean isUnfinished(@Nullable String id) {
    MemoryJob job = id == null ? null : data.jobs.get(id);
    return job != null && !job.state(now).isFinished();
  }

  private @Nullable Duration nextIn() {
    return data.schedules.values().stream()
        .filter(Schedule::isEnabled)
        .map(Schedule::nextAt)
        .min(Comparator.naturalOrder())
        .map(next -> Duration.between(now, MemoryJob.later(next, now)))
        .orElse(null);
  }
}
