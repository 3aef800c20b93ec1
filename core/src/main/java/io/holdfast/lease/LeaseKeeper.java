package io.holdfast.lease;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Renews leases and tells their holders when they are lost. Safe for use by many threads.
 *
 * <p>Each lease is renewed every third of its ttl. Leases that are due about the same time share
 * one call to the store, which never waits for a lock: a lease that something else is working on
 * comes back as busy and is renewed alone, on another thread, so that it cannot hold up the rest.
 *
 * <p>Three things decide whether a holder is told in time.
 *
 * <ul>
 *   <li>A renewal counts from when it was <em>asked</em>, not answered. A slow answer therefore
 *       never stretches the trust in a lease beyond what the store granted.
 *   <li>An error is not an answer. The lease may still be good, so renewals are repeated until the
 *       trust deadline; only then is it lost. That deadline is watched by a duty of its own,
 *       because the one that renews may be stuck in the very call that fails.
 *   <li>A loss is final. A renewal that succeeds after the loss was announced changes nothing: the
 *       holder has been told to stop and may have done so.
 * </ul>
 */
public final class LeaseKeeper implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(LeaseKeeper.class);
  private static final int BATCH = 200;

  /** The shortest ttl that can be renewed. */
  public static final long MIN_TTL_MS = 100;

  private static final long FAR_NANOS = TimeUnit.HOURS.toNanos(1);

  /** The store's side of renewing. */
  public interface Renewer {
    /** Renews many in one call that never waits; answers in the order asked. */
    List<Renewal> renewAll(List<Lease> leases);

    /** Renews one, waiting for it if need be. */
    Renewal renewOne(Lease lease);
  }

  private final Time time;
  private final Renewer renewer;
  private final Reserve reserve;
  private final Set<KeptLease> leases = ConcurrentHashMap.newKeySet();
  private final ExecutorService tasks = Background.tasks("holdfast-lease");
  private final Duty renewals = new Renewals();
  private final Duty deadlines = new Deadlines();
  private final DutyRunner renewing;
  private final DutyRunner watching;
  private final Object reserveLock = new Object();
  private boolean reserved;

  /** A keeper without leases and without threads. */
  public LeaseKeeper(Time time, Renewer renewer, Reserve reserve) {
    this.time = time;
    this.renewer = renewer;
    this.reserve = reserve;
    this.renewing = new DutyRunner("holdfast-renew", renewals, time);
    this.watching = new DutyRunner("holdfast-watch", deadlines, time);
  }

  /** Whether a lease lives long enough to be renewed: 100 ms. */
  public static boolean canKeep(Lease lease) {
    return lease.ttl().toMillis() >= MIN_TTL_MS;
  }

  /** Keeps {@code lease}, in which {@code trust} holds now, until it is lost or ended. */
  public KeptLease keep(Lease lease, Trust trust, KeptLease.Listener listener) {
    KeptLease kept = new KeptLease(lease, trust, listener, this::announce);
    kept.renewAt(trust.sinceNanos() + third(lease));
    leases.add(kept);
    renewing.wake();
    watching.wake();
    return kept;
  }

  /** Says that the holder extended {@code lease} itself, by {@code ttl} instead of its own. */
  public void extended(KeptLease lease, Duration ttl) {
    lease.renewBy(time.nanos() + Time.after(0, ttl.toMillis()) / 3);
    renewing.wake();
    watching.wake();
  }

  /** Stops keeping {@code lease}; a renewal under way may still arrive and does no harm. */
  public void end(KeptLease lease) {
    lease.end();
    leases.remove(lease);
    if (leases.isEmpty()) {
      renewing.wake();
    }
  }

  /** How many leases are kept. */
  public int size() {
    return leases.size();
  }

  /** The duty that renews, for tests to step. */
  public Duty renewals() {
    return renewals;
  }

  /** The duty that announces passed deadlines, for tests to step. */
  public Duty deadlines() {
    return deadlines;
  }

  /** Ends keeping without announcing losses. */
  @Override
  public void close() {
    leases.forEach(KeptLease::end);
    leases.clear();
    renewing.close();
    watching.close();
    if (!tasks.isShutdown()) {
      tasks.execute(this::updateReserve); // may have to wait for a connection that is being made
    }
    tasks.shutdown();
    try {
      if (!tasks.awaitTermination(2, TimeUnit.SECONDS)) {
        tasks.shutdownNow();
      }
    } catch (InterruptedException e) {
      tasks.shutdownNow();
      Thread.currentThread().interrupt();
    }
  }

  private void announce(KeptLease lease, LossReason reason) {
    leases.remove(lease);
    tasks.execute(
        () -> {
          try {
            lease.listener().lost(reason);
          } catch (RuntimeException e) {
            LOG.warn("a loss listener failed: {}", e.getMessage(), e);
          }
        });
  }

  private void renewBatch(List<KeptLease> batch) {
    long askedNanos = time.nanos();
    List<Renewal> answers;
    try {
      answers = renewer.renewAll(batch.stream().map(KeptLease::lease).toList());
    } catch (RuntimeException e) {
      LOG.warn("renewing {} leases failed and is repeated: {}", batch.size(), e.getMessage());
      batch.forEach(lease -> failed(lease, e));
      return;
    }
    for (int i = 0; i < batch.size(); i++) {
      KeptLease lease = batch.get(i);
      if (answers.get(i).status() == Renewal.Status.BUSY) {
        tasks.execute(() -> renewAlone(lease));
      } else {
        take(lease, answers.get(i), askedNanos);
      }
    }
  }

  private void renewAlone(KeptLease lease) {
    long askedNanos = time.nanos();
    try {
      take(lease, renewer.renewOne(lease.lease()), askedNanos);
    } catch (RuntimeException e) {
      LOG.warn("renewing a lease failed and is repeated: {}", e.getMessage());
      failed(lease, e);
    }
    renewing.wake();
  }

  private void take(KeptLease lease, Renewal answer, long askedNanos) {
    switch (answer.status()) {
      case RENEWED -> {
        if (lease.renewed(askedNanos, askedNanos + third(lease.lease()))) {
          notifyRenewed(lease, answer.expiresAtMs());
        } else {
          lease.lose(LossReason.DEADLINE);
        }
      }
      case NOT_FOUND -> lease.lose(LossReason.NOT_FOUND);
      case EXPIRED -> lease.lose(LossReason.EXPIRED);
      case BUSY -> repeatSoon(lease);
    }
  }

  private void notifyRenewed(KeptLease lease, long expiresAtMs) {
    try {
      lease.listener().renewed(expiresAtMs);
    } catch (RuntimeException e) {
      LOG.warn("a renewal listener failed: {}", e.getMessage(), e);
    }
  }

  private void failed(KeptLease lease, RuntimeException failure) {
    try {
      lease.listener().failed(failure);
    } catch (RuntimeException e) {
      LOG.warn("a renewal listener failed: {}", e.getMessage(), e);
    }
    repeatSoon(lease);
  }

  private void repeatSoon(KeptLease lease) {
    long pause = Math.min(TimeUnit.SECONDS.toNanos(1), third(lease.lease()) / 4);
    lease.repeatAt(time.nanos() + pause);
    renewing.wake();
  }

  /** Takes the reserve with the first lease and gives it back with the last. */
  private void updateReserve() {
    synchronized (reserveLock) {
      boolean wanted = !leases.isEmpty();
      if (wanted == reserved) {
        return;
      }
      try {
        if (wanted) {
          reserve.take();
        } else {
          reserve.giveBack();
        }
        reserved = wanted;
      } catch (RuntimeException e) {
        LOG.warn("renewals go without their reserve for now: {}", e.getMessage());
      }
    }
  }

  private static long third(Lease lease) {
    return Time.after(0, lease.ttl().toMillis()) / 3;
  }

  /** Renews what is due, in batches; slightly early ones join, so that batches are large. */
  private final class Renewals implements Duty {
    @Override
    public int work() {
      updateReserve();
      List<KeptLease> due = new ArrayList<>();
      for (KeptLease lease : leases) {
        if (lease.pastDeadline()) {
          lease.lose(LossReason.DEADLINE);
        } else if (lease.startRenewal(time.nanos(), third(lease.lease()) / 10)) {
          due.add(lease);
        }
      }
      for (int from = 0; from < due.size(); from += BATCH) {
        renewBatch(due.subList(from, Math.min(due.size(), from + BATCH)));
      }
      return due.size();
    }

    @Override
    public long dueNanos() {
      long far = time.nanos() + FAR_NANOS;
      return earliest(leases.stream().mapToLong(lease -> lease.nextNanos(far)));
    }
  }

  /** Announces the loss of leases whose trust deadline has passed. */
  private final class Deadlines implements Duty {
    @Override
    public int work() {
      int lost = 0;
      for (KeptLease lease : leases) {
        if (lease.pastDeadline() && lease.lose(LossReason.DEADLINE)) {
          lost++;
        }
      }
      return lost;
    }

    @Override
    public long dueNanos() {
      return earliest(leases.stream().mapToLong(KeptLease::deadlineNanos));
    }
  }

  private long earliest(LongStream moments) {
    long now = time.nanos();
    return now + moments.map(moment -> moment - now).min().orElse(FAR_NANOS);
  }
}
