package io.holdfast.memory;

import io.holdfast.lease.StoreCall;
import io.holdfast.stream.CursorInfo;
import io.holdfast.stream.CursorKey;
import io.holdfast.stream.GroupInfo;
import io.holdfast.stream.Position;
import io.holdfast.stream.Start;
import io.holdfast.stream.StreamGroups;
import java.time.Instant;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The groups of {@link MemoryStreamData} and where they are. */
final class MemoryStreamGroups implements StreamGroups {
  private static final Comparator<CursorKey> BY_NAMES =
      Comparator.comparing(CursorKey::partition, MemoryLockAdmin.BYTES)
          .thenComparing(CursorKey::group, MemoryLockAdmin.BYTES);

  private final MemoryStreamData data;

  MemoryStreamGroups(MemoryStreamData data) {
    this.data = data;
  }

  @Override
  public boolean seed(String queue, String group, StoreCall call) {
    synchronized (data) {
      MemoryStream stream = data.byName.get(queue);
      MemoryGroup found = stream == null ? null : stream.groups.get(group);
      if (found == null) {
        return true;
      }
      found.seedSome(data.now());
      return found.isSeeded;
    }
  }

  @Override
  public int seek(
      String queue, String group, @Nullable String partition, Position to, StoreCall call) {
    synchronized (data) {
      Instant now = data.now();
      MemoryStream stream = data.get(queue);
      MemoryGroup found = stream.group(group);
      Collection<MemoryPartitionLog> logs =
          partition == null ? stream.byNumber.values() : List.of(stream.partition(partition));
      logs.forEach(log -> seek(found.seed(log, now), to, now));
      found.isSeeded = found.isSeeded || partition == null;
      return logs.size();
    }
  }

  private static void seek(MemoryCursor cursor, Position to, Instant now) {
    cursor.takeAway();
    cursor.marks.clear();
    cursor.committed = committed(cursor.log, to);
    cursor.batchEnd = cursor.committed;
    cursor.forgetCounts();
    cursor.forgetErrors();
    cursor.parkReason = null;
    cursor.await(now);
  }

  private static long committed(MemoryPartitionLog log, Position to) {
    long before = log.logStart - 1;
    return switch (to.kind()) {
      case BEGIN -> before;
      case END -> log.lastOffset;
      case TIMESTAMP -> Math.max(before, log.offsetAt(Objects.requireNonNull(to.at())));
      case OFFSET -> Math.max(before, Math.min(to.offset() - 1, log.lastOffset));
    };
  }

  @Override
  public int delete(String group, @Nullable String queue, boolean isKeepingStart, StoreCall call) {
    synchronized (data) {
      Collection<MemoryStream> streams =
          queue == null ? data.byName.values() : List.of(data.get(queue));
      return streams.stream().mapToInt(stream -> delete(group, stream, isKeepingStart)).sum();
    }
  }

  private static int delete(String group, MemoryStream stream, boolean isKeepingStart) {
    MemoryGroup found = stream.groups.remove(group);
    if (found == null) {
      return 0;
    }
    if (isKeepingStart) {
      stream.register(group, found.start, found.createdAt).lastSeenAt = found.lastSeenAt;
    }
    return found.cursors.size();
  }

  @Override
  public int startAt(String group, Instant at, StoreCall call) {
    synchronized (data) {
      List<MemoryGroup> found =
          data.byName.values().stream()
              .map(stream -> stream.groups.get(group))
              .filter(Objects::nonNull)
              .toList();
      found.forEach(each -> each.start = Start.at(at));
      return found.size();
    }
  }

  @Override
  public List<GroupInfo> list(@Nullable String queue, StoreCall call) {
    synchronized (data) {
      Instant now = data.now();
      return data.selected(queue).stream()
          .flatMap(stream -> stream.groups.values().stream())
          .map(group -> group.info(now))
          .toList();
    }
  }

  @Override
  public List<CursorInfo> cursors(
      String queue, @Nullable String group, @Nullable CursorKey after, int limit, StoreCall call) {
    synchronized (data) {
      Instant now = data.now();
      return data.selected(queue).stream()
          .flatMap(MemoryStream::cursors)
          .filter(cursor -> group == null || cursor.group.name.equals(group))
          .filter(cursor -> after == null || BY_NAMES.compare(cursor.key(), after) > 0)
          .sorted(Comparator.comparing(MemoryCursor::key, BY_NAMES))
          .limit(limit)
          .map(cursor -> cursor.info(now))
          .toList();
    }
  }
}
