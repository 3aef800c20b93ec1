package io.holdfast.memory;

import io.holdfast.job.Job;
import io.holdfast.job.JobParts.Position;
import io.holdfast.job.JobRow;
import io.holdfast.job.JobSpec;
import io.holdfast.job.JobState;
import io.holdfast.job.NewJob;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A job as it is stored, and the ways it moves from state to state. It moves only inside {@link
 * MemoryJobQueue#change}, which keeps the jobs of its queue in order.
 */
final class MemoryJob {
  /** The head start of one point of priority. */
  private static final Duration STEP = Duration.ofSeconds(60);

  /** Where a job stands; waiting for a due time or for its limit key is ready, too. */
  enum Status {
    READY,
    INFLIGHT,
    DONE,
    DLQ
  }

  /** The permission to run it. */
  record Lease(String token, Instant expiresAt, @Nullable String owner) {}

  final String id;
  final String queue;
  final JobSpec.Keys keys;
  final NewJob draft;
  final Instant createdAt;
  Status status = Status.READY;
  @Nullable Instant runAt;

  /** From when it waits, or will wait, for a slot of its limit key; null: it does not. */
  @Nullable Instant gateAt;

  /** Its place among jobs without a due time; null: that of its creation. */
  @Nullable Instant rankAt;

  @Nullable Lease lease;
  boolean isCancelRequested;
  int attempts;
  String lastError = "";
  @Nullable Instant failedAt;
  int deliveries;
  int excused;
  Job.Progress progress = Job.Progress.NONE;
  Job.@Nullable End end;
  Job.Dead dead = Job.Dead.NEVER;

  /** The token of the run that ended it; null: no run did. */
  @Nullable String lastToken;

  MemoryJob(JobRow row, JobSpec.Keys keys, Instant createdAt) {
    this.id = row.id();
    this.queue = row.queue();
    this.keys = keys;
    this.draft = row.draft();
    this.createdAt = createdAt;
    this.rankAt = draft.priority() == 0 ? null : ahead(createdAt);
  }

  JobState state(Instant now) {
    return switch (status) {
      case INFLIGHT -> JobState.INFLIGHT;
      case DLQ -> JobState.DLQ;
      case DONE -> isCancelled() ? JobState.CANCELLED : JobState.DONE;
      case READY ->
          gateAt != null ? JobState.GATED : isDue(now) ? JobState.READY : JobState.SCHEDULED;
    };
  }

  /** Bytes that go along with it to who runs it. */
  int size() {
    byte[] checkpoint = progress.checkpoint();
    return draft.payloadSize() + (checkpoint == null ? 0 : checkpoint.length);
  }

  boolean isCancelled() {
    return end != null && end.outcome() == Job.Outcome.CANCELLED;
  }

  /** Whether the run with this token ended it so. */
  boolean wasEnded(Job.Outcome outcome, String token) {
    return end != null && end.outcome() == outcome && token.equals(lastToken);
  }

  private boolean isDue(Instant now) {
    return runAt == null || !runAt.isAfter(now);
  }

  /** Whether it takes up a slot of its limit key. */
  boolean isHoldingSlot() {
    boolean isAlive = status == Status.READY || status == Status.INFLIGHT;
    return keys.limit() != null && gateAt == null && isAlive;
  }

  /** Its place among the jobs of its status. */
  Position place() {
    return switch (status) {
      case INFLIGHT -> new Position(lease == null ? null : lease.expiresAt(), null, id);
      case DONE -> new Position(end == null ? null : end.finishedAt(), null, id);
      case DLQ -> new Position(dead.failedAt(), null, id);
      case READY ->
          gateAt != null
              ? new Position(gateAt, keys.limit(), id)
              : new Position(runAt != null ? runAt : rank(), null, id);
    };
  }

  private Instant rank() {
    return rankAt == null ? createdAt : rankAt;
  }

  /** Since when it could be leased, less its head start; null: it cannot be leased now. */
  @Nullable Instant eligibleSince(Instant now) {
    if (lease != null) {
      return lease.expiresAt().isAfter(now) ? null : ahead(lease.expiresAt());
    }
    if (status != Status.READY || gateAt != null || !isDue(now)) {
      return null;
    }
    return runAt == null ? rank() : ahead(later(runAt, createdAt));
  }

  /** When it became due: of a waiting job, since when it waits; null: when it was made. */
  @Nullable Instant dueAt() {
    Instant due = gateAt == null ? runAt : gateAt;
    return gateAt != null && !gateAt.isAfter(createdAt) ? null : due;
  }

  static Instant later(Instant one, Instant other) {
    return one.isAfter(other) ? one : other;
  }

  private Instant ahead(Instant instant) {
    return instant.minus(STEP.multipliedBy(draft.priority()));
  }

  /** {@code ready or expired → inflight}; a due time is over once a lease has expired. */
  void run(Lease next) {
    runAt = status == Status.INFLIGHT ? null : runAt;
    status = Status.INFLIGHT;
    lease = next;
    deliveries++;
  }

  /** {@code → ready}, from {@code due} on or at once; under a limit key, by way of its gate. */
  void waitUntil(@Nullable Instant due, Instant now) {
    leave(Status.READY);
    boolean isKeyed = keys.limit() != null;
    gateAt = !isKeyed ? null : due == null ? now : due;
    runAt = isKeyed ? null : due;
  }

  /** Takes its place as if it had come now. */
  void rankFrom(Instant now) {
    rankAt = ahead(now);
  }

  /** {@code gated → ready}: a due time that it came with survives. */
  void admit() {
    runAt = dueAt();
    gateAt = null;
  }

  /** {@code inflight → ready}, to the place it was taken from. */
  void putBack() {
    leave(Status.READY);
  }

  /** One more failure, as long as they can be counted, or as many as are given. */
  void failed(@Nullable Integer total, String error, Instant at) {
    attempts = total == null ? Math.max(attempts, attempts + 1) : total;
    lastError = error;
    failedAt = at;
  }

  /** {@code inflight → done}. */
  void succeed(String token, byte @Nullable [] output, Instant now) {
    leave(Status.DONE);
    isCancelRequested = false;
    lastToken = token;
    end = new Job.End(Job.Outcome.SUCCEEDED, now, output == null ? null : output.clone());
  }

  /** {@code waiting or inflight → cancelled}. */
  void cancel(Instant now) {
    leave(Status.DONE);
    admit();
    isCancelRequested = false;
    lastToken = null;
    end = new Job.End(Job.Outcome.CANCELLED, now, null);
  }

  /** {@code inflight → dlq}; no token: no run decided that. */
  void die(String reason, @Nullable String token, Instant now) {
    leave(Status.DLQ);
    isCancelRequested = false;
    lastToken = token;
    failedAt = now;
    dead = new Job.Dead(reason, now, attempts, dead.count() + 1);
    end = new Job.End(Job.Outcome.FAILED, now, null);
  }

  /** {@code dlq or cancelled → waiting}: the past is forgotten, but not how often it died. */
  void revive(@Nullable Instant due, boolean isResetting, Instant now) {
    waitUntil(due, now);
    rankFrom(now);
    if (isResetting) {
      attempts = 0;
      lastError = "";
      failedAt = null;
    }
    excused = deliveries - attempts;
    isCancelRequested = false;
    lastToken = null;
    end = null;
    dead = new Job.Dead(null, null, dead.attempts(), dead.count());
  }

  private void leave(Status next) {
    status = next;
    lease = null;
  }
}
