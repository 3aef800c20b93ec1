package io.holdfast.server.http;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * How long leases are held before they are settled, for those that this server gave and took back.
 * One lease of each answer stands for all of it. The first hundred names of a kind have rows of
 * their own, the others share one. Safe for use by many threads.
 */
public final class HeldTimes {
  private static final int MOST_LEASES = 20_000;
  private static final int MOST_NAMES = 100;
  private static final Duration[] BUCKETS = {
    Duration.ofMillis(10),
    Duration.ofMillis(100),
    Duration.ofSeconds(1),
    Duration.ofSeconds(10),
    Duration.ofMinutes(1),
    Duration.ofMinutes(10)
  };

  private final MeterRegistry meters;
  private final Map<Kind, Map<String, Timer>> timers = new HashMap<>();
  private final Map<Lease, Since> leases =
      new LinkedHashMap<>() {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<Lease, Since> eldest) {
          return size() > MOST_LEASES;
        }
      };

  /** What is held. */
  public enum Kind {
    /** An item of a queue. */
    QUEUE("queue"),
    /** Messages of a stream. */
    STREAM("stream"),
    /** A job. */
    JOB("job"),
    /** A lock. */
    LOCK("lock");

    private final String label;

    Kind(String label) {
      this.label = label;
    }
  }

  private record Lease(Kind kind, String id) {}

  private record Since(Timer timer, long nanos) {}

  /** Nothing was held so far. */
  public HeldTimes(MeterRegistry meters) {
    this.meters = meters;
    timer(Kind.LOCK, ""); // a figure that is there from the start can be asked for
  }

  /** A lease was given; {@code name} is its queue's or stream's. */
  public synchronized void given(Kind kind, String name, String id) {
    leases.put(new Lease(kind, id), new Since(timer(kind, name), System.nanoTime()));
  }

  /** Leases were settled well; those that are not known do not count. */
  public synchronized void settled(Kind kind, Collection<String> ids) {
    long now = System.nanoTime();
    for (String id : ids) {
      Since since = leases.remove(new Lease(kind, id));
      if (since != null) {
        since.timer().record(Duration.ofNanos(now - since.nanos()));
      }
    }
  }

  private Timer timer(Kind kind, String name) {
    Map<String, Timer> known = timers.computeIfAbsent(kind, k -> new HashMap<>());
    boolean hasOwn = known.containsKey(name) || known.size() < MOST_NAMES;
    return known.computeIfAbsent(
        hasOwn ? name : "other",
        label ->
            Timer.builder("holdfast.held")
                .description("Time from lease to settlement")
                .tag("kind", kind.label)
                .tag("name", label)
                .serviceLevelObjectives(BUCKETS)
                .register(meters));
  }
}
