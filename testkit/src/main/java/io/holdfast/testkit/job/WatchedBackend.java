package io.holdfast.testkit.job;

import io.holdfast.job.Extended;
import io.holdfast.job.Held;
import io.holdfast.job.JobAdmin;
import io.holdfast.job.JobBackend;
import io.holdfast.job.JobLimits;
import io.holdfast.job.JobReader;
import io.holdfast.job.JobRow;
import io.holdfast.job.JobSchedules;
import io.holdfast.job.JobStore;
import io.holdfast.job.JobTransactions;
import io.holdfast.job.JobUpkeep;
import io.holdfast.job.ReserveRequest;
import io.holdfast.job.Reserved;
import io.holdfast.job.Settlement;
import io.holdfast.lease.Hints;
import io.holdfast.lease.StoreCall;
import io.holdfast.lease.Time;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** A store that tells how often jobs were asked for, and can keep an answer back. */
final class WatchedBackend implements JobBackend {
  private final JobBackend backend;
  private final Watched store;
  private final AtomicInteger begun = new AtomicInteger();
  private final AtomicInteger ended = new AtomicInteger();
  private volatile @Nullable CountDownLatch gate;

  WatchedBackend(JobBackend backend) {
    this.backend = backend;
    this.store = new Watched(backend.store());
  }

  /** How many wishes for jobs have come so far. */
  int wishes() {
    return begun.get();
  }

  /** How many of them the store has answered. */
  int answers() {
    return ended.get();
  }

  /** From now on the answers to wishes for jobs are kept back, until the gate is opened. */
  CountDownLatch holdAnswers() {
    CountDownLatch latch = new CountDownLatch(1);
    gate = latch;
    return latch;
  }

  private final class Watched implements JobStore {
    private final JobStore all;

    Watched(JobStore all) {
      this.all = all;
    }

    @Override
    public Stored enqueue(List<JobRow> rows, StoreCall call) {
      return all.enqueue(rows, call);
    }

    @Override
    public Reserved reserve(ReserveRequest request, StoreCall call) {
      begun.incrementAndGet();
      Reserved reserved = all.reserve(request, call);
      ended.incrementAndGet();
      CountDownLatch latch = gate;
      try {
        if (latch != null) {
          latch.await();
        }
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
      return reserved;
    }

    @Override
    public Answer settle(List<? extends Settlement> items, StoreCall call) {
      return all.settle(items, call);
    }

    @Override
    public Exchanged settleAndReserve(
        List<? extends Settlement> items, ReserveRequest request, StoreCall call) {
      return all.settleAndReserve(items, request, call);
    }

    @Override
    public List<Extended> extend(List<Held> items, Duration leaseFor, StoreCall call) {
      return all.extend(items, leaseFor, call);
    }

    @Override
    public List<Beat> beat(Heartbeat heartbeat, StoreCall call) {
      return all.beat(heartbeat, call);
    }

    @Override
    public Cancellations cancel(List<String> ids, StoreCall call) {
      return all.cancel(ids, call);
    }

    @Override
    public boolean isAcked(Held held, StoreCall call) {
      return all.isAcked(held, call);
    }
  }

  @Override
  public JobStore store() {
    return store;
  }

  @Override
  public JobReader reader() {
    return backend.reader();
  }

  @Override
  public JobAdmin admin() {
    return backend.admin();
  }

  @Override
  public JobLimits limits() {
    return backend.limits();
  }

  @Override
  public JobSchedules schedules() {
    return backend.schedules();
  }

  @Override
  public JobUpkeep upkeep() {
    return backend.upkeep();
  }

  @Override
  public JobTransactions transactions() {
    return backend.transactions();
  }

  @Override
  public Hints hints() {
    return backend.hints();
  }

  @Override
  public Time time() {
    return backend.time();
  }
}
