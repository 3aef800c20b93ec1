package io.holdfast.testkit.lock;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** What a listener has heard, in order. Safe for use by many threads. */
final class Heard<T> {
  private final LinkedBlockingQueue<T> heard = new LinkedBlockingQueue<>();

  void add(T what) {
    heard.add(what);
  }

  /** Takes the next one, waiting for it in real time. */
  T next() {
    try {
      T next = heard.poll(Pause.LIMIT_SECONDS, TimeUnit.SECONDS);
      if (next == null) {
        throw new AssertionError("nothing was heard");
      }
      return next;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError("interrupted while listening", e);
    }
  }

  /** Takes all that was heard so far. */
  List<T> all() {
    List<T> all = new ArrayList<>();
    heard.drainTo(all);
    return all;
  }
}
