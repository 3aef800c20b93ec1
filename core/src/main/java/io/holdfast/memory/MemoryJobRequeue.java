package io.holdfast.memory;

import io.holdfast.job.Bulk;
import io.holdfast.job.DeadQuery;
import io.holdfast.job.JobAdmin.Requeues;
import io.holdfast.job.JobAdmin.Revived;
import io.holdfast.job.JobError;
import io.holdfast.job.JobState;
import io.holdfast.job.Requeue;
import io.holdfast.job.Requeued;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Brings jobs back: from the dead, from having been cancelled, from waiting for a due time. */
final class MemoryJobRequeue {
  private final MemoryJobData data;
  private final Instant now;
  private final MemoryJobEffects effects;

  MemoryJobRequeue(MemoryJobData data, Instant now) {
    this.data = data;
    this.now = now;
    this.effects = new MemoryJobEffects(now);
  }

  /** An id that is named twice is asked about once, and told the same twice. */
  Requeues all(List<String> ids, Requeue how) {
    Map<String, Requeued> answers = new HashMap<>();
    for (String id : ids) {
      answers.computeIfAbsent(id, each -> new Requeued(each, one(each, how)));
    }
    return new Requeues(ids.stream().map(answers::get).toList(), effects.all());
  }

  private @Nullable JobError one(String id, Requeue how) {
    MemoryJob job = data.jobs.get(id);
    if (job == null) {
      return JobError.JOB_NOT_FOUND;
    }
    if (how.queue() != null && !how.queue().equals(job.queue)) {
      return JobError.QUEUE_MISMATCH;
    }
    Instant due = ahead(how.runAt());
    JobState state = job.state(now);
    if (state == JobState.SCHEDULED) {
      data.change(job, () -> reschedule(job, due));
    } else if (state == JobState.DLQ || state == JobState.CANCELLED) {
      data.change(job, () -> job.revive(due, how.isResetting(), now));
    } else {
      return JobError.JOB_NOT_REQUEUEABLE;
    }
    effects.moved(job);
    return null;
  }

  private @Nullable Instant ahead(@Nullable Instant runAt) {
    Instant due = MemoryJobData.due(runAt, null, now);
    return due == null || !due.isAfter(now) ? null : due;
  }

  private void reschedule(MemoryJob job, @Nullable Instant due) {
    job.runAt = due;
    if (due == null) {
      job.rankFrom(now);
    }
  }

  /** The oldest dead letters that are asked for, one after the other over {@code spread}. */
  Revived dead(DeadQuery query, boolean isResetting, Duration spread) {
    Dead dead = dead(query);
    long micros = spread.toNanos() / 1_000;
    int count = dead.jobs.size();
    for (int i = 0; i < count; i++) {
      MemoryJob job = dead.jobs.get(i);
      Instant due = i == 0 || micros == 0 ? null : now.plusNanos(micros * i / count * 1_000);
      data.change(job, () -> job.revive(due, isResetting, now));
      effects.moved(job);
    }
    return new Revived(new Bulk(count, dead.more), effects.all());
  }

  Bulk purge(DeadQuery query) {
    Dead dead = dead(query);
    dead.jobs.forEach(data::delete);
    return new Bulk(dead.jobs.size(), dead.more);
  }

  /** Dead letters, and whether there are others like them. */
  private record Dead(List<MemoryJob> jobs, boolean more) {}

  private Dead dead(DeadQuery query) {
    List<MemoryJob> found =
        data.queue(query.queue()).dead.stream()
            .filter(job -> isAsked(job, query))
            .limit(query.limit() + 1L)
            .toList();
    boolean more = found.size() > query.limit();
    return new Dead(more ? found.subList(0, query.limit()) : found, more);
  }

  private static boolean isAsked(MemoryJob job, DeadQuery query) {
    String reason = job.dead.reason();
    return (query.type() == null || query.type().equals(job.draft.type()))
        && (query.reasonPrefix() == null
            || (reason != null && reason.startsWith(query.reasonPrefix())))
        && isBetween(job.dead.failedAt(), query);
  }

  private static boolean isBetween(@Nullable Instant at, DeadQuery query) {
    Instant from = query.failedAfter();
    Instant before = query.failedBefore();
    return at != null
        && (from == null || !at.isBefore(MemoryJobData.cut(from)))
        && (before == null || at.isBefore(MemoryJobData.cut(before)));
  }
}
