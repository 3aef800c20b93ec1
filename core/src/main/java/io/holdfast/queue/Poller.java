package io.holdfast.queue;

import io.holdfast.lease.Duty;
import io.holdfast.lease.Time;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds by itself what no event told of: for leases that wait, whether their partitions have
 * something; and from time to time how many items there really are, so that estimates do not drift.
 */
final class Poller implements Duty {
  private static final Logger LOG = LoggerFactory.getLogger(Poller.class);
  private static final int TOGETHER = 50;
  private static final int COUNT_CAP = 10_000;
  private static final long COUNT_EVERY_NANOS = TimeUnit.SECONDS.toNanos(30);

  private final QueueEngine engine;
  private final Time time;
  private long pollNanos;
  private long countNanos;

  Poller(QueueEngine engine) {
    this.engine = engine;
    this.time = engine.time;
    this.pollNanos = time.nanos() + engine.options.poll().toNanos();
    this.countNanos = time.nanos() + COUNT_EVERY_NANOS;
  }

  @Override
  public int work() {
    if (pollNanos - time.nanos() > 0) {
      return 0;
    }
    pollNanos = time.nanos() + engine.options.poll().toNanos();
    boolean isCounting = countNanos - time.nanos() <= 0;
    if (isCounting) {
      countNanos = time.nanos() + COUNT_EVERY_NANOS;
    }
    for (LiveQueue queue : engine.live()) {
      try {
        poll(queue);
        if (isCounting && queue.partitions().size() > 1) {
          count(queue);
        }
      } catch (RuntimeException e) {
        LOG.debug("polling failed: {}", e.getMessage());
      }
    }
    return 1;
  }

  private void poll(LiveQueue queue) {
    if (queue.leases.parked() == 0) {
      return;
    }
    List<LivePartition> healthy =
        queue.partitions().stream().filter(LivePartition::isHealthy).toList();
    for (int from = 0; from < healthy.size(); from += TOGETHER) {
      List<LivePartition> some = healthy.subList(from, Math.min(healthy.size(), from + TOGETHER));
      List<Partition> stores = new ArrayList<>();
      some.forEach(partition -> stores.add(partition.store));
      List<Boolean> found =
          engine.call(() -> engine.backend.partitions().probe(stores, engine.storeCall()));
      for (int i = 0; i < some.size(); i++) {
        if (found.get(i)) {
          queue.leases.wake(some.get(i), 0);
        }
      }
    }
  }

  /** Only the choice between partitions needs counts. */
  private void count(LiveQueue queue) {
    for (LivePartition partition : queue.partitions()) {
      int ready = engine.call(() -> partition.store.countReady(COUNT_CAP, engine.storeCall()));
      synchronized (queue.lock) {
        partition.counted(ready);
      }
    }
  }

  @Override
  public long dueNanos() {
    return pollNanos;
  }
}
