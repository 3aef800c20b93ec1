package io.holdfast.memory;

import io.holdfast.job.Bulk;
import io.holdfast.job.DeadQuery;
import io.holdfast.job.JobAdmin;
import io.holdfast.job.JobQueueInfo;
import io.holdfast.job.JobStats;
import io.holdfast.job.Requeue;
import io.holdfast.job.WorkerInfo;
import io.holdfast.lease.StoreCall;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What operators do to {@link MemoryJobData}. */
final class MemoryJobAdmin implements JobAdmin {
  private final MemoryJobData data;

  MemoryJobAdmin(MemoryJobData data) {
    this.data = data;
  }

  @Override
  public Requeues requeue(List<String> ids, Requeue how, StoreCall call) {
    synchronized (data) {
      return new MemoryJobRequeue(data, data.now()).all(ids, how);
    }
  }

  @Override
  public Revived requeueDead(
      DeadQuery query, boolean isResetting, Duration spread, StoreCall call) {
    synchronized (data) {
      return new MemoryJobRequeue(data, data.now()).dead(query, isResetting, spread);
    }
  }

  @Override
  public Bulk purgeDead(DeadQuery query, StoreCall call) {
    synchronized (data) {
      return new MemoryJobRequeue(data, data.now()).purge(query);
    }
  }

  @Override
  public void pause(String queue, @Nullable String by, StoreCall call) {
    synchronized (data) {
      MemoryJobQueue paused = data.queue(queue);
      paused.isConfigured = true;
      if (paused.pausedAt == null) {
        paused.pausedAt = data.now();
      }
    }
  }

  @Override
  public void resume(String queue, StoreCall call) {
    synchronized (data) {
      data.queue(queue).pausedAt = null;
    }
  }

  @Override
  public List<JobQueueInfo> queues(@Nullable String queue, StoreCall call) {
    synchronized (data) {
      if (queue != null) {
        return List.of(data.queue(queue).info());
      }
      return data.queues.values().stream()
          .filter(MemoryJobQueue::isKnown)
          .map(MemoryJobQueue::info)
          .toList();
    }
  }

  @Override
  public JobStats stats(String queue, StoreCall call) {
    synchronized (data) {
      return new MemoryJobStats(data.queue(queue), data.now()).all();
    }
  }

  @Override
  public List<WorkerInfo> workers(StoreCall call) {
    synchronized (data) {
      return List.copyOf(data.workers.values());
    }
  }
}
