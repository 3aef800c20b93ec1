package io.holdfast.lease;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Owns the one daemon thread of a {@link Duty}: its idle time, its errors and its end. The thread
 * starts with the first {@link #wake}, so an idle library has none. Safe for use by many threads.
 */
public final class DutyRunner implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(DutyRunner.class);
  private static final long PAUSE_AFTER_ERROR_MS = 1000;

  private final String name;
  private final Duty duty;
  private final Time time;
  private final DutyCounts counts;
  private final Trouble trouble;
  private final Signal signal = new Signal();
  private volatile Thread thread;
  private volatile boolean closed;

  /** A runner that has not started yet. */
  @SuppressWarnings("NullAway") // the thread is made by the first wake
  public DutyRunner(String name, Duty duty, Time time) {
    this.name = name;
    this.duty = duty;
    this.time = time;
    this.counts = DutyCounts.of(name);
    this.trouble = new Trouble(LOG, name);
  }

  /** Says that the duty may have become due earlier than it announced. */
  public void wake() {
    if (thread == null) {
      start();
    }
    signal.raise();
  }

  /** Ends the thread and waits for its last step, two seconds at most. */
  @Override
  public void close() {
    closed = true;
    signal.raise();
    Thread running = thread;
    if (running == null || running == Thread.currentThread()) {
      return;
    }
    try {
      running.join(2000);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private synchronized void start() {
    if (thread == null && !closed) {
      thread = Background.daemon(name, this::run);
      thread.start();
    }
  }

  private void run() {
    while (!closed) {
      long until = step();
      if (until - time.nanos() > 0) {
        signal.await(time, until);
      }
      // The thread is ours: an interrupt from anywhere means nothing and must not make it spin.
      Thread.interrupted();
    }
  }

  private long step() {
    long beganNanos = System.nanoTime();
    try {
      int done = duty.work();
      trouble.worked();
      return done > 0 ? time.nanos() : duty.dueNanos();
    } catch (RuntimeException e) {
      counts.failed();
      if (!closed) {
        trouble.failed(e);
      }
      return Time.after(time.nanos(), PAUSE_AFTER_ERROR_MS);
    } finally {
      counts.took(System.nanoTime() - beganNanos);
    }
  }
}
