package io.holdfast.client.job;

import io.holdfast.job.Effects;
import io.holdfast.job.JobError;
import io.holdfast.job.JobException;
import io.holdfast.job.JobSchedules;
import io.holdfast.job.NewJob;
import io.holdfast.job.Schedule;
import io.holdfast.job.ScheduleSpec;
import io.holdfast.lease.StoreCall;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/** Recurring jobs of a server. Safe for use by many threads. */
record HttpJobSchedules(JobVerbs verbs) implements JobSchedules {
  @Override
  public Schedule put(ScheduleSpec spec, StoreCall call) {
    NewJob job = spec.job();
    JobWire.JobSchedulePut body =
        new JobWire.JobSchedulePut(
            spec.name(),
            job.queue(),
            job.type(),
            null,
            JobForms.base64(job.payload()),
            job.priority(),
            job.maxAttempts(),
            job.timeout().toNanos(),
            job.limitKey(),
            spec.cron(),
            spec.zone(),
            spec.missed().text(),
            spec.overlap().text());
    return JobForms.schedule(
        verbs.change("schedules.put", body, JobWire.JobScheduleDocument.class, call));
  }

  @Override
  public boolean delete(String name, StoreCall call) {
    return ifThere(
            () ->
                verbs.change(
                    "schedules.delete",
                    new JobWire.JobScheduleName(name),
                    JobWire.JobNothing.class,
                    call))
        .isPresent();
  }

  @Override
  public Optional<Schedule> enable(String name, boolean isEnabled, StoreCall call) {
    return ifThere(
            () ->
                verbs.change(
                    isEnabled ? "schedules.resume" : "schedules.pause",
                    new JobWire.JobScheduleName(name),
                    JobWire.JobScheduleDocument.class,
                    call))
        .map(JobForms::schedule);
  }

  @Override
  public Optional<Triggered> trigger(String name, StoreCall call) {
    return ifThere(
            () ->
                verbs.change(
                    "schedules.trigger",
                    new JobWire.JobScheduleName(name),
                    JobWire.JobTriggeredReply.class,
                    call))
        .map(reply -> new Triggered(reply.jobId(), Effects.NONE));
  }

  @Override
  public List<Schedule> list(StoreCall call) {
    return verbs
        .look("schedules.list", new JobWire.JobNothing(), JobWire.JobSchedulesReply.class, call)
        .schedules()
        .stream()
        .map(JobForms::schedule)
        .toList();
  }

  private static <T> Optional<T> ifThere(Supplier<T> call) {
    try {
      return Optional.of(call.get());
    } catch (JobException e) {
      if (e.error() == JobError.SCHEDULE_NOT_FOUND) {
        return Optional.empty();
      }
      throw e;
    }
  }
}
