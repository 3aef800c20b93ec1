package io.holdfast.testkit.lock.beyond;

import io.holdfast.lease.Time;
import io.holdfast.testkit.ManualTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A manual clock that knows which threads of the locks wait on it and until when, and that can stop
 * their background threads the way a paused process does. Safe for use by many threads.
 */
final class WatchedTime implements Time {
  private final ManualTime time;
  private final Map<Thread, Long> waiting = new ConcurrentHashMap<>();
  private final Object pause = new Object();
  private boolean paused;

  WatchedTime(ManualTime time) {
    this.time = time;
  }

  @Override
  public long nanos() {
    return time.nanos();
  }

  @Override
  public OptionalLong databaseMs() {
    return time.databaseMs();
  }

  @Override
  public void park(long untilNanos) {
    Thread me = Thread.currentThread();
    waiting.put(me, untilNanos);
    try {
      time.park(untilNanos);
    } finally {
      waiting.remove(me);
    }
    awaitResume(me);
  }

  /** From now on no background thread of the locks gets past its wait. */
  void pause() {
    synchronized (pause) {
      paused = true;
    }
  }

  void resume() {
    synchronized (pause) {
      paused = false;
      pause.notifyAll();
    }
  }

  /** Waits until so many threads wait on this clock, each for a moment that is still to come. */
  void awaitIdle(int threads) {
    Waits.until(() -> isIdle(threads), () -> waiting.size() + " threads wait, expected " + threads);
  }

  boolean isIdle(int threads) {
    long now = nanos();
    // One look at each: a thread that leaves meanwhile must be missed in the count as well.
    List<Long> moments = new ArrayList<>(waiting.values());
    return moments.size() >= threads
        && moments.stream().allMatch(untilNanos -> untilNanos - now > 0);
  }

  private void awaitResume(Thread me) {
    if (!me.getName().startsWith("holdfast-")) {
      return;
    }
    synchronized (pause) {
      while (paused) {
        try {
          pause.wait();
        } catch (InterruptedException e) {
          me.interrupt();
          return;
        }
      }
    }
  }
}
