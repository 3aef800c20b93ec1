package io.holdfast.lease;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

/**
 * Tells other processes that something happened to a queue. The first news goes out at once; what
 * follows within a few milliseconds goes out together. Safe for use by many threads.
 */
public final class News {
  private static final String READY = "ready/";
  private static final String CHANGED = "changed/";
  private static final long EVERY_NANOS = TimeUnit.MILLISECONDS.toNanos(50);
  private static final int MANY = 10_000;

  private final Hints hints;
  private final Timers timers;
  private final Time time;
  private final Map<String, Said> said = new HashMap<>();

  /** Tells our own news, which come back to us, from those of others. */
  private final String origin = Long.toString(ThreadLocalRandom.current().nextLong() >>> 1, 36);

  /** Sends by {@code hints}, and what comes too fast a little later by {@code timers}. */
  public News(Hints hints, Timers timers, Time time) {
    this.hints = hints;
    this.timers = timers;
    this.time = time;
  }

  /** When a queue was last talked about. */
  private static final class Said {
    long quietUntilNanos;
    boolean isMore;
  }

  /** Hears what others said. */
  public interface Reader {
    /** Something in the queue may be claimed. */
    void ready(String queue);

    /** The queue is not what it was. */
    void changed(String queue);
  }

  /** Something in the queue may be claimed. */
  public void ready(String queue) {
    synchronized (this) {
      long now = time.nanos();
      if (said.size() > MANY) {
        said.values().removeIf(s -> !s.isMore && s.quietUntilNanos - now < 0);
      }
      Said last = said.get(queue);
      if (last != null && last.quietUntilNanos - now > 0) {
        if (!last.isMore) {
          last.isMore = true;
          timers.at(last.quietUntilNanos, () -> sayMore(queue));
        }
        return;
      }
      quiet(queue, now);
    }
    send(READY, queue);
  }

  private void quiet(String queue, long now) {
    Said last = said.computeIfAbsent(queue, q -> new Said());
    last.quietUntilNanos = now + EVERY_NANOS;
    last.isMore = false;
  }

  private void sayMore(String queue) {
    synchronized (this) {
      quiet(queue, time.nanos());
    }
    send(READY, queue);
  }

  /** The queue is not what it was. */
  public void changed(String queue) {
    send(CHANGED, queue);
  }

  private void send(String kind, String queue) {
    hints.send(kind + origin + "/" + queue);
  }

  /** Reads {@code <kind>/<origin>/<queue>}; what does not look so is not ours. */
  public void read(String topic, Reader reader) {
    String[] parts = topic.split("/", 3);
    if (parts.length < 3 || parts[1].equals(origin)) {
      return;
    }
    if (topic.startsWith(READY)) {
      reader.ready(parts[2]);
    } else if (topic.startsWith(CHANGED)) {
      reader.changed(parts[2]);
    }
  }
}
