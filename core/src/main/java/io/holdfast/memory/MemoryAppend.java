package io.holdfast.memory;

import io.holdfast.stream.Entry;
import io.holdfast.stream.Pushed;
import io.holdfast.stream.QueueFullException;
import io.holdfast.stream.StreamError;
import io.holdfast.stream.StreamException;
import io.holdfast.stream.StreamIds;
import io.holdfast.stream.StreamInfo;
import io.holdfast.stream.StreamLog.WrongForm;
import io.holdfast.stream.StreamOption;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** One push: refused as a whole, or every entry is stored or known already. */
final class MemoryAppend {
  private final MemoryStreamData data;
  private final Instant now;
  private final List<MemoryStream> newQueues = new ArrayList<>();
  private final List<MemoryPartitionLog> newPartitions = new ArrayList<>();

  /** An entry, where it goes, and the message that it became or repeats. */
  private static final class Line {
    final Entry entry;
    final int index;
    final MemoryPartitionLog log;
    boolean isDuplicate;
    @Nullable Line first;
    @Nullable MemoryMessage message;

    Line(Entry entry, int index, MemoryPartitionLog log) {
      this.entry = entry;
      this.index = index;
      this.log = log;
    }

    /** Of a repetition: the first one's. */
    MemoryMessage message() {
      return first == null ? Objects.requireNonNull(message) : first.message();
    }
  }

  private record Name(MemoryPartitionLog log, String transactionId) {}

  MemoryAppend(MemoryStreamData data, Instant now) {
    this.data = data;
    this.now = now;
  }

  /** Fails when some queue is paused; answers one whose entries have the wrong form. */
  @Nullable WrongForm refusal(List<Entry> entries) {
    for (Entry entry : entries) {
      if (data.isHolding(entry.queue())) {
        throw new StreamException(
            StreamError.PAUSED, "pushes to queue '" + entry.queue() + "' are paused", null);
      }
    }
    return wrongForm(entries);
  }

  /** A queue whose entries have the wrong form; null if there is none. */
  @Nullable WrongForm wrongForm(List<Entry> entries) {
    for (Entry entry : entries) {
      MemoryStream queue = data.byName.get(entry.queue());
      boolean isWanted = queue != null && queue.settings.is(StreamOption.ENCRYPTION_ENABLED);
      UUID sealedFor = entry.payload().sealedFor();
      boolean isForAnother = isWanted && sealedFor != null && !sealedFor.equals(queue.uid);
      if (entry.isEncrypted() != isWanted || isForAnother) {
        return new WrongForm(make(entry.queue()).info());
      }
    }
    return null;
  }

  /** The queue of this name, made with defaults if it is missing. */
  MemoryStream make(String queue) {
    MemoryStream known = data.byName.get(queue);
    if (known != null) {
      return known;
    }
    MemoryStream made = data.make(queue, StreamInfo.Labels.of(queue), now);
    newQueues.add(made);
    return made;
  }

  /** Makes what is missing, by name. */
  void make(List<Entry> entries) {
    entries.stream()
        .sorted(
            Comparator.comparing(Entry::queue, MemoryLockAdmin.BYTES)
                .thenComparing(Entry::partition, MemoryLockAdmin.BYTES))
        .forEach(entry -> make(make(entry.queue()), entry.partition()));
  }

  private void make(MemoryStream queue, String partition) {
    if (!queue.partitions.containsKey(partition)) {
      newPartitions.add(queue.make(partition, now));
    }
  }

  /** Takes back what {@link #make} made. */
  void unmake() {
    newPartitions.forEach(log -> log.queue.remove(log));
    newQueues.forEach(queue -> data.remove(queue.name));
  }

  /** Appends to what {@link #make} made; fails as {@link QueueFullException}. */
  List<Pushed> append(List<Entry> entries) {
    List<Line> lines = new ArrayList<>();
    for (Entry entry : entries) {
      MemoryPartitionLog log = data.get(entry.queue()).partition(entry.partition());
      lines.add(new Line(entry, lines.size(), log));
    }
    recognize(lines);
    List<Line> fresh = lines.stream().filter(line -> !line.isDuplicate).toList();
    checkRoom(fresh);
    store(fresh);
    Map<MemoryStream, Pushed.Capacity> capacities = new HashMap<>();
    return lines.stream().map(line -> pushed(line, capacity(line.log.queue, capacities))).toList();
  }

