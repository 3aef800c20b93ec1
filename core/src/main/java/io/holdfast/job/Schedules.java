package io.holdfast.job;

import java.util.List;

/** Recurring jobs. Safe for use by many threads. */
public interface Schedules {
  /** Makes or replaces a schedule; its next slot stays while cron and zone do. */
  Schedule put(ScheduleSpec spec);

  /** Removes a schedule. Jobs that it made stay. */
  void delete(String name);

  /** It fires no more until resumed. */
  Schedule pause(String name);

  /** It fires again, from the first slot after now. */
  Schedule resume(String name);

  /** Enqueues its job now, whatever its slots; answers the job's id. */
  String trigger(String name);

  /** All schedules, by name. */
  List<Schedule> list();
}
