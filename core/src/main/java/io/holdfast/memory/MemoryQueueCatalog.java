package io.holdfast.memory;

import io.holdfast.lease.Hints;
import io.holdfast.lease.StoreCall;
import io.holdfast.queue.NewQueue;
import io.holdfast.queue.PartitionInfo;
import io.holdfast.queue.Pause;
import io.holdfast.queue.QueueCatalog;
import io.holdfast.queue.QueueException;
import io.holdfast.queue.QueueInfo;
import io.holdfast.queue.QueuePage;
import io.holdfast.queue.QueueRules;
import io.holdfast.queue.QueueSettings;
import io.holdfast.queue.QueueUpdate;
import io.holdfast.queue.TableHash;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Supplier;
import java.util.stream.IntStream;

/** The catalogue of {@link MemoryQueues} as one process sees it. */
final class MemoryQueueCatalog implements QueueCatalog {
  private static final int DEFAULT_LIMIT = 1000;

  private final MemoryQueues data;
  private final Hints hints;
  private volatile boolean closed;

  MemoryQueueCatalog(MemoryQueues data, Hints hints) {
    this.data = data;
    this.hints = hints;
  }

  private <T> T read(Supplier<T> question) {
    if (closed) {
      throw QueueException.closed("service is shutting down");
    }
    synchronized (data) {
      return question.get();
    }
  }

  /** Whoever hears of a change may ask at once, so it is told after the lock is free. */
  private <T> T write(String name, Supplier<T> change) {
    T answer = read(change);
    hints.send("queue/" + name);
    return answer;
  }

  @Override
  public Optional<QueueInfo> get(String name, StoreCall call) {
    return read(() -> Optional.ofNullable(data.byName.get(name)).map(entry -> entry.info));
  }

  @Override
  public QueueInfo add(NewQueue queue, StoreCall call) {
    return write(
        queue.name(),
        () -> {
          QueueSettings settings = QueueRules.checkNew(queue, new Others());
          Instant now = data.now();
          QueueInfo info =
              new QueueInfo(
                  queue.name(),
                  QueueRules.namespace(queue.namespace()),
                  settings,
                  partitions(settings.requestedPartitions()),
                  Pause.NONE,
                  now,
                  now,
                  Instant.EPOCH.until(now, ChronoUnit.MICROS));
          data.byName.put(queue.name(), new MemoryQueues.Entry(info));
          return info;
        });
  }

  @Override
  public QueueInfo update(String name, QueueUpdate update, StoreCall call) {
    QueueRules.checkName(name);
    return write(
        name,
        () -> {
          QueueInfo old = data.get(name).info;
          return changed(old, QueueRules.merge(old, update, new Others()), old.paused());
        });
  }

  @Override
  public QueueInfo pause(String name, Pause pause, StoreCall call) {
    return write(
        name,
        () -> {
          QueueInfo old = data.get(name).info;
          return old.paused() == pause ? old : changed(old, old.settings(), pause);
        });
  }

  private QueueInfo changed(QueueInfo old, QueueSettings settings, Pause pause) {
    int count = Math.max(old.partitions().size(), settings.requestedPartitions());
    QueueInfo info =
        new QueueInfo(
            old.name(),
            old.namespace(),
            settings,
            partitions(count),
            pause,
            old.createdAt(),
            data.now(),
            old.version() + 1);
    data.get(old.name()).update(info);
    return info;
  }

  private static List<PartitionInfo> partitions(int count) {
    return IntStream.range(0, count).mapToObj(n -> new PartitionInfo(n, "memory", false)).toList();
  }

  @Override
  public List<QueueInfo> list(QueuePage page, StoreCall call) {
    String namespace = page.namespace() == null ? null : QueueRules.namespace(page.namespace());
    String pivot = page.pivot().isBlank() ? "" : page.pivot();
    return read(
        () ->
            data.byName.values().stream()
                .map(entry -> entry.info)
                .filter(info -> MemoryLockAdmin.BYTES.compare(info.name(), pivot) >= 0)
                .filter(info -> namespace == null || info.namespace().equals(namespace))
                .limit(page.limit() == 0 ? DEFAULT_LIMIT : page.limit())
                .toList());
  }

  @Override
  public void delete(String name, boolean force, StoreCall call) {
    write(
        name,
        () -> {
          MemoryQueues.Entry entry = data.byName.get(name);
          if (entry != null) {
            checkDelete(name, entry, force);
            data.byName.remove(name);
          }
          return name;
        });
  }

  private void checkDelete(String name, MemoryQueues.Entry entry, boolean force) {
    if (new Others().isDeadQueue(name)) {
      throw QueueException.conflict("queue is in use; '" + name + "' is a dead queue");
    }
    if (!force && entry.partitions.stream().anyMatch(items -> !items.byId.isEmpty())) {
      throw QueueException.conflict("queue is not empty; '" + name + "' has items");
    }
  }

  @Override
  public Map<String, Long> versions(StoreCall call) {
    return read(
        () -> {
          Map<String, Long> versions = new TreeMap<>();
          data.byName.forEach((name, entry) -> versions.put(name, entry.info.version()));
          return versions;
        });
  }

  @Override
  public int finishDeletes(StoreCall call) {
    return 0;
  }

  @Override
  public void close() {
    closed = true;
  }

  /** The queues that a rule may have to look at. */
  private final class Others implements QueueRules.Lookup {
    @Override
    public Optional<String> deadQueueOf(String name) {
      return Optional.ofNullable(data.byName.get(name))
          .map(entry -> entry.info.settings().deadQueue());
    }

    @Override
    public boolean isDeadQueue(String name) {
      return data.byName.values().stream()
          .anyMatch(entry -> entry.info.settings().deadQueue().equals(name));
    }

    @Override
    public boolean isHashTaken(String name) {
      String hash = TableHash.of(name);
      return data.byName.keySet().stream()
          .anyMatch(other -> !other.equals(name) && TableHash.of(other).equals(hash));
    }
  }
}