  private void recognize(List<Line> lines) {
    Map<Name, Line> named = new HashMap<>();
    for (Line line : lines) {
      String transaction = line.entry.transactionId();
      if (transaction == null || dedupWindow(line.log).isZero()) {
        continue;
      }
      line.message = known(line.log, transaction);
      line.first = named.putIfAbsent(new Name(line.log, transaction), line);
      line.isDuplicate = line.message != null || line.first != null;
    }
  }

  private @Nullable MemoryMessage known(MemoryPartitionLog log, String transaction) {
    MemoryMessage message = log.pushedAs(transaction);
    return message != null && message.createdAt().isAfter(now.minus(dedupWindow(log)))
        ? message
        : null;
  }

  private static Duration dedupWindow(MemoryPartitionLog log) {
    return log.queue.settings.has(StreamOption.DEDUP_WINDOW)
        ? log.queue.settings.seconds(StreamOption.DEDUP_WINDOW)
        : Duration.ofDays(365_000_000); // for ever
  }

  private void checkRoom(List<Line> fresh) {
    Map<Integer, List<Line>> byQueue = new TreeMap<>();
    for (Line line : fresh) {
      byQueue.computeIfAbsent(line.log.queue.key.id(), id -> new ArrayList<>()).add(line);
    }
    for (List<Line> lines : byQueue.values()) {
      MemoryStream queue = lines.get(0).log.queue;
      if (!queue.hasRoom(lines.size(), now)) {
        throw new QueueFullException(queue.name, queue.depth(now), queue.maxSize());
      }
    }
  }

  /** The messages that one call puts into a partition are stored at one instant. */
  private void store(List<Line> fresh) {
    Map<MemoryPartitionLog, Instant> at = new HashMap<>();
    for (Line line : fresh) {
      Instant storedAt = at.computeIfAbsent(line.log, log -> log.nextAt(now));
      line.message = insert(line.log, line.entry, storedAt, line.index, null);
    }
  }

  /** Appends one message for one group, or with null for all, without further ado. */
  MemoryMessage store(MemoryPartitionLog log, Entry entry, @Nullable Long onlyGroup) {
    return insert(log, entry, log.nextAt(now), 0, onlyGroup);
  }

  private MemoryMessage insert(
      MemoryPartitionLog log, Entry entry, Instant at, int index, @Nullable Long onlyGroup) {
    UUID id = StreamIds.message(at, index, data.random);
    MemoryMessage message = new MemoryMessage(log.lastOffset + 1, id, at, entry, onlyGroup);
    log.append(message);
    for (MemoryGroup group : log.queue.groups.values()) {
      MemoryCursor cursor = group.cursors.get(log.number);
      if (cursor != null && cursor.readyAt == null && message.isFor(group)) {
        cursor.readyAt = cursor.due(message, now);
      }
    }
    return message;
  }

  private Pushed.@Nullable Capacity capacity(
      MemoryStream queue, Map<MemoryStream, Pushed.Capacity> known) {
    if (queue.maxSize() == 0) {
      return null;
    }
    return known.computeIfAbsent(
        queue,
        limited -> {
          long depth = limited.depth(now);
          return new Pushed.Capacity(depth, Math.max(0, limited.maxSize() - depth));
        });
  }

  private static Pushed pushed(Line line, Pushed.@Nullable Capacity capacity) {
    MemoryMessage message = line.message();
    return new Pushed(
        line.isDuplicate ? Pushed.Status.DUPLICATE : Pushed.Status.QUEUED,
        message.id(),
        message.transactionId(),
        line.log.uid,
        message.offset(),
        line.isDuplicate ? null : line.entry.traceId(),
        capacity);
  }
}
