package io.holdfast.client.job;

import io.holdfast.job.Cancelled;
import io.holdfast.job.Effects;
import io.holdfast.job.Enqueued;
import io.holdfast.job.Extended;
import io.holdfast.job.Held;
import io.holdfast.job.JobException;
import io.holdfast.job.JobRow;
import io.holdfast.job.LeasedJob;
import io.holdfast.job.NewJob;
import io.holdfast.job.PatientJobStore;
import io.holdfast.job.ReserveRequest;
import io.holdfast.job.Reserved;
import io.holdfast.job.Settlement;
import io.holdfast.job.WorkerInfo;
import io.holdfast.lease.StoreCall;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Storing, leasing and settling jobs as a server does it. Safe for use by many threads. */
final class HttpJobStore implements PatientJobStore {
  private static final int MOST_JOBS = 1_000;
  private static final Duration LONGEST_WAIT = Duration.ofSeconds(30);

  private final JobVerbs verbs;
  private final Settler settler;

  HttpJobStore(JobVerbs verbs) {
    this.verbs = verbs;
    this.settler = new Settler(verbs);
  }

  /** All or none, so what is too much for one call cannot be sent in several. */
  @Override
  public Stored enqueue(List<JobRow> rows, StoreCall call) {
    if (rows.size() > MOST_JOBS) {
      throw JobException.invalid("jobs must be 1 to " + MOST_JOBS + " over HTTP");
    }
    JobWire.JobEnqueue body =
        new JobWire.JobEnqueue(rows.stream().map(HttpJobStore::draft).toList());
    List<Enqueued> enqueued =
        verbs.change("enqueue", body, JobWire.JobEnqueueReply.class, call).results().stream()
            .map(one -> new Enqueued(one.id(), one.existed()))
            .toList();
    Set<String> queues = rows.stream().map(JobRow::queue).collect(Collectors.toSet());
    return new Stored(enqueued, new Effects(Set.of(), queues)); // the server does the rest
  }

  private static JobWire.JobDraft draft(JobRow row) {
    NewJob job = row.draft();
    NewJob.Import past = job.imported();
    return new JobWire.JobDraft(
        row.id(),
        job.type(),
        row.queue(),
        null,
        JobForms.base64(job.payload()),
        job.runAt(),
        JobForms.millis(job.delay()),
        job.timeout().toNanos(),
        job.maxAttempts(),
        job.priority(),
        row.keys().idempotency(),
        row.keys().limit(),
        row.keys().trace(),
        past == null ? null : past.attempts(),
        past == null ? null : past.lastError(),
        past == null ? null : past.failedAt(),
        past == null ? null : past.createdAt());
  }

  @Override
  public Reserved reserve(ReserveRequest request, StoreCall call) {
    return reserved(
        verbs.change("reserve", wish(request, null, null), JobWire.JobReserveReply.class, call));
  }

  @Override
  public Parked park(ReserveRequest request, Duration wait) {
    Duration longest = wait.compareTo(LONGEST_WAIT) > 0 ? LONGEST_WAIT : wait;
    String waitId = UUID.randomUUID().toString();
    return new ParkedReserve(
        verbs, wish(request, longest.toMillis(), waitId), HttpJobStore::reserved);
  }

  private static JobWire.JobReserve wish(
      ReserveRequest request, @Nullable Long waitMs, @Nullable String waitId) {
    return new JobWire.JobReserve(
        null,
        request.queues().stream().map(q -> new JobWire.JobShare(q.queue(), q.max())).toList(),
        request.limit(),
        Millis.of(request.leaseFor()),
        waitMs,
        waitId,
        request.worker(),
        null);
  }

  private static Reserved reserved(JobWire.JobReserveReply reply) {
    Long waitedMs = reply.waitedMs();
    return new Reserved(
        reply.jobs().stream().map(HttpJobStore::leased).toList(),
        new HashSet<>(reply.paused()),
        JobForms.is(reply.more()),
        reply.at(),
        reply.nextAt(),
        Duration.ofMillis(waitedMs == null ? 0 : waitedMs));
  }

