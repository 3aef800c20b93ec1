package io.holdfast.postgres;

import io.holdfast.job.Job;
import io.holdfast.job.JobState;
import io.holdfast.job.Schedule;
import io.holdfast.job.WorkerInfo;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The moments at which something stored changes its meaning. */
final class DifferentialJobBounds {
  private static final Duration MINUTE = Duration.ofSeconds(60);
  private static final Duration LATE = Duration.ofSeconds(10);
  private static final Duration FORGOTTEN = Duration.ofMinutes(10);

  /** One of them, and the job that it is about. */
  record Bound(String kind, Instant at, @Nullable Job job) {}

  private final String kind;
  private final DifferentialJobModel model;
  private final List<Bound> bounds = new ArrayList<>();

  private DifferentialJobBounds(String kind, DifferentialJobModel model) {
    this.kind = kind;
    this.model = model;
  }

  /** Those that the clock can still come to. */
  static List<Bound> of(String kind, DifferentialJobModel model) {
    DifferentialJobBounds all = new DifferentialJobBounds(kind, model);
    all.find();
    return all.bounds.stream().filter(bound -> !bound.at.isBefore(model.now())).toList();
  }

  private void add(@Nullable Instant at, @Nullable Duration later, @Nullable Job job) {
    if (at != null && later != null) {
      bounds.add(new Bound(kind, at.plus(later), job));
    }
  }

  private void find() {
    switch (kind) {
      case "due" -> jobs(JobState.SCHEDULED).forEach(this::due);
      case "gate" -> jobs(JobState.GATED).forEach(this::due);
      case "lease" -> jobs(JobState.INFLIGHT).forEach(this::lease);
      case "done keep" -> jobs(JobState.DONE, JobState.CANCELLED).forEach(this::doneKeep);
      case "dead keep" -> jobs(JobState.DLQ).forEach(this::deadKeep);
      case "minute" -> jobs(JobState.DONE, JobState.DLQ).forEach(job -> ended(job, MINUTE));
      case "slot" -> schedules(Duration.ZERO);
      case "late" -> schedules(LATE);
      case "worker" -> workers(MINUTE);
      default -> workers(FORGOTTEN);
    }
  }

  private List<Job> jobs(JobState... states) {
    return model.jobs(states);
  }

  private void due(Job job) {
    add(job.spec().runAt(), Duration.ZERO, job);
  }

  private void lease(Job job) {
    Job.Lease lease = job.lease();
    add(lease == null ? null : lease.expiresAt(), Duration.ZERO, job);
  }

  private void doneKeep(Job job) {
    ended(job, model.queue(job.queue()).settings().doneKeep());
  }

  private void deadKeep(Job job) {
    ended(job, model.queue(job.queue()).settings().deadKeep());
  }

  /** Near ones only: nothing else is left when one comes to the others. */
  private void ended(Job job, @Nullable Duration later) {
    Job.End end = job.history().end();
    if (end != null && later != null && later.compareTo(MINUTE) <= 0) {
      add(end.finishedAt(), later, job);
    }
  }

  private void schedules(Duration later) {
    model.schedules().stream()
        .filter(Schedule::isEnabled)
        .forEach(schedule -> add(schedule.nextAt(), later, null));
  }

  private void workers(Duration later) {
    for (WorkerInfo worker : model.workers()) {
      add(worker.seenAt(), later, null);
    }
  }
}
