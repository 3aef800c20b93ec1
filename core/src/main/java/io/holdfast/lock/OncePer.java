package io.holdfast.lock;

import io.holdfast.lease.Time;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;

/** Lets a thing happen once per name and period; remembers the last thousand names. */
final class OncePer {
  private static final int REMEMBERED = 1000;

  private final Time time;
  private final long periodNanos;
  private final Map<String, Long> last = new LinkedHashMap<>();

  OncePer(Duration period, Time time) {
    this.periodNanos = period.toNanos();
    this.time = time;
  }

  synchronized boolean allows(String name) {
    long now = time.nanos();
    Long before = last.get(name);
    if (before != null && now - before < periodNanos) {
      return false;
    }
    last.remove(name);
    last.put(name, now);
    if (last.size() > REMEMBERED) {
      last.remove(last.keySet().iterator().next());
    }
    return true;
  }
}
