package io.holdfast.client.job;

import io.holdfast.client.http.RawJson;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A job as it goes over the wire. What is not known, or was not asked for, is left out.
 *
 * @param payload as JSON, if that was asked for and it is JSON
 * @param payloadBase64 as bytes otherwise
 * @param deliveries leases handed out
 * @param fence the same, in an answer to {@code reserve}
 * @param token what names the run, in an answer to {@code reserve} only
 * @param leaseExpiresAt when the run must end, in an answer to {@code reserve}
 * @param lease who runs it
 */
public record JobDocument(
    String id,
    String type,
    String queue,
    String state,
    @Nullable RawJson payload,
    @Nullable String payloadBase64,
    @Nullable Instant runAt,
    long timeoutNanos,
    Instant createdAt,
    int attempts,
    int maxAttempts,
    String lastError,
    @Nullable Instant failedAt,
    int priority,
    int deliveries,
    int excused,
    @Nullable Integer fence,
    @Nullable String token,
    @Nullable Instant leaseExpiresAt,
    @Nullable Lease lease,
    @Nullable String idempotencyKey,
    @Nullable String limitKey,
    @Nullable String traceId,
    @Nullable Boolean cancelRequested,
    @Nullable Integer progress,
    @Nullable String note,
    @Nullable String checkpointBase64,
    @Nullable String outcome,
    @Nullable Instant finishedAt,
    @Nullable String outputBase64,
    @Nullable String dlqReason,
    @Nullable Instant dlqFailedAt,
    @Nullable Integer dlqAttempts,
    @Nullable Integer dlqCount) {
  /** Who runs it, and until when. */
  public record Lease(Instant expiresAt, @Nullable String owner) {}
}
