package io.holdfast.memory;

import io.holdfast.lease.StoreCall;
import io.holdfast.stream.StreamCatalog;
import io.holdfast.stream.StreamConfig;
import io.holdfast.stream.StreamInfo;
import io.holdfast.stream.StreamOption;
import io.holdfast.stream.StreamRules;
import io.holdfast.stream.StreamSettings;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.NavigableMap;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Which queues {@link MemoryStreamData} has, and how they are. */
final class MemoryStreamCatalog implements StreamCatalog {
  private final MemoryStreamData data;

  MemoryStreamCatalog(MemoryStreamData data) {
    this.data = data;
  }

  @Override
  public StreamInfo configure(StreamConfig config, StoreCall call) {
    synchronized (data) {
      Instant now = data.now();
      MemoryStream known = data.byName.get(config.queue());
      MemoryStream queue =
          known == null ? data.make(config.queue(), new StreamInfo.Labels("", ""), now) : known;
      queue.labels = labels(queue.labels, config);
      StreamSettings before = queue.settings;
      queue.settings = before.changedBy(config);
      queue.make(StreamRules.DEFAULT_PARTITION, now);
      if (isShorter(StreamOption.DELAYED_PROCESSING, before, queue.settings)
          || isShorter(StreamOption.WINDOW_BUFFER, before, queue.settings)) {
        queue.cursors().forEach(cursor -> bringForward(cursor, now));
      }
      return queue.info();
    }
  }

  private static StreamInfo.Labels labels(StreamInfo.Labels old, StreamConfig config) {
    String namespace = config.namespace();
    String task = config.task();
    return new StreamInfo.Labels(
        namespace == null ? old.namespace() : namespace, task == null ? old.task() : task);
  }

  private static boolean isShorter(
      StreamOption option, StreamSettings before, StreamSettings after) {
    return after.number(option) < before.number(option);
  }

  /** A claim looks again how long it has to wait; but a retry still waits for its delay. */
  private static void bringForward(MemoryCursor cursor, Instant now) {
    Instant readyAt = cursor.readyAt;
    if (readyAt == null || cursor.leasedAt != null || cursor.isParked()) {
      return;
    }
    Instant failedAt = cursor.retryCount > 0 ? cursor.lastFailedAt : null;
    Instant retryAt =
        failedAt == null
            ? now
            : failedAt.plusMillis(cursor.settings().number(StreamOption.RETRY_DELAY));
    cursor.readyAt = MemoryCursor.earlier(readyAt, MemoryCursor.later(now, retryAt));
  }

  @Override
  public Optional<StreamInfo> find(String queue, StoreCall call) {
    synchronized (data) {
      return Optional.ofNullable(data.byName.get(queue)).map(MemoryStream::info);
    }
  }

  @Override
  public List<StreamInfo> list(@Nullable String after, int limit, StoreCall call) {
    synchronized (data) {
      return behind(data.byName, after).stream().limit(limit).map(MemoryStream::info).toList();
    }
  }

  private static <T> Collection<T> behind(NavigableMap<String, T> all, @Nullable String after) {
    return after == null ? all.values() : all.tailMap(after, false).values();
  }

  @Override
  public boolean delete(String queue, StoreCall call) {
    synchronized (data) {
      data.held.removeIf(entry -> data.byName.containsKey(queue) && entry.queue().equals(queue));
      return data.remove(queue);
    }
  }

  @Override
  public List<String> partitions(String queue, @Nullable String after, int limit, StoreCall call) {
    synchronized (data) {
      return data.selected(queue).stream()
          .flatMap(found -> behind(found.partitions, after).stream())
          .limit(limit)
          .map(log -> log.name)
          .toList();
    }
  }

  @Override
  public void pausePush(@Nullable String queue, boolean isPaused, StoreCall call) {
    synchronized (data) {
      if (queue == null) {
        data.paused = new StreamInfo.Paused(isPaused, data.paused.pop());
      } else {
        MemoryStream found = data.get(queue);
        found.paused = new StreamInfo.Paused(isPaused, found.paused.pop());
      }
    }
  }

  @Override
  public void pausePop(@Nullable String queue, boolean isPaused, StoreCall call) {
    synchronized (data) {
      if (queue == null) {
        data.paused = new StreamInfo.Paused(data.paused.push(), isPaused, data.paused.isHolding());
      } else {
        MemoryStream found = data.get(queue);
        found.paused =
            new StreamInfo.Paused(found.paused.push(), isPaused, found.paused.isHolding());
      }
    }
  }

  @Override
  public StreamInfo.Paused pausedAll(StoreCall call) {
    synchronized (data) {
      return data.paused;
    }
  }
}
