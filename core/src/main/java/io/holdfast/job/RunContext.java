package io.holdfast.job;

import io.holdfast.ErrorCode;
import io.holdfast.lease.Cancellation;
import java.sql.Connection;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/** A run as its handler sees it. */
final class RunContext implements JobContext {
  private final Jobs door;
  private final JobEngine jobs;
  private final WorkerPlan plan;
  private final Run run;
  private final OptionalLong deadlineNanos;
  private byte @Nullable [] checkpoint;

  RunContext(Jobs door, JobEngine jobs, WorkerPlan plan, Run run, OptionalLong deadlineNanos) {
    this.door = door;
    this.jobs = jobs;
    this.plan = plan;
    this.run = run;
    this.deadlineNanos = deadlineNanos;
    this.checkpoint = job().progress().checkpoint();
  }

  private Job job() {
    return run.leased.job();
  }

  @Override
  public String id() {
    return job().id();
  }

  @Override
  public String type() {
    return job().type();
  }

  @Override
  public String queue() {
    return job().queue();
  }

  @Override
  public int attempt() {
    return job().history().attempts() + 1;
  }

  @Override
  public int maxAttempts() {
    return plan.policy().maximum(job().spec().maxAttempts());
  }

  @Override
  public OptionalLong deadlineNanos() {
    return deadlineNanos;
  }

  @Override
  public int fence() {
    return run.leased.fence();
  }

  @Override
  public Held held() {
    return run.held();
  }

  @Override
  public Optional<Instant> slot() {
    return Slots.of(job().spec().keys().idempotency());
  }

  @Override
  public Optional<String> traceId() {
    return Optional.ofNullable(job().spec().keys().trace());
  }

  @Override
  public synchronized Optional<byte[]> checkpoint() {
    byte[] saved = checkpoint;
    return saved == null ? Optional.empty() : Optional.of(saved.clone());
  }

  @Override
  public void saveCheckpoint(byte[] state) {
    report(new Settlement.Report(held(), null, null, state.clone()));
    synchronized (this) {
      checkpoint = state.clone();
    }
  }

  @Override
  public void progress(int percent, @Nullable String note) {
    report(new Settlement.Report(held(), percent, note, null));
  }

  private void report(Settlement.Report report) {
    Settled settled = door.settle(List.of(report)).get(0);
    JobError error = settled.error();
    if (error != null) {
      run.end(EndReason.LEASE_LOST);
      throw Settling.refusal(id(), error);
    }
    if (settled.isCancelRequested()) {
      run.end(EndReason.CANCELLED);
    }
  }

  @Override
  public Cancellation cancellation() {
    return run.ending;
  }

  @Override
  public Optional<EndReason> endReason() {
    return Optional.ofNullable(run.endReason());
  }

  @Override
  public Enqueued enqueue(NewJob job) {
    boolean isTraced = job.traceId() != null;
    return door.enqueue(isTraced ? job : job.traced(traceId().orElse(null)));
  }

  @Override
  public void completeIn(Connection connection, @Nullable Object output) {
    Settlement.Ack ack = new Settlement.Ack(held(), Outputs.encoded(plan.codec(), id(), output));
    guarding(() -> jobs.backend.transactions().ack(connection, ack));
    run.completed();
  }

  @Override
  public void guardIn(Connection connection) {
    guarding(() -> jobs.backend.transactions().guard(connection, held()));
  }

  /** While the handler's transaction holds the row, the lease needs no renewal. */
  private void guarding(Runnable call) {
    boolean isHeld = run.guarding();
    try {
      call.run();
      isHeld = true;
    } catch (JobException e) {
      if (e.error().code() == ErrorCode.LEASE_LOST || e.error() == JobError.JOB_NOT_INFLIGHT) {
        run.end(EndReason.LEASE_LOST);
      }
      throw e;
    } finally {
      run.guarded(isHeld, jobs.time.nanos());
    }
  }
}
