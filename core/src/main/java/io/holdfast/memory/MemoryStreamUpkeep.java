package io.holdfast.memory;

import io.holdfast.lease.StoreCall;
import io.holdfast.stream.Dropped;
import io.holdfast.stream.StreamUpkeep;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/** Background work on {@link MemoryStreamData}. */
final class MemoryStreamUpkeep implements StreamUpkeep {
  private static final int MOST_PARTITIONS = 500;
  private static final Duration TRACES_FOR = Duration.ofDays(30);
  private static final Duration DROPS_FOR = Duration.ofDays(90);

  private final MemoryStreamData data;

  MemoryStreamUpkeep(MemoryStreamData data) {
    this.data = data;
  }

  @Override
  public int retain(StoreCall call) {
    synchronized (data) {
      Instant now = data.now();
      return data.byName.values().stream()
          .filter(MemoryRetention::isWanted)
          .mapToInt(queue -> retain(queue, now))
          .sum();
    }
  }

  private int retain(MemoryStream queue, Instant now) {
    List<MemoryPartitionLog> oldest =
        queue.byNumber.values().stream()
            .filter(log -> log.oldestAt() != null)
            .sorted(Comparator.comparing(log -> Objects.requireNonNull(log.oldestAt())))
            .skip(queue.retained)
            .limit(MOST_PARTITIONS)
            .toList();
    // Some may be held back for long: the next run begins behind them.
    queue.retained = oldest.size() < MOST_PARTITIONS ? 0 : queue.retained + MOST_PARTITIONS;
    int messages = 0;
    for (MemoryPartitionLog log : oldest) {
      for (Dropped dropped : new MemoryRetention(log, now).drop()) {
        data.drops.add(new MemoryStreamData.Drop(queue, dropped));
        messages += (int) dropped.messages();
      }
    }
    return messages;
  }

  @Override
  public int seed(StoreCall call) {
    synchronized (data) {
      Instant now = data.now();
      return data.byName.values().stream()
          .map(MemoryStreamUpkeep::unseeded)
          .flatMap(Optional::stream)
          .mapToInt(group -> group.seedSome(now))
          .sum();
    }
  }

  /** The oldest of a queue's groups that have no cursor yet in some partitions. */
  private static Optional<MemoryGroup> unseeded(MemoryStream queue) {
    return queue.groups.values().stream()
        .filter(group -> !group.isSeeded)
        .min(Comparator.comparing(group -> group.number));
  }

  /** Sums are counted anew whenever somebody asks. */
  @Override
  public int count(StoreCall call) {
    return 0;
  }

  @Override
  public int purge(int partitionIdleDays, StoreCall call) {
    synchronized (data) {
      Instant now = data.now();
      Instant idleSince = now.minus(Duration.ofDays(partitionIdleDays));
      int rows = 0;
      for (MemoryStream queue : data.byName.values()) {
        rows += purgePartitions(queue, idleSince);
        int traces = queue.traces.size();
        queue.traces.removeIf(trace -> trace.at().isBefore(now.minus(TRACES_FOR)));
        rows += traces - queue.traces.size();
      }
      int drops = data.drops.size();
      data.drops.removeIf(drop -> drop.dropped().at().isBefore(now.minus(DROPS_FOR)));
      return rows + drops - data.drops.size();
    }
  }

  private static int purgePartitions(MemoryStream queue, Instant idleSince) {
    List<MemoryPartitionLog> idle =
        queue.byNumber.values().stream()
            .filter(log -> log.messages.isEmpty() && lastActive(log).isBefore(idleSince))
            .toList();
    idle.forEach(queue::remove);
    return idle.size();
  }

  private static Instant lastActive(MemoryPartitionLog log) {
    return log.lastAt == null ? log.createdAt : log.lastAt;
  }
}
