package io.holdfast.stream;

import io.holdfast.lease.Engine;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * What this process remembers about queues, for a few seconds: how they are, and the partitions
 * that messages without one take turns over. Whatever depends on it is checked by the store. Safe
 * for use by many threads.
 */
final class Directory {
  private static final long FRESH_NANOS = Duration.ofSeconds(5).toNanos();
  private static final int MANY = 10_000;
  private static final int TURNS = 1_000;

  private final StreamStore store;
  private final Engine engine;
  private final Map<String, Known> known = new ConcurrentHashMap<>();
  private final Map<String, AtomicInteger> turns = new ConcurrentHashMap<>();

  Directory(StreamStore store, Engine engine) {
    this.store = store;
    this.engine = engine;
  }

  /** A queue, and what was read of its partitions. */
  private static final class Known {
    final StreamInfo info;
    final long readNanos;
    volatile @Nullable List<String> partitions;

    Known(StreamInfo info, long readNanos) {
      this.info = info;
      this.readNanos = readNanos;
    }
  }

  /** The queue as it was a few seconds ago, or is. May ask the store. */
  Optional<StreamInfo> find(String queue) {
    return Optional.ofNullable(read(queue)).map(k -> k.info);
  }

  /** The queue as it is. Asks the store. */
  Optional<StreamInfo> refreshed(String queue) {
    known.remove(queue);
    return find(queue);
  }

  /** The queue if it is remembered. */
  Optional<StreamInfo> remembered(String queue) {
    return Optional.ofNullable(known.get(queue)).map(k -> k.info);
  }

  private @Nullable Known read(String queue) {
    Known entry = known.get(queue);
    if (entry != null && engine.time().nanos() - entry.readNanos < FRESH_NANOS) {
      return entry;
    }
    Optional<StreamInfo> info = engine.call(() -> store.catalog().find(queue, engine.storeCall()));
    if (info.isEmpty()) {
      known.remove(queue);
      return null;
    }
    return take(info.get());
  }

  /** Remembers what was just read. */
  Known take(StreamInfo info) {
    if (known.size() > MANY) {
      known.clear();
    }
    Known entry = new Known(info, engine.time().nanos());
    known.put(info.name(), entry);
    return entry;
  }

  /** Forgets a queue: it changed. */
  void forget(String queue) {
    known.remove(queue);
  }

  /** Forgets all. */
  void forgetAll() {
    known.clear();
  }

  /** The partition of a message that names none. */
  String partitionFor(String queue) {
    Known entry = read(queue);
    if (entry == null || !entry.info.settings().is(StreamOption.UNPARTITIONED, "spread")) {
      return StreamRules.DEFAULT_PARTITION;
    }
    List<String> partitions = entry.partitions;
    if (partitions == null) {
      partitions =
          engine.call(() -> store.catalog().partitions(queue, null, TURNS, engine.storeCall()));
      entry.partitions = partitions;
    }
    return partitions.isEmpty()
        ? StreamRules.DEFAULT_PARTITION
        : partitions.get(Math.floorMod(turn(queue).getAndIncrement(), partitions.size()));
  }

  /** Whose turn it is goes on when a queue is read anew. */
  private AtomicInteger turn(String queue) {
    if (turns.size() > MANY) {
      turns.clear();
    }
    return turns.computeIfAbsent(queue, name -> new AtomicInteger());
  }
}
