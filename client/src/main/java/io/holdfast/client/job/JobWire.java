package io.holdfast.client.job;

import com.fasterxml.jackson.databind.JsonNode;
import io.holdfast.client.http.RawJson;
import java.math.BigDecimal;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What goes over HTTP about jobs, to {@code POST /v1/jobs.<verb>} and back. Instants are RFC 3339
 * in UTC with six digits; times in milliseconds may have a fraction, down to the microsecond; bytes
 * are base64.
 */
public final class JobWire {
  private JobWire() {}

  /** {@code enqueue}: up to 1,000, all or none. */
  public record JobEnqueue(@Nullable List<JobDraft> jobs) {}

  /**
   * A job to enqueue. Its payload is any JSON or bytes; it runs at an instant or after a delay.
   *
   * @param attempts and the three after it: a past elsewhere, for administrators
   */
  public record JobDraft(
      @Nullable String id,
      @Nullable String type,
      @Nullable String queue,
      @Nullable RawJson payload,
      @Nullable String payloadBase64,
      @Nullable Instant runAt,
      @Nullable BigDecimal delayMs,
      @Nullable Long timeoutNanos,
      @Nullable Integer maxAttempts,
      @Nullable Integer priority,
      @Nullable String idempotencyKey,
      @Nullable String limitKey,
      @Nullable String traceId,
      @Nullable Integer attempts,
      @Nullable String lastError,
      @Nullable Instant failedAt,
      @Nullable Instant createdAt) {}

  /** What became of them, in their order. */
  public record JobEnqueueReply(List<JobEnqueued> results) {}

  /** What became of one. */
  public record JobEnqueued(String id, boolean existed) {}

  /**
   * {@code reserve}: from one queue, or from several.
   *
   * @param limit 1 unless said otherwise
   * @param leaseMs 30,000 unless said otherwise
   * @param waitMs how long to wait for the first, up to 30,000
   * @param waitId the client's name for this wait, used once, so that {@code leave} can end it
   * @param json payloads as JSON where they are
   */
  public record JobReserve(
      @Nullable String queue,
      @Nullable List<JobShare> queues,
      @Nullable Integer limit,
      @Nullable BigDecimal leaseMs,
      @Nullable Long waitMs,
      @Nullable String waitId,
      @Nullable String worker,
      @Nullable Boolean json) {}

  /** A queue's part. */
  public record JobShare(@Nullable String name, @Nullable Integer max) {}

  /**
   * What was leased.
   *
   * @param paused queues that give nothing
   * @param more whether asking again at once may bring some
   * @param at the database's clock
   * @param nextAt when there may be something
   * @param waitedMs for how long the request had waited when the jobs were leased
   */
  public record JobReserveReply(
      List<JobDocument> jobs,
      List<String> paused,
      @Nullable Boolean more,
      Instant at,
      @Nullable Instant nextAt,
      @Nullable Long waitedMs) {}

  /** {@code leave}: the wait of this name ends now, with what it has. */
  public record JobLeave(@Nullable String waitId) {}

  /**
   * What became of it.
   *
   * @param ok whether it was there to be ended
   */
  public record JobLeaveReply(boolean ok) {}

  /** {@code extend}. */
  public record JobExtend(@Nullable BigDecimal leaseMs, @Nullable List<JobHeld> items) {}

  /** One run. */
  public record JobHeld(@Nullable String id, @Nullable String token) {}

  /** {@code heartbeat}: like {@code extend}, waiting for nobody, and telling of the worker. */
  public record JobHeartbeat(
      @Nullable JobWorkerDocument worker,
      @Nullable BigDecimal leaseMs,
      @Nullable List<JobHeld> items) {}

  /** A worker. */
  public record JobWorkerDocument(
      @Nullable String id,
      @Nullable String host,
      @Nullable List<String> queues,
      @Nullable List<String> types,
      @Nullable Integer slots,
      @Nullable Instant startedAt,
      @Nullable Instant seenAt) {}

