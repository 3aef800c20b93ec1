package io.holdfast.memory;

import io.holdfast.lease.Time;
import io.holdfast.stream.Dropped;
import io.holdfast.stream.Entry;
import io.holdfast.stream.StreamException;
import io.holdfast.stream.StreamIds;
import io.holdfast.stream.StreamInfo;
import java.time.Clock;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.OptionalLong;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.UUID;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * The stream queues of a memory store. Whoever touches them, or anything in them, holds this
 * object's lock for the whole of one transition.
 */
final class MemoryStreamData {
  final NavigableMap<String, MemoryStream> byName = new TreeMap<>(MemoryLockAdmin.BYTES);
  final RandomGenerator random = new SplittableRandom();

  /** What retention dropped, oldest first. */
  final List<Drop> drops = new ArrayList<>();

  /** Pushes that are put by, oldest first. */
  final List<Entry> held = new ArrayList<>();

  StreamInfo.Paused paused = new StreamInfo.Paused(false, false);
  private final Map<Integer, MemoryStream> byNumber = new HashMap<>();
  private final Time time;
  private int lastNumber;

  /** A line of the retention log of a queue. */
  record Drop(MemoryStream queue, Dropped dropped) {}

  MemoryStreamData(Time time) {
    this.time = time;
  }

  /** The clock, in the microseconds that a database keeps. */
  Instant now() {
    OptionalLong manual = time.databaseMs();
    return manual.isPresent()
        ? Instant.ofEpochMilli(manual.getAsLong())
        : Clock.systemUTC().instant().truncatedTo(ChronoUnit.MICROS);
  }

  /** Whether pushes to the queue of this name are refused. */
  boolean isRefusing(String name) {
    MemoryStream queue = byName.get(name);
    return isRefusing(paused) || (queue != null && isRefusing(queue.paused));
  }

  private static boolean isRefusing(StreamInfo.Paused paused) {
    return paused.push() && !paused.isHolding();
  }

  /** Whether they are put by: it is held, or some that were are still to be stored. */
  boolean isHolding(String name) {
    return isPaused(name) || held.stream().anyMatch(entry -> entry.queue().equals(name));
  }

  /** Whether they are refused or put by, on purpose. */
  boolean isPaused(String name) {
    MemoryStream queue = byName.get(name);
    return paused.push() || (queue != null && queue.paused.push());
  }

  MemoryStream get(String name) {
    MemoryStream queue = byName.get(name);
    if (queue == null) {
      throw StreamException.noQueue(name);
    }
    return queue;
  }

  /** One queue, or none if there is no such queue, or with null all by name. */
  Collection<MemoryStream> selected(@Nullable String name) {
    if (name == null) {
      return byName.values();
    }
    MemoryStream queue = byName.get(name);
    return queue == null ? List.of() : List.of(queue);
  }

  /** The queue that the id of a lease or a dead letter is about; null if there is none. */
  @Nullable MemoryStream queueOf(UUID id) {
    return StreamIds.queue(id).map(byNumber::get).orElse(null);
  }

  /** The partition with this id; null if there is none. */
  @Nullable MemoryPartitionLog partition(UUID id) {
    StreamIds.PartitionKey key = StreamIds.partition(id).orElse(null);
    MemoryStream queue = queueOfPartition(id);
    return queue == null || key == null ? null : queue.byNumber.get(key.partition());
  }

  /** The queue of the partition with this id, also if that partition is gone; null if none. */
  @Nullable MemoryStream queueOfPartition(UUID id) {
    StreamInfo.Key key = StreamIds.partition(id).map(StreamIds.PartitionKey::queue).orElse(null);
    MemoryStream queue = key == null ? null : byNumber.get(key.id());
    return queue == null || !queue.key.equals(key) ? null : queue;
  }

  MemoryStream make(String name, StreamInfo.Labels labels, Instant now) {
    StreamInfo.Key key = new StreamInfo.Key(++lastNumber, random.nextInt(StreamIds.TAGS));
    MemoryStream queue = new MemoryStream(key, name, random, now);
    queue.labels = labels;
    byName.put(name, queue);
    byNumber.put(key.id(), queue);
    return queue;
  }

  /** Ids that are about it resolve to nothing from now on. */
  boolean remove(String name) {
    MemoryStream queue = byName.remove(name);
    if (queue == null) {
      return false;
    }
    byNumber.remove(queue.key.id());
    drops.removeIf(drop -> drop.queue() == queue);
    return true;
  }
}
