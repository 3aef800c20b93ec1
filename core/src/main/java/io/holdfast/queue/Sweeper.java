package io.holdfast.queue;

import io.holdfast.lease.Duty;
import io.holdfast.lease.StoreCall;
import io.holdfast.lease.Time;
import io.holdfast.lease.Trouble;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Does to items what the passing of time demands: scheduled ones become ready, leases run out,
 * items expire. Each partition has a moment at which it is looked at: the earliest deadline known
 * here, but no later than a few seconds, so that what a dead process left is found too. Looking
 * costs one statement for up to fifty partitions; only where something is due is swept.
 */
final class Sweeper implements Duty {
  private static final Logger LOG = LoggerFactory.getLogger(Sweeper.class);
  private static final int TOGETHER = 50;
  private static final int PAGE = 1000;
  private static final long ACTIVE_NANOS = TimeUnit.SECONDS.toNanos(5);
  private static final long IDLE_NANOS = TimeUnit.SECONDS.toNanos(60);
  private static final long SOON_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

  private final QueueEngine engine;
  private final Time time;
  private final Map<LivePartition, Watched> watched = new ConcurrentHashMap<>();
  private final Trouble trouble = new Trouble(LOG, "looking for due items");
  private volatile long earliestNanos;

  Sweeper(QueueEngine engine) {
    this.engine = engine;
    this.time = engine.time;
    this.earliestNanos = time.nanos();
  }

  /** A partition and when to look at it. */
  private static final class Watched {
    final LivePartition partition;
    long lookNanos;
    long lookedNanos;
    long activeNanos;
    int failures;

    Watched(LivePartition partition, long nowNanos) {
      this.partition = partition;
      this.lookNanos = nowNanos;
      this.lookedNanos = nowNanos - SOON_NANOS;
      this.activeNanos = nowNanos - IDLE_NANOS;
    }
  }

  void add(LivePartition partition) {
    if (watched.putIfAbsent(partition, new Watched(partition, time.nanos())) == null) {
      arm(partition, time.nanos(), false);
    }
  }

  void remove(LivePartition partition) {
    watched.remove(partition);
  }

  /** Something will be due there after {@code delay}, as far as is known here. */
  void dueIn(LivePartition partition, Duration delay) {
    arm(partition, Time.after(time.nanos(), delay.toMillis()), true);
  }

  /** Something was scheduled there: asks the store when it is due, though not over and over. */
  void lookSoon(LivePartition partition) {
    Watched entry = watched.get(partition);
    if (entry != null) {
      long now = time.nanos();
      long soon = entry.lookedNanos + SOON_NANOS;
      arm(partition, soon - now > 0 ? soon : now, true);
    }
  }

  private void arm(LivePartition partition, long dueNanos, boolean isActivity) {
    Watched entry = watched.get(partition);
    if (entry == null) {
      return;
    }
    boolean isEarlier;
    // Where something goes on here, others may be at it too, and what they leave must be found.
    long cap = time.nanos() + ACTIVE_NANOS;
    long nanos = isActivity && dueNanos - cap > 0 ? cap : dueNanos;
    synchronized (entry) {
      if (isActivity) {
        entry.activeNanos = time.nanos();
      }
      if (nanos - entry.lookNanos < 0 || !isActivity) {
        entry.lookNanos = nanos;
      }
      isEarlier = entry.lookNanos - earliestNanos < 0;
    }
    if (isEarlier) {
      synchronized (this) {
        if (nanos - earliestNanos < 0) {
          earliestNanos = nanos;
        }
      }
      engine.wake(this);
    }
  }

  @Override
  public int work() {
    long now = time.nanos();
    List<Watched> due = new ArrayList<>();
    for (Watched entry : watched.values()) {
      synchronized (entry) {
        if (entry.lookNanos - now <= 0) {
          due.add(entry);
        }
      }
    }
    for (int from = 0; from < due.size(); from += TOGETHER) {
      look(due.subList(from, Math.min(due.size(), from + TOGETHER)));
    }
    synchronized (this) {
      earliestNanos = earliest();
    }
    return due.size();
  }

  private long earliest() {
    long earliest = time.nanos() + IDLE_NANOS;
    for (Watched entry : watched.values()) {
      synchronized (entry) {
        earliest = entry.lookNanos - earliest < 0 ? entry.lookNanos : earliest;
      }
    }
    return earliest;
  }

  @Override
  public long dueNanos() {
    return earliestNanos;
  }

  private void look(List<Watched> entries) {
    long now = time.nanos();
    entries.forEach(entry -> lookAgain(entry, now, now + ACTIVE_NANOS));
    List<ItemLifecycle.Info> infos;
    try {
      List<Partition> partitions = entries.stream().map(entry -> entry.partition.store).toList();
      infos =
          engine.call(
              () -> engine.backend.partitions().lifecycleInfo(partitions, engine.storeCall()));
    } catch (RuntimeException e) {
      trouble.failed(e);
      return;
    }
    trouble.worked();
    for (int i = 0; i < entries.size(); i++) {
      follow(entries.get(i), infos.get(i));
    }
  }

  private void follow(Watched entry, ItemLifecycle.Info info) {
    if (info.earliest().isEmpty() || info.earliest().getAsLong() > 0) {
      long now = time.nanos();
      boolean isActive = entry.activeNanos + IDLE_NANOS - now > 0;
      long cap = now + (isActive ? ACTIVE_NANOS : IDLE_NANOS);
      long micros = info.earliest().orElse(Long.MAX_VALUE);
      long due = micros > TimeUnit.NANOSECONDS.toMicros(IDLE_NANOS) ? cap : now + micros * 1000;
      lookAgain(entry, now, due - cap < 0 ? due : cap);
      return;
    }
    try {
      boolean isMore = sweep(entry.partition);
      entry.failures = 0;
      lookAgain(entry, time.nanos(), time.nanos() + (isMore ? SOON_NANOS : 0));
    } catch (RuntimeException e) {
      entry.failures++;
      long pause = Math.min(ACTIVE_NANOS, SOON_NANOS << Math.min(10, entry.failures));
      lookAgain(entry, time.nanos(), time.nanos() + pause);
      LOG.warn("sweeping a partition failed and is repeated: {}", e.getMessage());
    }
  }

  private static void lookAgain(Watched entry, long nowNanos, long atNanos) {
    synchronized (entry) {
      entry.lookedNanos = nowNanos;
      entry.lookNanos = atNanos;
    }
  }

  /** Sweeps until nothing is due; true when it stopped because somebody else is at it. */
  private boolean sweep(LivePartition partition) {
    boolean isBusy = pages(partition, partition.store::scanScheduled);
    return pages(partition, partition.store::scanActions) || isBusy;
  }

  /** One of the two scans. */
  private interface Scan {
    List<ItemLifecycle.Due> page(int limit, StoreCall call);
  }

  private boolean pages(LivePartition partition, Scan scan) {
    while (true) {
      List<ItemLifecycle.Due> page = engine.call(() -> scan.page(PAGE, engine.storeCall()));
      if (page.isEmpty()) {
        return false;
      }
      Changes changes = engine.call(() -> partition.store.takeAction(page, engine.storeCall()));
      LiveQueue queue = engine.known(partition.store.queue().name());
      if (queue != null) {
        queue.changed(partition, changes);
      }
      if (changes.equals(Changes.NONE)) {
        return true;
      }
    }
  }
}
