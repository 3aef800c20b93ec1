package io.holdfast.server.dashboard;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The last ten minutes, as few numbers per name as charts need. Safe for use by many threads. */
final class History {
  private static final int POINTS = 300;
  private static final long LONG_AGO_MS = 15 * 60_000;

  private final Deque<Point> points = new ArrayDeque<>();

  /**
   * What a row of numbers is about.
   *
   * @param kind q, s, g (a group of a stream), j or l
   */
  record Key(char kind, String name, String part) {
    String text() {
      return part.isEmpty() ? kind + ":" + name : kind + ":" + name + "\n" + part;
    }
  }

  /** One moment. */
  record Point(long at, Map<Key, long[]> values) {}

  synchronized void add(Figures figures) {
    Map<Key, long[]> values = new LinkedHashMap<>();
    long now = figures.at();
    for (Figures.OfQueue q : figures.queues()) {
      values.put(
          new Key('q', q.name(), ""),
          new long[] {
            q.ready(),
            q.leased(),
            q.scheduled(),
            q.dead(),
            age(now, q.oldestAt()),
            q.produced(),
            q.handedOut(),
            q.completed(),
            q.retried()
          });
    }
    for (Figures.OfStream s : figures.streams()) {
      values.put(new Key('s', s.name(), ""), stream(now, s));
      for (Figures.Group g : s.groups()) {
        values.put(new Key('g', s.name(), g.name()), new long[] {g.lag(), g.passed()});
      }
    }
    for (Figures.OfJobs j : figures.jobs()) {
      values.put(new Key('j', j.name(), ""), jobs(now, j));
    }
    values.put(
        new Key('l', "", ""), new long[] {figures.locks().live(), figures.locks().waiters()});
    points.add(new Point(now, values));
    while (points.size() > POINTS || points.getFirst().at() < now - LONG_AGO_MS) {
      points.removeFirst();
    }
  }

  private static long[] stream(long now, Figures.OfStream s) {
    long passed = s.groups().stream().mapToLong(Figures.Group::passed).sum();
    return new long[] {
      s.depth(), s.leased(), s.stuck(), s.dead(), age(now, s.oldestAt()), s.pushed(), passed
    };
  }

  private static long[] jobs(long now, Figures.OfJobs j) {
    return new long[] {
      j.ready(),
      j.scheduled(),
      j.gated(),
      j.running(),
      j.done(),
      j.dead(),
      age(now, j.oldestAt()),
      j.finishedLastMinute()
    };
  }

  static long age(long now, @Nullable Long since) {
    return since == null ? 0 : Math.max(0, now - since);
  }

  synchronized List<Point> points() {
    return new ArrayList<>(points);
  }
}
