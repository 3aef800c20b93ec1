package io.holdfast.memory;

import io.holdfast.job.Enqueued;
import io.holdfast.job.JobException;
import io.holdfast.job.JobRow;
import io.holdfast.job.JobSpec;
import io.holdfast.job.JobStore.Stored;
import io.holdfast.job.NewJob;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Stores jobs in one transition, each made a microsecond after the one before. */
final class MemoryJobEnqueue {
  /**
   * The last of the largest batch is made so much after now, and may pass a gate with the first.
   */
  private static final Duration AHEAD = Duration.ofMillis(10);

  private final MemoryJobData data;
  private final Instant now;
  private final MemoryJobEffects effects;
  private int rows;

  MemoryJobEnqueue(MemoryJobData data, Instant now, MemoryJobEffects effects) {
    this.data = data;
    this.now = now;
    this.effects = effects;
  }

  /** All or none. */
  Stored all(List<JobRow> batch) {
    Set<String> taken = new HashSet<>();
    for (JobRow row : batch) {
      if (stored(row) == null && (data.jobs.containsKey(row.id()) || !taken.add(row.id()))) {
        throw JobException.duplicate(row.id());
      }
    }
    List<Enqueued> answers = new ArrayList<>();
    batch.forEach(row -> answers.add(one(row)));
    return new Stored(List.copyOf(answers), effects.all());
  }

  /** One whose id is not taken. */
  Enqueued one(JobRow row) {
    int index = rows++;
    MemoryJob holder = stored(row);
    if (holder != null) {
      return new Enqueued(holder.id, true);
    }
    MemoryJob job = made(row, index);
    data.jobs.put(job.id, job);
    data.queue(job.queue).add(job);
    effects.moved(job);
    return new Enqueued(job.id, false);
  }

  /** The job that holds the idempotency key; null if none does. */
  private @Nullable MemoryJob stored(JobRow row) {
    String key = row.keys().idempotency();
    return key == null ? null : data.queue(row.queue()).byKey.get(key);
  }

  private MemoryJob made(JobRow row, int index) {
    NewJob draft = row.draft();
    NewJob.Import past = draft.imported();
    Instant createdAt =
        past == null || past.createdAt() == null
            ? now.plus(Duration.ofNanos(1_000L * index))
            : MemoryJobData.cut(past.createdAt());
    MemoryJob job = new MemoryJob(row, keys(row), createdAt);
    Instant due = MemoryJobData.due(draft.runAt(), draft.delay(), now);
    job.waitUntil(due, createdAt.minus(AHEAD));
    if (past != null) {
      job.attempts = past.attempts();
      job.lastError = past.lastError();
      job.failedAt = past.failedAt() == null ? null : MemoryJobData.cut(past.failedAt());
    }
    return job;
  }

  private JobSpec.Keys keys(JobRow row) {
    JobSpec.Keys keys = row.keys();
    String limit = keys.limit();
    if (limit == null) {
      limit = data.queue(row.queue()).settings.defaultLimitKey();
    }
    return new JobSpec.Keys(keys.idempotency(), limit, keys.trace());
  }
}
