package io.holdfast.lock;

import io.holdfast.lease.Duty;
import io.holdfast.lease.Time;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Frees grants nobody knows of: an acquire was sent and its answer lost, so the key may be taken by
 * an id that no caller has. Each such id is released at 0, 1, 2, 4 ... s until the store says that
 * it was released or has expired. "Not found" ends nothing: the lost acquire may still be under
 * way.
 */
final class UnknownOutcomes implements Duty {
  private static final Logger LOG = LoggerFactory.getLogger(UnknownOutcomes.class);
  private static final int LIMIT = 1000;
  private static final long IDLE_NANOS = Duration.ofHours(1).toNanos();

  private record Lost(LockId id, int tries, long sinceNanos) {
    /** At 0, 1, 2, 4 ... s after the answer was lost. */
    long dueNanos() {
      return Time.after(sinceNanos, tries == 0 ? 0 : 1000L << Math.min(tries - 1, 20));
    }
  }

  private final Function<LockId, LockStore.Freed> release;
  private final Duration limit;
  private final Time time;
  private final LinkedBlockingQueue<Lost> queue = new LinkedBlockingQueue<>(LIMIT);

  UnknownOutcomes(Function<LockId, LockStore.Freed> release, Duration limit, Time time) {
    this.release = release;
    this.limit = limit;
    this.time = time;
  }

  /** Takes on {@code id}; when too many wait, the lease simply expires. */
  void add(LockId id) {
    long now = time.nanos();
    if (!queue.offer(new Lost(id, 0, now))) {
      LOG.warn("too many acquires with unknown outcome; a lease will expire by itself");
    }
  }

  @Override
  public int work() {
    List<Lost> all = new ArrayList<>();
    queue.drainTo(all);
    int done = 0;
    for (Lost lost : all) {
      if (lost.dueNanos() - time.nanos() > 0) {
        queue.add(lost);
      } else {
        done++;
        tryRelease(lost);
      }
    }
    return done;
  }

  @Override
  public long dueNanos() {
    long now = time.nanos();
    return now + queue.stream().mapToLong(lost -> lost.dueNanos() - now).min().orElse(IDLE_NANOS);
  }

  private void tryRelease(Lost lost) {
    if (!isOver(lost)) {
      Lost next = new Lost(lost.id, lost.tries + 1, lost.sinceNanos);
      if (next.dueNanos() - Time.after(lost.sinceNanos, limit.toMillis()) < 0) {
        queue.offer(next);
      }
    }
  }

  private boolean isOver(Lost lost) {
    try {
      return release.apply(lost.id).status() != LockStore.Freed.Status.NOT_FOUND;
    } catch (RuntimeException e) {
      LOG.debug("releasing a lost grant failed and is repeated: {}", e.getMessage());
      return false;
    }
  }
}
