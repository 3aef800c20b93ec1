package io.holdfast.server.job;

import io.holdfast.client.job.JobWire;
import io.holdfast.job.Enqueued;
import io.holdfast.job.Jobs;
import io.holdfast.job.NewJob;
import io.holdfast.server.http.Answer;
import io.holdfast.server.http.Exchange;
import io.holdfast.server.http.Role;
import io.holdfast.server.http.Routes;
import io.holdfast.server.http.WireJson;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** How jobs come in. */
final class EnqueueVerbs {
  /** A batch of ordinary jobs, or a single one of the largest payload that is usual. */
  private static final long BODY_LIMIT = 32L << 20;

  private final Jobs jobs;

  EnqueueVerbs(Jobs jobs) {
    this.jobs = jobs;
  }

  void mount(Routes routes) {
    routes.add(
        JobsApi.route("enqueue", Role.PRODUCE, "Stores jobs, all or none")
            .limit(BODY_LIMIT)
            .typed(JobWire.JobEnqueue.class, JobWire.JobEnqueueReply.class),
        this::enqueue);
  }

  private CompletableFuture<Answer> enqueue(Exchange exchange) {
    JobWire.JobEnqueue body = WireJson.read(exchange, JobWire.JobEnqueue.class);
    List<NewJob> drafts = new ArrayList<>();
    for (JobWire.JobDraft draft : Fields.items("jobs", body.jobs())) {
      drafts.add(job(exchange, draft));
    }
    return jobs.enqueueAsync(drafts).thenApply(EnqueueVerbs::answer);
  }

  private static Answer answer(List<Enqueued> enqueued) {
    return WireJson.answer(
        new JobWire.JobEnqueueReply(
            enqueued.stream().map(e -> new JobWire.JobEnqueued(e.id(), e.existed())).toList()));
  }

  private NewJob job(Exchange exchange, JobWire.JobDraft draft) {
    exchange.caller().require(Fields.or(draft.queue(), jobs.defaultQueue()));
    return past(exchange, draft)
        .id(draft.id())
        .queue(draft.queue())
        .payload(Fields.content("payload", draft.payload(), draft.payloadBase64()))
        .runAt(draft.runAt())
        .runIn(Fields.time("delayMs", draft.delayMs()))
        .timeout(Duration.ofNanos(Fields.or(draft.timeoutNanos(), 0L)))
        .maxAttempts(Fields.or(draft.maxAttempts(), 0))
        .priority(Fields.or(draft.priority(), 0))
        .once(draft.idempotencyKey())
        .limitedBy(draft.limitKey())
        .traced(draft.traceId());
  }

  /** A past elsewhere is for administrators to bring. */
  private static NewJob past(Exchange exchange, JobWire.JobDraft draft) {
    NewJob job = NewJob.of(Fields.or(draft.type(), ""));
    if (draft.attempts() == null
        && draft.lastError() == null
        && draft.failedAt() == null
        && draft.createdAt() == null) {
      return job;
    }
    exchange.caller().require(Role.ADMIN);
    return job.imported(
        new NewJob.Import(
            Fields.or(draft.attempts(), 0),
            Fields.or(draft.lastError(), ""),
            draft.failedAt(),
            draft.createdAt()));
  }
}
