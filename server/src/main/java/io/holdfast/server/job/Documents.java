package io.holdfast.server.job;

import io.holdfast.client.http.RawJson;
import io.holdfast.client.job.JobDocument;
import io.holdfast.client.job.JobWire;
import io.holdfast.client.job.Millis;
import io.holdfast.job.Explanation;
import io.holdfast.job.Job;
import io.holdfast.job.JobQueueInfo;
import io.holdfast.job.JobStats;
import io.holdfast.job.LeasedJob;
import io.holdfast.job.NewJob;
import io.holdfast.job.Schedule;
import io.holdfast.job.WorkerInfo;
import io.holdfast.server.http.Caller;
import io.holdfast.server.http.WireJson;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Writes what the wire shows of jobs, queues, workers and schedules. */
final class Documents {
  private Documents() {}

  /** How the payload of a job is shown. */
  enum Payload {
    NONE,
    BYTES,
    JSON
  }

  static JobDocument job(Job job, Payload form) {
    return document(job, form, null);
  }

  static JobDocument leased(LeasedJob leased, Payload form) {
    return document(leased.job(), form, leased);
  }

  private static JobDocument document(Job job, Payload form, @Nullable LeasedJob leased) {
    byte[] payload = job.spec().payload();
    boolean isJson = form == Payload.JSON && WireJson.isJson(payload);
    Job.History history = job.history();
    Job.End end = history.end();
    Job.Lease lease = job.lease();
    return new JobDocument(
        job.id(),
        job.type(),
        job.queue(),
        job.state().text(),
        isJson ? new RawJson(new String(payload, StandardCharsets.UTF_8)) : null,
        form == Payload.NONE || isJson ? null : Fields.base64(payload),
        job.spec().runAt(),
        job.spec().timeout().toNanos(),
        job.createdAt(),
        history.attempts(),
        job.spec().maxAttempts(),
        history.lastError(),
        history.failedAt(),
        job.spec().priority(),
        history.deliveries(),
        history.excused(),
        leased == null ? null : leased.fence(),
        leased == null ? null : leased.token(),
        leased == null ? null : leased.leaseExpiresAt(),
        lease == null ? null : new JobDocument.Lease(lease.expiresAt(), lease.owner()),
        job.spec().keys().idempotency(),
        job.spec().keys().limit(),
        job.spec().keys().trace(),
        Fields.flag(job.isCancelRequested()),
        job.progress().percent(),
        job.progress().note(),
        Fields.base64(job.progress().checkpoint()),
        end == null || end.outcome() == null ? null : end.outcome().text(),
        end == null ? null : end.finishedAt(),
        end == null ? null : Fields.base64(end.output()),
        history.dead().reason(),
        history.dead().failedAt(),
        history.dead().attempts(),
        history.dead().count());
  }

  static JobWire.JobQueueDocument queue(JobQueueInfo info) {
    Duration deadKeep = info.settings().deadKeep();
    return new JobWire.JobQueueDocument(
        info.queue(),
        info.pausedAt() != null,
        info.pausedAt(),
        Millis.of(info.settings().doneKeep()),
        deadKeep == null ? null : Millis.of(deadKeep),
        info.settings().deliveryLimit(),
        info.settings().defaultLimitKey(),
        info.limits().stream()
            .map(l -> new JobWire.JobKeyLimit(l.key(), l.maxRunning(), null, null, null))
            .toList());
  }

  static JobWire.JobQueueStats stats(JobStats stats) {
    Map<String, JobWire.JobCount> counts = new LinkedHashMap<>();
    stats.counts().entrySet().stream()
        .sorted(Map.Entry.comparingByKey())
        .forEach(entry -> counts.put(entry.getKey().text(), count(entry.getValue())));
    return new JobWire.JobQueueStats(
        stats.queue(),
        counts,
        stats.oldestReady(),
        stats.oldestDead(),
        count(stats.finishedLastMinute()),
        count(stats.diedLastMinute()));
  }

  private static JobWire.JobCount count(JobStats.Count count) {
    return new JobWire.JobCount(count.count(), Fields.flag(count.isCapped()));
  }

  /** A worker, with those of its queues that the caller may know of. */
  static JobWire.JobWorkerDocument worker(WorkerInfo worker, Caller caller) {
    return new JobWire.JobWorkerDocument(
        worker.id(),
        worker.host(),
        worker.queues().stream().filter(caller::sees).toList(),
        worker.types(),
        worker.slots(),
        worker.startedAt(),
        worker.seenAt());
  }

  static JobWire.JobScheduleDocument schedule(Schedule schedule) {
    NewJob job = schedule.spec().job();
    return new JobWire.JobScheduleDocument(
        schedule.name(),
        String.valueOf(job.queue()),
        job.type(),
        String.valueOf(Fields.base64(job.payload())),
        job.priority(),
        job.maxAttempts(),
        job.timeout().toNanos(),
        job.limitKey(),
        schedule.spec().cron(),
        schedule.spec().zone(),
        schedule.spec().missed().text(),
        schedule.spec().overlap().text(),
        schedule.isEnabled(),
        schedule.nextAt(),
        schedule.lastSlot(),
        schedule.lastJobId());
  }

  static JobWire.JobExplainReply explanation(Explanation explanation) {
    return new JobWire.JobExplainReply(
        explanation.state().text(),
        explanation.reasons().stream()
            .map(
                r ->
                    new JobWire.JobReason(
                        r.code().name(), r.text(), r.since(), r.until(), r.holder(), r.action()))
            .toList());
  }
}
