package io.holdfast.queue;

import io.holdfast.lease.Duty;
import io.holdfast.lease.Time;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Follows what other processes do to the catalogue: a hint says that a queue changed, and every few
 * seconds all versions are compared. So every active queue has its duties here, whether anybody
 * asked for it or not.
 */
final class CatalogWatch implements Duty {
  /** Hints about queues start so; the name follows. */
  static final String TOPIC = "queue/";

  private static final Logger LOG = LoggerFactory.getLogger(CatalogWatch.class);
  private static final long EVERY_NANOS = TimeUnit.SECONDS.toNanos(5);

  private final QueueEngine engine;
  private final Time time;
  private final Set<String> changed = ConcurrentHashMap.newKeySet();
  private volatile long compareNanos;

  CatalogWatch(QueueEngine engine) {
    this.engine = engine;
    this.time = engine.time;
    this.compareNanos = time.nanos();
  }

  void changed(String queue) {
    changed.add(queue);
    engine.wake(this);
  }

  void changedSomewhere() {
    compareNanos = time.nanos();
    engine.wake(this);
  }

  @Override
  public int work() {
    int done = 0;
    for (String name : List.copyOf(changed)) {
      changed.remove(name);
      read(name);
      done++;
    }
    if (compareNanos - time.nanos() <= 0) {
      compareNanos = time.nanos() + EVERY_NANOS;
      done += compare();
    }
    return done;
  }

  private int compare() {
    Map<String, Long> versions;
    try {
      versions = engine.call(() -> engine.backend.catalog().versions(engine.storeCall()));
      engine.call(() -> engine.backend.catalog().finishDeletes(engine.storeCall()));
    } catch (QueueException e) {
      LOG.debug("the catalogue cannot be read now: {}", e.getMessage());
      return 0;
    }
    List<String> differing = new ArrayList<>();
    versions.forEach(
        (name, version) -> {
          LiveQueue known = engine.known(name);
          if (known == null || known.info().version() != version) {
            differing.add(name);
          }
        });
    for (LiveQueue known : engine.live()) {
      if (!versions.containsKey(known.name())) {
        differing.add(known.name());
      }
    }
    differing.forEach(this::read);
    return differing.size();
  }

  private void read(String name) {
    try {
      engine.read(name);
    } catch (QueueException e) {
      LiveQueue known = engine.known(name);
      if (known != null) {
        engine.vanishedIf(known, e);
      }
    }
  }

  @Override
  public long dueNanos() {
    return changed.isEmpty() ? compareNanos : time.nanos();
  }
}
