package io.holdfast.memory;

import io.holdfast.stream.GroupInfo;
import io.holdfast.stream.Start;
import io.holdfast.stream.StreamOption;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.NavigableMap;
import java.util.TreeMap;

/** A consumer group of a queue: where it started, and its cursors by partition. */
final class MemoryGroup {
  private static final int SEED_STEP = 1000;
  private static final Duration SEEN_STEP = Duration.ofSeconds(1);

  final MemoryStream queue;
  final long number;
  final String name;
  final NavigableMap<Long, MemoryCursor> cursors = new TreeMap<>();
  final Instant createdAt;
  Start start;
  boolean isSeeded;
  Instant lastSeenAt;

  /** Passed because they were too old. */
  long expired;

  /** Dropped by retention before they were read. */
  long lost;

  MemoryGroup(MemoryStream queue, long number, String name, Start start, Instant createdAt) {
    this.queue = queue;
    this.number = number;
    this.name = name;
    this.start = start;
    this.createdAt = createdAt;
    this.lastSeenAt = createdAt;
  }

  /** Somebody acts on its behalf. */
  void seen(Instant now) {
    if (!lastSeenAt.plus(SEEN_STEP).isAfter(now)) {
      lastSeenAt = now;
    }
  }

  /** Whether it holds back retention and capacity. */
  boolean isActive(Instant now) {
    Duration silence = queue.settings.seconds(StreamOption.ABANDONED_GROUP);
    return silence.isZero() || lastSeenAt.isAfter(now.minus(silence));
  }

  /** Offsets before its cursors. */
  long passed() {
    return cursors.values().stream().mapToLong(cursor -> cursor.committed).sum();
  }

  long lag() {
    return queue.pushed() - passed();
  }

  /** Its cursor in a partition, which is put at the group's start if it is missing. */
  MemoryCursor seed(MemoryPartitionLog log, Instant now) {
    return cursors.computeIfAbsent(log.number, number -> seeded(log, now));
  }

  private MemoryCursor seeded(MemoryPartitionLog log, Instant now) {
    MemoryCursor cursor = new MemoryCursor(log, this, now);
    Instant at = start.at();
    boolean isFromBegin = start.mode() == Start.Mode.ALL || at == null;
    cursor.committed = Math.max(log.logStart - 1, isFromBegin ? 0 : log.startAt(at));
    MemoryMessage head = cursor.head();
    cursor.await(head == null ? now : MemoryCursor.earlier(head.createdAt(), now));
    return cursor;
  }

  /** Makes some of the cursors that are missing; answers how many. */
  int seedSome(Instant now) {
    if (isSeeded) {
      return 0;
    }
    List<MemoryPartitionLog> missing =
        queue.byNumber.values().stream()
            .filter(log -> !cursors.containsKey(log.number))
            .limit(SEED_STEP)
            .toList();
    missing.forEach(log -> seed(log, now));
    isSeeded = cursors.size() == queue.byNumber.size();
    return missing.size();
  }

  GroupInfo info(Instant now) {
    return new GroupInfo(
        queue.name, name, start, lag(), isSeeded, !isActive(now), createdAt, lastSeenAt);
  }
}
