package io.holdfast.memory;

import io.holdfast.stream.Dropped;
import io.holdfast.stream.StreamOption;
import io.holdfast.stream.StreamSettings;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/**
 * Drops what is old at the beginning of one partition, and pulls up the cursors that are left
 * behind. What an active group was given and has not settled is never dropped.
 */
final class MemoryRetention {
  private static final int MOST_MESSAGES = 1000;

  private final MemoryPartitionLog log;
  private final Instant now;
  private final StreamSettings settings;

  /** Up to here every group that counts has passed. */
  private final long read;

  /** Up to here every group at all has passed. */
  private final long readByAll;

  /** Beyond this some active group is at work. */
  private final long free;

  private final Map<Dropped.Reason, Long> lost = new EnumMap<>(Dropped.Reason.class);

  MemoryRetention(MemoryPartitionLog log, Instant now) {
    this.log = log;
    this.now = now;
    this.settings = log.queue.settings;
    this.read = passedBy(group -> group.isActive(now) || !group.cursors.containsKey(log.number));
    this.readByAll = passedBy(group -> true);
    this.free =
        log.queue.groups.values().stream()
            .filter(group -> group.isActive(now) && group.cursors.containsKey(log.number))
            .map(group -> group.seed(log, now))
            .filter(this::isAtWork)
            .mapToLong(cursor -> cursor.committed)
            .min()
            .orElse(Long.MAX_VALUE);
  }

  static boolean isWanted(MemoryStream queue) {
    return queue.settings.is(StreamOption.RETENTION_ENABLED)
        || queue.settings.number(StreamOption.MAX_WAIT_TIME) > 0;
  }

  private long passedBy(Predicate<MemoryGroup> isCounted) {
    LongStream passed =
        log.queue.groups.values().stream().filter(isCounted).mapToLong(this::committed);
    return passed.min().orElse(log.logStart - 1);
  }

  private long committed(MemoryGroup group) {
    MemoryCursor cursor = group.cursors.get(log.number);
    return cursor == null ? log.logStart - 1 : cursor.committed;
  }

  private boolean isAtWork(MemoryCursor cursor) {
    return cursor.isLeased(now) || cursor.attempt > 0 || cursor.retryCount > 0;
  }

  /** One line of the log for each reason. */
  List<Dropped> drop() {
    Map<MemoryMessage, Dropped.Reason> dropped = new LinkedHashMap<>();
    for (MemoryMessage message : log.messages.values()) {
      Dropped.Reason reason = reason(message);
      if (reason == null || dropped.size() == MOST_MESSAGES) {
        break;
      }
      dropped.put(message, reason);
    }
    dropped.keySet().forEach(this::remove);
    log.queue.cursors().filter(c -> c.log == log).forEach(cursor -> pullUp(cursor, dropped));
    return dropped.values().stream().distinct().map(reason -> line(reason, dropped)).toList();
  }

  private Dropped.@Nullable Reason reason(MemoryMessage message) {
    if (isOlder(message, StreamOption.COMPLETED_RETENTION) && message.offset() <= read) {
      return Dropped.Reason.COMPLETED;
    }
    if (isOlder(message, StreamOption.RETENTION) && message.offset() <= free) {
      return Dropped.Reason.AGE;
    }
    boolean isDiscarded = settings.is(StreamOption.MAX_WAIT_ACTION, "discard");
    return isOlder(message, StreamOption.MAX_WAIT_TIME)
            && message.offset() <= (isDiscarded ? free : Math.min(free, readByAll))
        ? Dropped.Reason.MAX_WAIT
        : null;
  }

  private boolean isOlder(MemoryMessage message, StreamOption option) {
    boolean isOn =
        option == StreamOption.MAX_WAIT_TIME || settings.is(StreamOption.RETENTION_ENABLED);
    Duration age = settings.seconds(option);
    return isOn && !age.isZero() && !message.createdAt().isAfter(now.minus(age));
  }

  private void remove(MemoryMessage message) {
    log.remove(message);
    log.logStart = message.offset() + 1;
  }

  private void pullUp(MemoryCursor cursor, Map<MemoryMessage, Dropped.Reason> dropped) {
    if (cursor.committed >= log.logStart - 1) {
      return;
    }
    dropped.forEach(
        (message, reason) -> {
          if (message.isFor(cursor.group) && !cursor.isPassed(message.offset())) {
            lose(cursor.group, reason);
          }
        });
    cursor.advance(log.logStart - 1);
    cursor.forgetCounts();
    if (cursor.leasedAt != null) {
      cursor.takeAway();
    }
    if (!cursor.isParked()) {
      cursor.rest(now);
    }
  }

  private void lose(MemoryGroup group, Dropped.Reason reason) {
    lost.merge(reason, 1L, Long::sum);
    if (reason == Dropped.Reason.MAX_WAIT) {
      group.expired++;
    } else {
      group.lost++;
    }
  }

  private Dropped line(Dropped.Reason reason, Map<MemoryMessage, Dropped.Reason> dropped) {
    List<Long> offsets =
        dropped.entrySet().stream()
            .filter(entry -> entry.getValue() == reason)
            .map(entry -> entry.getKey().offset())
            .toList();
    return new Dropped(
        log.queue.name,
        log.name,
        reason,
        offsets.size(),
        offsets.get(offsets.size() - 1),
        lost.getOrDefault(reason, 0L),
        now);
  }
}
