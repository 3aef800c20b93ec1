package io.holdfast.memory;

import io.holdfast.lease.Time;
import io.holdfast.queue.IdSuffixes;
import io.holdfast.queue.QueueException;
import io.holdfast.queue.QueueInfo;
import java.time.Clock;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.TreeMap;

/**
 * The queues of a memory store. Whoever touches them holds this object's lock, for the whole of one
 * transition.
 */
final class MemoryQueues {
  final Map<String, Entry> byName = new TreeMap<>(MemoryLockAdmin.BYTES);
  private final Time time;

  /** A queue and its items, one table per partition. */
  static final class Entry {
    QueueInfo info;
    final List<MemoryItems> partitions = new ArrayList<>();

    Entry(QueueInfo info) {
      update(info);
    }

    /** Takes over what is new; partitions are added and never taken away. */
    void update(QueueInfo next) {
      info = next;
      while (partitions.size() < next.partitions().size()) {
        partitions.add(new MemoryItems());
      }
    }
  }

  MemoryQueues(Time time) {
    this.time = time;
  }

  /** The clock, in the microseconds that a database keeps. */
  Instant now() {
    OptionalLong manual = time.databaseMs();
    return manual.isPresent()
        ? Instant.ofEpochMilli(manual.getAsLong())
        : Clock.systemUTC().instant().truncatedTo(ChronoUnit.MICROS);
  }

  Entry get(String name) {
    Entry entry = byName.get(name);
    if (entry == null) {
      throw QueueException.noQueue(name);
    }
    return entry;
  }

  /** One transition of one partition. */
  MemoryStep step(String queue, int partition, IdSuffixes suffixes) {
    Entry entry = get(queue);
    if (partition >= entry.partitions.size()) {
      throw QueueException.noQueue(queue);
    }
    return new MemoryStep(this, entry, entry.partitions.get(partition), suffixes, now());
  }
}
