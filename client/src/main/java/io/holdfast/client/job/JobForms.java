package io.holdfast.client.job;

import io.holdfast.job.Job;
import io.holdfast.job.JobQueueConfig;
import io.holdfast.job.JobQueueInfo;
import io.holdfast.job.JobQueueSettings;
import io.holdfast.job.JobSpec;
import io.holdfast.job.JobState;
import io.holdfast.job.JobStats;
import io.holdfast.job.NewJob;
import io.holdfast.job.Schedule;
import io.holdfast.job.ScheduleSpec;
import io.holdfast.job.WorkerInfo;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.Arrays;
import java.util.Base64;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Reads what the wire shows of jobs, queues, workers and schedules. */
final class JobForms {
  private JobForms() {}

  static @Nullable String base64(byte @Nullable [] bytes) {
    return bytes == null ? null : Base64.getEncoder().encodeToString(bytes);
  }

  static byte @Nullable [] bytes(@Nullable String base64) {
    return base64 == null ? null : Base64.getDecoder().decode(base64);
  }

  static boolean is(@Nullable Boolean flag) {
    return Boolean.TRUE.equals(flag);
  }

  static @Nullable BigDecimal millis(@Nullable Duration time) {
    return time == null ? null : Millis.of(time);
  }

  static Job job(JobDocument job) {
    byte[] payload = bytes(job.payloadBase64());
    JobSpec spec =
        new JobSpec(
            job.type(),
            job.queue(),
            payload == null ? new byte[0] : payload,
            job.runAt(),
            Duration.ofNanos(job.timeoutNanos()),
            job.maxAttempts(),
            job.priority(),
            new JobSpec.Keys(job.idempotencyKey(), job.limitKey(), job.traceId()));
    JobState state = state(job.state());
    JobDocument.Lease lease = job.lease();
    return new Job(
        job.id(),
        spec,
        state,
        job.createdAt(),
        history(job, state),
        new Job.Progress(job.progress(), job.note(), bytes(job.checkpointBase64())),
        lease == null ? null : new Job.Lease(lease.expiresAt(), lease.owner()),
        is(job.cancelRequested()));
  }

  static JobState state(String text) {
    return JobState.of(text).orElseThrow(() -> new IllegalStateException("state " + text));
  }

  private static Job.History history(JobDocument job, JobState state) {
    Job.End end =
        state.isFinished()
            ? new Job.End(outcome(job.outcome()), job.finishedAt(), bytes(job.outputBase64()))
            : null;
    Integer count = job.dlqCount();
    Job.Dead dead =
        new Job.Dead(
            job.dlqReason(), job.dlqFailedAt(), job.dlqAttempts(), count == null ? 0 : count);
    return new Job.History(
        job.attempts(),
        job.lastError(),
        job.failedAt(),
        job.deliveries(),
        job.excused(),
        end,
        dead);
  }

  private static Job.@Nullable Outcome outcome(@Nullable String text) {
    return text == null
        ? null
        : Arrays.stream(Job.Outcome.values())
            .filter(known -> known.text().equals(text))
            .findAny()
            .orElse(null);
  }

  static JobQueueInfo queue(JobWire.JobQueueDocument queue) {
    BigDecimal deadKeep = queue.dlqKeepMs();
    JobQueueSettings settings =
        new JobQueueSettings(
            Millis.duration(queue.doneKeepMs()),
            deadKeep == null ? null : Millis.duration(deadKeep),
            queue.deliveryLimit(),
            queue.defaultLimitKey());
    List<JobQueueConfig.KeyLimit> limits =
        queue.limits().stream()
            .map(l -> new JobQueueConfig.KeyLimit(String.valueOf(l.key()), l.maxRunning()))
            .toList();
    return new JobQueueInfo(queue.queue(), queue.pausedAt(), settings, limits);
  }

  static JobStats stats(JobWire.JobQueueStats stats) {
    Map<JobState, JobStats.Count> counts = new EnumMap<>(JobState.class);
    stats.counts().forEach((state, count) -> counts.put(state(state), count(count)));
    return new JobStats(
        stats.queue(),
        counts,
        stats.oldestReadyAt(),
        stats.oldestDeadAt(),
        count(stats.finishedLastMinute()),
        count(stats.diedLastMinute()));
  }

  private static JobStats.Count count(JobWire.JobCount count) {
    return new JobStats.Count(count.count(), is(count.capped()));
  }

  static WorkerInfo worker(JobWire.JobWorkerDocument worker) {
    return new WorkerInfo(
        String.valueOf(worker.id()),
        String.valueOf(worker.host()),
        Objects.requireNonNullElse(worker.queues(), List.of()),
        Objects.requireNonNullElse(worker.types(), List.of()),
        Objects.requireNonNullElse(worker.slots(), 0),
        worker.startedAt(),
        worker.seenAt());
  }

  static Schedule schedule(JobWire.JobScheduleDocument schedule) {
    NewJob job =
        NewJob.of(schedule.type())
            .queue(schedule.queue())
            .payload(bytes(schedule.payloadBase64()))
            .priority(schedule.priority())
            .maxAttempts(schedule.maxAttempts())
            .timeout(Duration.ofNanos(schedule.timeoutNanos()))
            .limitedBy(schedule.limitKey());
    ScheduleSpec spec =
        ScheduleSpec.of(schedule.name(), schedule.cron(), job)
            .zone(schedule.zone())
            .missed(
                schedule.missed().equals(ScheduleSpec.Missed.SKIP.text())
                    ? ScheduleSpec.Missed.SKIP
                    : ScheduleSpec.Missed.RUN_ONCE)
            .overlap(
                schedule.overlap().equals(ScheduleSpec.Overlap.SKIP.text())
                    ? ScheduleSpec.Overlap.SKIP
                    : ScheduleSpec.Overlap.ALLOW);
    return new Schedule(
        spec, schedule.enabled(), schedule.nextAt(), schedule.lastSlot(), schedule.lastJobId());
  }
}
