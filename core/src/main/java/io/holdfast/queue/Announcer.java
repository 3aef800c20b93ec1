package io.holdfast.queue;

import io.holdfast.lease.Hints;
import io.holdfast.lease.Time;
import io.holdfast.lease.Timers;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

/**
 * Tells other processes that items became ready. The first news of a partition goes out at once;
 * what follows within a few milliseconds goes out together. Safe for use by many threads.
 */
final class Announcer {
  private static final String TOPIC = "item/";
  private static final long EVERY_NANOS = TimeUnit.MILLISECONDS.toNanos(50);
  private static final int MANY = 10_000;

  private final Hints hints;
  private final Timers timers;
  private final Time time;
  private final Map<String, News> news = new HashMap<>();

  /** Tells our own news, which come back to us, from those of others. */
  private final String origin = Long.toString(ThreadLocalRandom.current().nextLong() >>> 1, 36);

  Announcer(Hints hints, Timers timers, Time time) {
    this.hints = hints;
    this.timers = timers;
    this.time = time;
  }

  /** What was said about a partition, and what is to be said. */
  private static final class News {
    long quietUntilNanos;
    String waiting = "";
  }

  /** Hears what was announced. */
  interface Reader {
    void ready(String queue, int partition, String id);
  }

  void announce(String queue, int partition, String first) {
    String about = partition + "/" + queue;
    synchronized (this) {
      if (news.size() > MANY) {
        news.values().removeIf(n -> n.waiting.isEmpty() && n.quietUntilNanos - time.nanos() < 0);
      }
      News last = news.computeIfAbsent(about, unknown -> newsFrom(time.nanos()));
      if (!last.waiting.isEmpty()) {
        last.waiting = first.compareTo(last.waiting) < 0 ? first : last.waiting;
        return;
      }
      if (last.quietUntilNanos - time.nanos() > 0) {
        last.waiting = first;
        timers.at(last.quietUntilNanos, () -> flush(about));
        return;
      }
      last.quietUntilNanos = time.nanos() + EVERY_NANOS;
    }
    send(first, about);
  }

  private void send(String first, String about) {
    hints.send(TOPIC + origin + "/" + first + "/" + about);
  }

  private static News newsFrom(long nanos) {
    News news = new News();
    news.quietUntilNanos = nanos;
    return news;
  }

  private void flush(String about) {
    String first;
    synchronized (this) {
      News last = news.get(about);
      if (last == null) {
        return;
      }
      first = last.waiting;
      last.waiting = "";
      last.quietUntilNanos = time.nanos() + EVERY_NANOS;
    }
    send(first, about);
  }

  /** Reads {@code item/<origin>/<id>/<partition>/<queue>}; what does not look so is not ours. */
  void read(String topic, Reader reader) {
    String[] parts = topic.split("/", 5);
    boolean isNews = parts.length == 5 && topic.startsWith(TOPIC) && parts[3].matches("\\d{1,4}");
    if (isNews && !parts[1].equals(origin)) {
      reader.ready(parts[4], Integer.parseInt(parts[3]), parts[2]);
    }
  }
}
