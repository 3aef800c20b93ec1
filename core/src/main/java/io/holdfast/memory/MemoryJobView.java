package io.holdfast.memory;

import io.holdfast.job.Job;
import io.holdfast.job.JobSpec;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** Shows jobs as they are at one instant. Arrays are copies. */
record MemoryJobView(Instant now, boolean withPayload) {
  Job of(MemoryJob job) {
    return new Job(
        job.id,
        spec(job),
        job.state(now),
        job.createdAt,
        history(job),
        progress(job),
        job.lease == null ? null : new Job.Lease(job.lease.expiresAt(), job.lease.owner()),
        job.isCancelRequested);
  }

  private JobSpec spec(MemoryJob job) {
    return new JobSpec(
        job.draft.type(),
        job.queue,
        withPayload ? job.draft.payload() : new byte[0],
        job.dueAt(),
        job.draft.timeout(),
        job.draft.maxAttempts(),
        job.draft.priority(),
        job.keys);
  }

  private static Job.History history(MemoryJob job) {
    return new Job.History(
        job.attempts,
        job.lastError,
        job.failedAt,
        job.deliveries,
        job.excused,
        end(job.end),
        job.dead);
  }

  private static Job.@Nullable End end(Job.@Nullable End end) {
    return end == null ? null : new Job.End(end.outcome(), end.finishedAt(), copy(end.output()));
  }

  private static Job.Progress progress(MemoryJob job) {
    Job.Progress progress = job.progress;
    return new Job.Progress(progress.percent(), progress.note(), copy(progress.checkpoint()));
  }

  static byte @Nullable [] copy(byte @Nullable [] bytes) {
    return bytes == null ? null : bytes.clone();
  }
}
