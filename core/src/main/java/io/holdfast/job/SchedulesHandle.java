package io.holdfast.job;

import java.util.List;

/** The {@link Schedules} of a service. */
record SchedulesHandle(JobEngine jobs) implements Schedules {
  @Override
  public Schedule put(ScheduleSpec spec) {
    JobRules.checkThread();
    ScheduleSpec checked = AdminRules.checked(spec, jobs.options, jobs.ids);
    return jobs.call(() -> jobs.backend.schedules().put(checked, jobs.storeCall()));
  }

  @Override
  public void delete(String name) {
    check(name);
    if (!jobs.call(() -> jobs.backend.schedules().delete(name, jobs.storeCall()))) {
      throw JobException.noSchedule(name);
    }
  }

  @Override
  public Schedule pause(String name) {
    return enable(name, false);
  }

  @Override
  public Schedule resume(String name) {
    return enable(name, true);
  }

  private Schedule enable(String name, boolean isEnabled) {
    check(name);
    return jobs.call(() -> jobs.backend.schedules().enable(name, isEnabled, jobs.storeCall()))
        .orElseThrow(() -> JobException.noSchedule(name));
  }

  @Override
  public String trigger(String name) {
    check(name);
    JobSchedules.Triggered triggered =
        jobs.call(() -> jobs.backend.schedules().trigger(name, jobs.storeCall()))
            .orElseThrow(() -> JobException.noSchedule(name));
    jobs.spread(triggered.effects());
    return triggered.jobId();
  }

  @Override
  public List<Schedule> list() {
    JobRules.checkThread();
    return jobs.call(() -> jobs.backend.schedules().list(jobs.storeCall()));
  }

  private static void check(String name) {
    JobRules.checkThread();
    AdminRules.checkScheduleName(name);
  }
}