  /** What became of each. */
  public record JobExtendReply(List<JobExtended> results) {}

  /**
   * What became of one.
   *
   * @param busy whether somebody works on it right now: neither renewed nor lost
   */
  public record JobExtended(
      String id,
      boolean ok,
      @Nullable String token,
      @Nullable Instant leaseExpiresAt,
      @Nullable Boolean cancelRequested,
      @Nullable Boolean busy,
      @Nullable String code) {}

  /** {@code ack}. */
  public record JobAck(@Nullable List<JobAckItem> items) {}

  /** One that succeeded. */
  public record JobAckItem(
      @Nullable String id,
      @Nullable String token,
      @Nullable RawJson output,
      @Nullable String outputBase64) {}

  /** {@code retry}. */
  public record JobRetry(@Nullable List<JobRetryItem> items) {}

  /**
   * One that failed and is worth another try, at an instant, after a delay, or as the default
   * policy says.
   *
   * @param attempts failures including this one
   */
  public record JobRetryItem(
      @Nullable String id,
      @Nullable String token,
      @Nullable Instant runAt,
      @Nullable BigDecimal delayMs,
      @Nullable Boolean policy,
      @Nullable String error,
      @Nullable Integer attempts,
      @Nullable Instant failedAt) {}

  /** {@code fail}. */
  public record JobFail(@Nullable List<JobFailItem> items) {}

  /** One that is given up. */
  public record JobFailItem(
      @Nullable String id,
      @Nullable String token,
      @Nullable String reason,
      @Nullable String error,
      @Nullable Integer attempts) {}

  /** {@code release}. */
  public record JobRelease(@Nullable List<JobReleaseItem> items) {}

  /** One that ended without an outcome. */
  public record JobReleaseItem(
      @Nullable String id, @Nullable String token, @Nullable BigDecimal delayMs) {}

  /** {@code progress}. */
  public record JobProgress(@Nullable List<JobProgressItem> items) {}

  /** How far one is. */
  public record JobProgressItem(
      @Nullable String id,
      @Nullable String token,
      @Nullable Integer percent,
      @Nullable String note,
      @Nullable String checkpointBase64) {}

  /** What became of each. */
  public record JobSettleReply(List<JobSettled> results) {}

  /**
   * What became of one.
   *
   * @param dead whether the policy gave it up
   */
  public record JobSettled(
      String id,
      boolean ok,
      @Nullable Boolean repeated,
      @Nullable Boolean cancelled,
      @Nullable Boolean dead,
      @Nullable Boolean cancelRequested,
      @Nullable String code) {}

  /** {@code inspect}. */
  public record JobInspect(@Nullable String id, @Nullable Boolean withPayload) {}

  /** One job. */
  public record JobReply(JobDocument job) {}

  /** {@code explain}. */
  public record JobExplain(@Nullable String id) {}

  /** Why it stands where it stands. */
  public record JobExplainReply(String state, List<JobReason> reasons) {}

  /** One reason. */
  public record JobReason(
      String code,
      String text,
      @Nullable Instant since,
      @Nullable Instant until,
      @Nullable String holder,
      String action) {}

  /** {@code list} and {@code dlq.list}: a page of a queue, or the jobs of a trace. */
  public record JobList(
      @Nullable String queue,
      @Nullable String state,
      @Nullable String type,
      @Nullable Integer limit,
      @Nullable String cursor,
      @Nullable String traceId) {}

  /** A page. */
  public record JobListReply(List<JobDocument> jobs, @Nullable String nextCursor) {}

  /** {@code cancel}. */
  public record JobCancel(@Nullable List<String> ids) {}

  /** What became of each. */
  public record JobCancelReply(List<JobCancelled> results) {}

  /** {@code cancelled}, {@code requested}, {@code finished} or {@code not_found}. */
  public record JobCancelled(String id, String result) {}

  /** {@code requeue}. */
  public record JobRequeue(
      @Nullable List<String> ids,
      @Nullable String queue,
      @Nullable Instant runAt,
      @Nullable Boolean resetAttempts) {}

