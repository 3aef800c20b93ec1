package io.holdfast.job;

import io.holdfast.lease.StoreCall;
import java.util.List;
import java.util.Optional;

/** Recurring jobs. Arguments have been checked. Safe for use by many threads. */
public interface JobSchedules {
  /** A job that a schedule made out of turn. */
  record Triggered(String jobId, Effects effects) {}

  /** Makes or replaces a schedule; its next slot stays while cron and zone do. */
  Schedule put(ScheduleSpec spec, StoreCall call);

  /** Removes a schedule; false when there is none. Jobs that it made stay. */
  boolean delete(String name, StoreCall call);

  /** Ends or resumes firing. Resumed, the next slot is the first after now. */
  Optional<Schedule> enable(String name, boolean isEnabled, StoreCall call);

  /** Enqueues the schedule's job now, whatever its slots, also when it is paused. */
  Optional<Triggered> trigger(String name, StoreCall call);

  /** All schedules, by name. */
  List<Schedule> list(StoreCall call);
}
