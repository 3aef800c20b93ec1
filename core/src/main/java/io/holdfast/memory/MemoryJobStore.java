package io.holdfast.memory;

import io.holdfast.job.Cancelled;
import io.holdfast.job.Extended;
import io.holdfast.job.Held;
import io.holdfast.job.Job;
import io.holdfast.job.JobError;
import io.holdfast.job.JobRow;
import io.holdfast.job.JobStore;
import io.holdfast.job.ReserveRequest;
import io.holdfast.job.Reserved;
import io.holdfast.job.Settlement;
import io.holdfast.job.WorkerInfo;
import io.holdfast.lease.StoreCall;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Storing, leasing and settling in {@link MemoryJobData}. */
final class MemoryJobStore implements JobStore {
  private final MemoryJobData data;

  MemoryJobStore(MemoryJobData data) {
    this.data = data;
  }

  @Override
  public Stored enqueue(List<JobRow> rows, StoreCall call) {
    synchronized (data) {
      Instant now = data.now();
      return new MemoryJobEnqueue(data, now, new MemoryJobEffects(now)).all(rows);
    }
  }

  @Override
  public Reserved reserve(ReserveRequest request, StoreCall call) {
    synchronized (data) {
      return new MemoryJobReserve(data, request, data.now()).run();
    }
  }

  @Override
  public Answer settle(List<? extends Settlement> items, StoreCall call) {
    synchronized (data) {
      return new MemoryJobSettle(data, data.now()).all(items);
    }
  }

  @Override
  public Exchanged settleAndReserve(
      List<? extends Settlement> items, ReserveRequest request, StoreCall call) {
    synchronized (data) {
      Instant now = data.now();
      Answer answer = new MemoryJobSettle(data, now).all(items);
      return new Exchanged(answer, new MemoryJobReserve(data, request, now).run());
    }
  }

  @Override
  public List<Extended> extend(List<Held> items, Duration leaseFor, StoreCall call) {
    synchronized (data) {
      Instant now = data.now();
      Instant expiresAt = MemoryJobData.in(leaseFor, now);
      List<Extended> answers = new ArrayList<>();
      items.forEach(held -> answers.add(extend(held, expiresAt, now)));
      return List.copyOf(answers);
    }
  }

  private Extended extend(Held held, Instant expiresAt, Instant now) {
    JobError error = data.refusal(held, now);
    MemoryJob job = data.jobs.get(held.id());
    if (error != null || job == null || job.lease == null) {
      return Extended.refused(held, error == null ? JobError.JOB_NOT_INFLIGHT : error);
    }
    String owner = job.lease.owner();
    data.change(job, () -> job.lease = new MemoryJob.Lease(held.token(), expiresAt, owner));
    return new Extended(held.id(), null, held.token(), expiresAt, job.isCancelRequested);
  }

  /** Nobody is ever seen at work on a job here. */
  @Override
  public List<Beat> beat(Heartbeat heartbeat, StoreCall call) {
    synchronized (data) {
      if (heartbeat.worker() != null) {
        see(heartbeat.worker(), data.now());
      }
      return extend(heartbeat.held(), heartbeat.leaseFor(), call).stream()
          .map(extended -> new Beat(extended, false))
          .toList();
    }
  }

  private void see(WorkerInfo worker, Instant now) {
    WorkerInfo old = data.workers.get(worker.id());
    data.workers.put(
        worker.id(),
        new WorkerInfo(
            worker.id(),
            worker.host(),
            List.copyOf(worker.queues()),
            List.copyOf(worker.types()),
            worker.slots(),
            old == null ? now : old.startedAt(),
            now));
  }

  /** An id that is named twice is asked about once, and told the same twice. */
  @Override
  public Cancellations cancel(List<String> ids, StoreCall call) {
    synchronized (data) {
      Instant now = data.now();
      MemoryJobEffects effects = new MemoryJobEffects(now);
      Map<String, Cancelled> answers = new HashMap<>();
      for (String id : ids) {
        answers.computeIfAbsent(id, each -> new Cancelled(each, cancel(each, now, effects)));
      }
      return new Cancellations(ids.stream().map(answers::get).toList(), effects.all());
    }
  }

  private Cancelled.Result cancel(String id, Instant now, MemoryJobEffects effects) {
    MemoryJob job = data.jobs.get(id);
    if (job == null) {
      return Cancelled.Result.NOT_FOUND;
    }
    switch (job.status) {
      case READY:
        data.change(job, () -> job.cancel(now));
        effects.moved(job);
        return Cancelled.Result.CANCELLED;
      case INFLIGHT:
        job.isCancelRequested = true;
        return Cancelled.Result.REQUESTED;
      default:
        return Cancelled.Result.FINISHED;
    }
  }

  @Override
  public boolean isAcked(Held held, StoreCall call) {
    synchronized (data) {
      MemoryJob job = data.jobs.get(held.id());
      return job == null || job.wasEnded(Job.Outcome.SUCCEEDED, held.token());
    }
  }
}