  /** What became of each. */
  public record JobRequeueReply(List<JobRequeued> results) {}

  /** What became of one. */
  public record JobRequeued(String id, boolean ok, @Nullable String code) {}

  /** {@code dlq.requeue} and {@code dlq.purge}; the last two are for the first. */
  public record JobDead(
      @Nullable String queue,
      @Nullable String type,
      @Nullable String reasonPrefix,
      @Nullable Instant failedBefore,
      @Nullable Instant failedAfter,
      @Nullable Integer limit,
      @Nullable Boolean resetAttempts,
      @Nullable BigDecimal spreadMs) {}

  /** How many, and whether there are others. */
  public record JobRequeuedReply(int requeued, boolean more) {}

  /** How many, and whether there are others. */
  public record JobPurgedReply(int purged, boolean more) {}

  /** A queue, or every one. */
  public record JobOfQueue(@Nullable String queue) {}

  /** {@code queues}. */
  public record JobQueuesReply(List<JobQueueDocument> queues) {}

  /** A queue as it is set up; without {@code dlqKeepMs}, dead letters stay for ever. */
  public record JobQueueDocument(
      String queue,
      boolean paused,
      @Nullable Instant pausedAt,
      BigDecimal doneKeepMs,
      @Nullable BigDecimal dlqKeepMs,
      int deliveryLimit,
      @Nullable String defaultLimitKey,
      List<JobKeyLimit> limits) {}

  /** How many jobs of a key may run at once; rates are not there yet. */
  public record JobKeyLimit(
      @Nullable String key,
      @Nullable Integer maxRunning,
      @Nullable BigDecimal rate,
      @Nullable BigDecimal perMs,
      @Nullable BigDecimal burst) {}

  /** {@code stats}. */
  public record JobStatsReply(List<JobQueueStats> queues) {}

  /** How much is in a queue. */
  public record JobQueueStats(
      String queue,
      Map<String, JobCount> counts,
      @Nullable Instant oldestReadyAt,
      @Nullable Instant oldestDeadAt,
      JobCount finishedLastMinute,
      JobCount diedLastMinute) {}

  /** A number of jobs; capped: there are more. */
  public record JobCount(int count, @Nullable Boolean capped) {}

  /** {@code workers}. */
  public record JobWorkersReply(List<JobWorkerDocument> workers) {}

  /** {@code queue.configure}; {@code dlqKeepMs} null means for ever. */
  public record JobConfigure(
      @Nullable String queue,
      @Nullable BigDecimal doneKeepMs,
      @Nullable JsonNode dlqKeepMs,
      @Nullable Integer deliveryLimit,
      @Nullable String defaultLimitKey,
      @Nullable List<JobKeyLimit> limits) {}

  /** {@code schedules.put}. */
  public record JobSchedulePut(
      @Nullable String name,
      @Nullable String queue,
      @Nullable String type,
      @Nullable RawJson payload,
      @Nullable String payloadBase64,
      @Nullable Integer priority,
      @Nullable Integer maxAttempts,
      @Nullable Long timeoutNanos,
      @Nullable String limitKey,
      @Nullable String cron,
      @Nullable String zone,
      @Nullable String missed,
      @Nullable String overlap) {}

  /** A schedule. */
  public record JobScheduleDocument(
      String name,
      String queue,
      String type,
      String payloadBase64,
      int priority,
      int maxAttempts,
      long timeoutNanos,
      @Nullable String limitKey,
      String cron,
      String zone,
      String missed,
      String overlap,
      boolean enabled,
      Instant nextAt,
      @Nullable Instant lastSlot,
      @Nullable String lastJobId) {}

  /** The other verbs of schedules. */
  public record JobScheduleName(@Nullable String name) {}

  /** {@code schedules.list}. */
  public record JobSchedulesReply(List<JobScheduleDocument> schedules) {}

  /** {@code schedules.trigger}. */
  public record JobTriggeredReply(String jobId) {}

  /** Nothing to say. */
  public record JobNothing() {}
}
