package io.holdfast.memory;

import io.holdfast.stream.CursorKey;
import io.holdfast.stream.DeadLetter;
import io.holdfast.stream.QueueFigures;
import io.holdfast.stream.Start;
import io.holdfast.stream.StreamException;
import io.holdfast.stream.StreamIds;
import io.holdfast.stream.StreamInfo;
import io.holdfast.stream.StreamOption;
import io.holdfast.stream.StreamSettings;
import io.holdfast.stream.Trace;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.UUID;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;

/** A stream queue: its partitions, its groups, and what both left behind. */
final class MemoryStream {
  final StreamInfo.Key key;
  final UUID uid = UUID.randomUUID();
  final String name;
  final Instant createdAt;
  final NavigableMap<String, MemoryPartitionLog> partitions = new TreeMap<>(MemoryLockAdmin.BYTES);
  final NavigableMap<Long, MemoryPartitionLog> byNumber = new TreeMap<>();
  final NavigableMap<String, MemoryGroup> groups = new TreeMap<>(MemoryLockAdmin.BYTES);
  final Map<UUID, Dead> dead = new LinkedHashMap<>();
  final List<Trace> traces = new ArrayList<>();
  StreamInfo.Labels labels = new StreamInfo.Labels("", "");
  StreamSettings settings = StreamSettings.DEFAULTS;
  StreamInfo.Paused paused = new StreamInfo.Paused(false, false);

  /** How many partitions the next run of retention leaves out, because the last ones saw them. */
  int retained;

  private final RandomGenerator random;
  private long lastNumber;

  /** A dead letter, and which message of which group it was. */
  record Dead(DeadLetter letter, Key key) {
    /** A message as one group sees it. */
    record Key(long group, long partition, long offset) {}
  }

  MemoryStream(StreamInfo.Key key, String name, RandomGenerator random, Instant now) {
    this.key = key;
    this.name = name;
    this.random = random;
    this.createdAt = now;
  }

  StreamInfo info() {
    return new StreamInfo(key, uid, name, labels, settings, paused, createdAt);
  }

  /** A new id of a lease, a dead letter or a trace. */
  UUID newId() {
    return StreamIds.random(key.id(), random);
  }

  /** The partition of this name. A new one is seen by every group that exists. */
  MemoryPartitionLog make(String partition, Instant now) {
    MemoryPartitionLog known = partitions.get(partition);
    if (known != null) {
      return known;
    }
    long number = ++lastNumber;
    MemoryPartitionLog log = new MemoryPartitionLog(this, number, partition, now);
    partitions.put(partition, log);
    byNumber.put(number, log);
    groups.values().forEach(group -> group.seed(log, now));
    return log;
  }

  MemoryPartitionLog partition(String partition) {
    MemoryPartitionLog log = partitions.get(partition);
    if (log == null) {
      throw StreamException.noPartition(name, partition);
    }
    return log;
  }

  void remove(MemoryPartitionLog log) {
    partitions.remove(log.name);
    byNumber.remove(log.number);
    groups.values().forEach(group -> group.cursors.remove(log.number));
  }

  /** A group that starts there; one of this name is replaced. */
  MemoryGroup register(String group, Start start, Instant createdAt) {
    MemoryGroup made = new MemoryGroup(this, ++lastNumber, group, start, createdAt);
    groups.put(group, made);
    return made;
  }

  MemoryGroup group(String group) {
    MemoryGroup found = groups.get(group);
    if (found == null) {
      throw StreamException.noGroup(name, group);
    }
    return found;
  }

  /** The cursor, which is made if only it is missing; fails if more is. */
  MemoryCursor cursor(CursorKey cursor, Instant now) {
    MemoryPartitionLog log = partition(cursor.partition());
    return group(cursor.group()).seed(log, now);
  }

  Stream<MemoryCursor> cursors() {
    return groups.values().stream().flatMap(group -> group.cursors.values().stream());
  }

  /** Gives up a message on behalf of a group. */
  void bury(MemoryCursor cursor, MemoryMessage message, DeadLetter.Failure failure) {
    MemoryPartitionLog log = cursor.log;
    DeadLetter letter =
        new DeadLetter(
            newId(), cursor.group.name, message.in(log), message.entry().isEncrypted(), failure);
    Dead.Key of = new Dead.Key(cursor.group.number, log.number, message.offset());
    dead.put(letter.id(), new Dead(letter, of));
  }

  /** Offsets that were ever given. */
  long pushed() {
    return partitions.values().stream().mapToLong(log -> log.lastOffset).sum();
  }

  private long dropped() {
    return partitions.values().stream().mapToLong(log -> log.logStart - 1).sum();
  }

  QueueFigures figures() {
    long pushed = pushed();
    return new QueueFigures(name, partitions.size(), pushed, pushed - dropped(), dead.size());
  }

  /** What the slowest active group has not passed; without one: what is retained. */
  long depth(Instant now) {
    long pushed = pushed();
    return groups.values().stream()
        .filter(group -> group.isActive(now))
        .mapToLong(group -> pushed - group.passed())
        .max()
        .orElseGet(() -> pushed - dropped());
  }

  long maxSize() {
    return settings.number(StreamOption.MAX_SIZE);
  }

  /** Whether so many more messages fit in. */
  boolean hasRoom(long messages, Instant now) {
    return maxSize() == 0 || depth(now) + messages <= maxSize();
  }
}
