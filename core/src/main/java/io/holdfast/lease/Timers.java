package io.holdfast.lease;

import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;

/**
 * Runs short actions at their moments, on the thread that steps this duty. Safe for use by many
 * threads.
 */
public final class Timers implements Duty {
  private static final long FAR_NANOS = TimeUnit.HOURS.toNanos(1);

  private final Time time;
  private final Runnable earlier;
  private final TreeSet<Timer> timers = new TreeSet<>();
  private long made;

  /** Without timers; {@code earlier} is told when one is due before all others. */
  public Timers(Time time, Runnable earlier) {
    this.time = time;
    this.earlier = earlier;
  }

  /** One action that has not run yet. */
  public final class Timer implements Comparable<Timer> {
    private final long dueNanos;
    private final long number;
    private final Runnable action;

    private Timer(long dueNanos, long number, Runnable action) {
      this.dueNanos = dueNanos;
      this.number = number;
      this.action = action;
    }

    /** Takes it back, unless it is running already. */
    public void cancel() {
      synchronized (Timers.this) {
        timers.remove(this);
      }
    }

    @Override
    public int compareTo(Timer other) {
      long difference = dueNanos - other.dueNanos;
      return difference == 0 ? Long.compare(number, other.number) : Long.signum(difference);
    }
  }

  /** Runs {@code action} at {@code dueNanos}; it must not block. */
  public Timer at(long dueNanos, Runnable action) {
    Timer timer;
    boolean isFirst;
    synchronized (this) {
      timer = new Timer(dueNanos, made++, action);
      timers.add(timer);
      isFirst = timers.first() == timer;
    }
    if (isFirst) {
      earlier.run();
    }
    return timer;
  }

  @Override
  public int work() {
    List<Timer> due = new ArrayList<>();
    synchronized (this) {
      long now = time.nanos();
      while (!timers.isEmpty() && timers.first().dueNanos - now <= 0) {
        due.add(timers.pollFirst());
      }
    }
    due.forEach(timer -> timer.action.run());
    return due.size();
  }

  @Override
  public synchronized long dueNanos() {
    return timers.isEmpty() ? time.nanos() + FAR_NANOS : timers.first().dueNanos;
  }
}
