package io.holdfast.job;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Settlements that have not been sent. Safe for use by many threads. */
final class Outbox {
  private final Deque<Letter> letters = new ArrayDeque<>();
  private long firstNanos;

  /** What became of a run. */
  record Letter(Run run, Settlement settlement, WorkerStats.Outcome outcome) {}

  /** Adds one; true when it is the only one. */
  synchronized boolean add(Letter letter, long nanos) {
    boolean isFirst = letters.isEmpty();
    if (isFirst) {
      firstNanos = nanos;
    }
    letters.add(letter);
    return isFirst;
  }

  /** Takes the oldest ones out, none of which are about the same job. */
  synchronized List<Letter> drain(int max) {
    List<Letter> taken = new ArrayList<>();
    Set<String> ids = new HashSet<>();
    while (!letters.isEmpty() && taken.size() < max) {
      if (!ids.add(letters.peek().run().leased.id())) {
        break;
      }
      taken.add(letters.poll());
    }
    return taken;
  }

  /** Puts back what could not be sent, in its old order. */
  synchronized void putBack(List<Letter> taken) {
    for (int i = taken.size() - 1; i >= 0; i--) {
      letters.addFirst(taken.get(i));
    }
  }

  synchronized int size() {
    return letters.size();
  }

  /** Since when the oldest one waits. */
  synchronized long firstNanos() {
    return firstNanos;
  }
}