  private static LeasedJob leased(JobDocument job) {
    return new LeasedJob(
        JobForms.job(job),
        Objects.requireNonNull(job.token(), "token"),
        Objects.requireNonNull(job.leaseExpiresAt(), "leaseExpiresAt"));
  }

  @Override
  public Answer settle(List<? extends Settlement> items, StoreCall call) {
    return new Answer(settler.settle(items, call), Effects.NONE);
  }

  /** Two calls: a reserve that fails leaves what was settled before as it is. */
  @Override
  public Exchanged settleAndReserve(
      List<? extends Settlement> items, ReserveRequest request, StoreCall call) {
    Answer answer = settle(items, call);
    try {
      return new Exchanged(answer, reserve(request, call));
    } catch (JobException e) {
      throw JobException.unknown(String.valueOf(e.getMessage()), e);
    }
  }

  @Override
  public List<Extended> extend(List<Held> items, Duration leaseFor, StoreCall call) {
    JobWire.JobExtend body = new JobWire.JobExtend(Millis.of(leaseFor), held(items));
    List<JobWire.JobExtended> results =
        verbs.look("extend", body, JobWire.JobExtendReply.class, call).results();
    List<Extended> extended = new ArrayList<>();
    for (int i = 0; i < items.size(); i++) {
      extended.add(extended(items.get(i), results.get(i)));
    }
    return extended;
  }

  private static List<JobWire.JobHeld> held(List<Held> items) {
    return items.stream().map(item -> new JobWire.JobHeld(item.id(), item.token())).toList();
  }

  private static Extended extended(Held held, JobWire.JobExtended one) {
    boolean isFine = one.ok() || JobForms.is(one.busy());
    String token = one.token();
    return new Extended(
        held.id(),
        JobFailures.refusal(isFine, one.code()),
        token == null ? held.token() : token,
        one.leaseExpiresAt(),
        JobForms.is(one.cancelRequested()));
  }

  @Override
  public List<Beat> beat(Heartbeat heartbeat, StoreCall call) {
    JobWire.JobHeartbeat body =
        new JobWire.JobHeartbeat(
            worker(heartbeat.worker()), Millis.of(heartbeat.leaseFor()), held(heartbeat.held()));
    List<JobWire.JobExtended> results =
        verbs.look("heartbeat", body, JobWire.JobExtendReply.class, call).results();
    List<Beat> beats = new ArrayList<>();
    for (int i = 0; i < results.size(); i++) {
      JobWire.JobExtended one = results.get(i);
      beats.add(new Beat(extended(heartbeat.held().get(i), one), JobForms.is(one.busy())));
    }
    return beats;
  }

  private static JobWire.@Nullable JobWorkerDocument worker(@Nullable WorkerInfo worker) {
    return worker == null
        ? null
        : new JobWire.JobWorkerDocument(
            worker.id(),
            worker.host(),
            worker.queues(),
            worker.types(),
            worker.slots(),
            null,
            null);
  }

  @Override
  public Cancellations cancel(List<String> ids, StoreCall call) {
    List<Cancelled> cancelled =
        verbs
            .change("cancel", new JobWire.JobCancel(ids), JobWire.JobCancelReply.class, call)
            .results()
            .stream()
            .map(one -> new Cancelled(one.id(), result(one.result())))
            .toList();
    return new Cancellations(cancelled, Effects.NONE);
  }

  private static Cancelled.Result result(String text) {
    return Cancelled.Result.valueOf(text.toUpperCase(Locale.ROOT));
  }

  /** Only a transaction of the handler's leaves that open, and over HTTP there is none. */
  @Override
  public boolean isAcked(Held held, StoreCall call) {
    return false;
  }
}
