package io.holdfast.job;

import io.holdfast.lease.Time;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The jobs in a worker's hands: those that wait for a place, those that run, and those whose lease
 * is still to be kept. A place is taken before a job is leased for it. Safe for use by many
 * threads.
 */
final class Roster {
  private static final long WINDOW_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final WorkerPlan.Places places;
  private final Time time;
  private final Deque<Run> buffer = new ArrayDeque<>();
  private final Set<Run> running = new LinkedHashSet<>();
  private final Set<Run> held = new LinkedHashSet<>();
  private int stuck;
  private boolean isClosed;
  private long windowNanos;
  private int startsNow;
  private int startsBefore;

  Roster(WorkerPlan.Places places, Time time) {
    this.places = places;
    this.time = time;
    this.windowNanos = time.nanos();
  }

  /** Takes in what was leased. */
  synchronized void add(List<Run> runs) {
    held.addAll(runs);
    buffer.addAll(runs);
    notifyAll();
  }

  /** The next job to run, waited for; null when there will be none. */
  synchronized @Nullable Run take() throws InterruptedException {
    while (!isClosed && (buffer.isEmpty() || running.size() >= places.slots())) {
      wait();
    }
    return poll();
  }

  /** The next job to run, if there is one and a place for it. */
  synchronized @Nullable Run poll() {
    if (running.size() >= places.slots()) {
      return null;
    }
    Run run = buffer.poll();
    if (run != null) {
      running.add(run);
      count();
    }
    return run;
  }

  private void count() {
    turn();
    startsNow++;
  }

  private void turn() {
    long passed = time.nanos() - windowNanos;
    if (passed >= WINDOW_NANOS) {
      startsBefore = passed < 2 * WINDOW_NANOS ? startsNow : 0;
      startsNow = 0;
      windowNanos = time.nanos();
    }
  }

  /** The place of a run is free again. */
  synchronized void ended(Run run) {
    running.remove(run);
    if (running.isEmpty() || !buffer.isEmpty()) {
      notifyAll();
    }
  }

  /** The lease of a run is no longer to be kept. */
  synchronized void forget(Run run) {
    held.remove(run);
  }

  /** A run was given up while its handler goes on; or that handler has returned after all. */
  synchronized void stuck(int more) {
    stuck += more;
  }

  /** Takes back jobs that have not started. */
  synchronized List<Run> withdraw(Predicate<Run> which) {
    List<Run> withdrawn = buffer.stream().filter(which).toList();
    buffer.removeAll(withdrawn);
    return withdrawn;
  }

  /** How many jobs may be leased now; what is leased ahead is no more than a second's starts. */
  synchronized int free() {
    turn();
    int ahead = Math.min(places.prefetch(), Math.max(startsNow, startsBefore));
    return places.slots() + ahead - buffer.size() - running.size();
  }

  /** How many more could run at once. */
  synchronized int idle() {
    return Math.max(0, places.slots() - buffer.size() - running.size());
  }

  /** Whether it is time to lease more: half of the places are free, or one would stay idle. */
  synchronized boolean isHungry() {
    int free = free();
    int taken = buffer.size() + running.size();
    boolean isIdling = buffer.isEmpty() && running.size() < places.slots();
    return free > 0 && (isIdling || free >= (free + taken + 1) / 2);
  }

  /** Whether nothing waits and nothing runs. */
  synchronized boolean isIdle() {
    return buffer.isEmpty() && running.isEmpty();
  }

  /** Everything whose lease is to be kept. */
  synchronized List<Run> held() {
    return List.copyOf(held);
  }

  /** Everything that has a place, whether its lease is still ours or not. */
  synchronized List<Run> running() {
    return List.copyOf(running);
  }

  /** Since when the oldest one waits for a place; null: none does. */
  synchronized @Nullable Long oldestWaitNanos() {
    Run oldest = buffer.peek();
    return oldest == null ? null : oldest.sinceNanos;
  }

  synchronized int active() {
    return running.size();
  }

  synchronized int buffered() {
    return buffer.size();
  }

  synchronized int stuck() {
    return stuck;
  }

  /** Ends the waiting for jobs. */
  synchronized void close() {
    isClosed = true;
    notifyAll();
  }

  /** Waits, in real time, until nothing runs; false when {@code untilNanos} came before. */
  synchronized boolean awaitQuiet(long untilNanos) throws InterruptedException {
    while (!running.isEmpty()) {
      long left = untilNanos - System.nanoTime();
      if (left <= 0) {
        return false;
      }
      TimeUnit.NANOSECONDS.timedWait(this, left);
    }
    return true;
  }
}
