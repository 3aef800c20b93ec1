package io.holdfast.job;

import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Lets jobs pass that wait for their limit key, soon after something happened to the key. It is a
 * shortcut: what fails here is found by the sweep. Safe for use by many threads.
 */
final class Admission {
  private static final Logger LOG = LoggerFactory.getLogger(Admission.class);
  private static final int KEYS_AT_ONCE = 200;

  private final JobEngine jobs;
  private final Set<QueueKey> waiting = new LinkedHashSet<>();
  private boolean isRunning;

  Admission(JobEngine jobs) {
    this.jobs = jobs;
  }

  /** Soon; of stepped jobs, now. */
  void admit(Set<QueueKey> keys) {
    if (keys.isEmpty()) {
      return;
    }
    synchronized (this) {
      waiting.addAll(keys);
      if (isRunning) {
        return;
      }
      isRunning = true;
    }
    if (jobs.options.isStepped()) {
      run();
    } else {
      jobs.engine.background("admission", this::run);
    }
  }

  private void run() {
    Set<QueueKey> next = next();
    while (!next.isEmpty()) {
      Set<QueueKey> keys = next;
      try {
        jobs.spread(jobs.engine.call(() -> jobs.backend.limits().admit(keys, jobs.storeCall())));
      } catch (RuntimeException e) {
        LOG.warn("jobs that wait for their limit keys wait on: {}", e.getMessage());
        synchronized (this) {
          isRunning = false;
          waiting.clear();
        }
        return;
      }
      next = next();
    }
  }

  private synchronized Set<QueueKey> next() {
    Set<QueueKey> keys = new LinkedHashSet<>();
    Iterator<QueueKey> first = waiting.iterator();
    while (first.hasNext() && keys.size() < KEYS_AT_ONCE) {
      keys.add(first.next());
      first.remove();
    }
    isRunning = !keys.isEmpty();
    return keys;
  }
}
