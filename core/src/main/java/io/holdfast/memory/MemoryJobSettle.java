package io.holdfast.memory;

import io.holdfast.job.Held;
import io.holdfast.job.Job;
import io.holdfast.job.JobError;
import io.holdfast.job.JobStore.Answer;
import io.holdfast.job.Settled;
import io.holdfast.job.Settlement;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** What holders of leases say about their runs, each for itself. */
final class MemoryJobSettle {
  private static final String NO_REASON = "failed";

  private final MemoryJobData data;
  private final Instant now;
  private final MemoryJobEffects effects;

  MemoryJobSettle(MemoryJobData data, Instant now) {
    this.data = data;
    this.now = now;
    this.effects = new MemoryJobEffects(now);
  }

  Answer all(List<? extends Settlement> items) {
    List<Settled> settled = new ArrayList<>();
    items.forEach(item -> settled.add(one(item)));
    return new Answer(List.copyOf(settled), effects.all());
  }

  private Settled one(Settlement item) {
    Held held = item.held();
    JobError error = data.refusal(held, now);
    MemoryJob job = data.jobs.get(held.id());
    if (job != null && isRepeated(job, item)) {
      return Settled.repeated(held.id());
    }
    if (job == null || error != null) {
      return Settled.refused(held.id(), Objects.requireNonNull(error));
    }
    return settled(job, item);
  }

  /** Whether the same run said so before; success stands against a later failure. */
  private static boolean isRepeated(MemoryJob job, Settlement item) {
    String token = item.held().token();
    boolean hasSucceeded = job.wasEnded(Job.Outcome.SUCCEEDED, token);
    if (item instanceof Settlement.Ack) {
      return hasSucceeded;
    }
    return item instanceof Settlement.Fail
        && (hasSucceeded || job.wasEnded(Job.Outcome.FAILED, token));
  }

  private Settled settled(MemoryJob job, Settlement item) {
    if (item instanceof Settlement.Ack ack) {
      return ack(job, ack);
    }
    if (item instanceof Settlement.Retry retry) {
      return retry(job, retry);
    }
    if (item instanceof Settlement.Fail fail) {
      return fail(job, fail);
    }
    if (item instanceof Settlement.Release release) {
      return release(job, release);
    }
    return report(job, (Settlement.Report) item);
  }

  private Settled ack(MemoryJob job, Settlement.Ack ack) {
    if (data.queue(job.queue).settings.doneKeep().isZero()) {
      data.delete(job);
    } else {
      data.change(job, () -> job.succeed(ack.held().token(), ack.output(), now));
    }
    effects.moved(job);
    return Settled.done(job.id);
  }

  private Settled retry(MemoryJob job, Settlement.Retry retry) {
    boolean isCancelled = job.isCancelRequested;
    Instant failedAt = retry.failedAt() == null ? now : MemoryJobData.cut(retry.failedAt());
    data.change(
        job,
        () -> {
          job.failed(retry.attempts(), retry.error(), failedAt);
          if (isCancelled) {
            job.cancel(now);
          } else {
            job.rankFrom(now);
            job.waitUntil(MemoryJobData.due(retry.runAt(), retry.delay(), now), now);
          }
        });
    effects.moved(job);
    return new Settled(job.id, null, false, isCancelled, false);
  }

  private Settled fail(MemoryJob job, Settlement.Fail fail) {
    String reason = isBlank(fail.reason()) ? NO_REASON : fail.reason();
    String error = fail.error() == null ? reason : fail.error();
    data.change(
        job,
        () -> {
          job.failed(fail.attempts(), error, now);
          job.die(reason, fail.held().token(), now);
        });
    effects.moved(job);
    return Settled.done(job.id);
  }

  private static boolean isBlank(@Nullable String text) {
    return text == null || text.isBlank();
  }

  private Settled release(MemoryJob job, Settlement.Release release) {
    Instant due = MemoryJobData.due(null, release.delay(), now);
    data.change(
        job,
        () -> {
          job.excused++;
          if (due == null) {
            job.putBack();
          } else {
            job.waitUntil(due, now);
          }
        });
    effects.moved(job);
    return Settled.done(job.id);
  }

  private static Settled report(MemoryJob job, Settlement.Report report) {
    Job.Progress old = job.progress;
    byte[] checkpoint = MemoryJobView.copy(report.checkpoint());
    job.progress =
        new Job.Progress(
            report.percent() == null ? old.percent() : report.percent(),
            report.note() == null ? old.note() : report.note(),
            checkpoint == null ? old.checkpoint() : checkpoint);
    return new Settled(job.id, null, false, false, job.isCancelRequested);
  }
}
