package io.holdfast.postgres;

import io.holdfast.lease.Background;
import io.holdfast.lease.Duty;
import io.holdfast.lease.DutyRunner;
import io.holdfast.lease.Time;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;

/**
 * Looks after the calls under way. A thread blocked in the driver cannot notice an interrupt, so
 * this one looks for it, together with passed time limits and cancelled tokens. It looks only while
 * there are calls, a few times in the time within which a stopped call has to end.
 */
final class Watcher implements Duty, AutoCloseable {
  private static final long TICK_MS = 50;
  private static final long IDLE_MS = Duration.ofMinutes(10).toMillis();

  private final Set<Watch> calls = ConcurrentHashMap.newKeySet();
  private final ExecutorService tasks = Background.tasks("holdfast-cancel");
  private final DutyRunner runner = new DutyRunner("holdfast-calls", this, Time.system());
  private volatile boolean idle = true;

  void add(Watch watch) {
    calls.add(watch);
    if (idle) {
      idle = false;
      runner.wake();
    }
  }

  void remove(Watch watch) {
    calls.remove(watch);
  }

  @Override
  public int work() {
    if (!calls.isEmpty()) {
      idle = false;
    } else {
      idle = true;
      // Checked again after saying so: a call that came in between finds a watcher that looks.
      if (!calls.isEmpty()) {
        idle = false;
      }
    }
    long now = System.nanoTime();
    for (Watch watch : calls) {
      if (watch.needsAttention(now)) {
        tasks.execute(watch::act);
      }
    }
    return 0;
  }

  @Override
  public long dueNanos() {
    return Time.after(System.nanoTime(), idle ? IDLE_MS : TICK_MS);
  }

  @Override
  public void close() {
    runner.close();
    tasks.shutdown();
  }
}
