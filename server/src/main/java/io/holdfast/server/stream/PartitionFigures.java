package io.holdfast.server.stream;

import io.holdfast.client.stream.WireTexts;
import io.holdfast.stream.ActiveLease;
import io.holdfast.stream.CursorInfo;
import io.holdfast.stream.DeadLetterQuery;
import io.holdfast.stream.DeadLetters;
import io.holdfast.stream.PartitionInfo;
import io.holdfast.stream.Streams;
import java.util.HashMap;
import java.util.Map;

/**
 * How many messages the partitions of one queue have; of several groups the one with most counts.
 */
final class PartitionFigures {
  private final Map<String, Long> slowest = new HashMap<>();
  private final Map<String, Long> processing = new HashMap<>();
  private final Map<String, Long> dead = new HashMap<>();

  PartitionFigures(Streams streams, String queue) {
    for (CursorInfo cursor : new Cursors(streams.admin()).of(queue, null)) {
      slowest.merge(cursor.key().partition(), Cursors.lag(cursor), Math::max);
    }
    for (ActiveLease lease : streams.browser().leases(queue)) {
      processing.merge(lease.cursor().partition(), (long) lease.messages(), Math::max);
    }
    for (DeadLetters.Count count :
        streams.deadLetters().countByPartition(DeadLetterQuery.of(queue))) {
      dead.put(count.partition(), count.letters());
    }
  }

  Map<String, Object> document(PartitionInfo partition) {
    long total = partition.offsets().retained();
    long pending = Math.min(total, slowest.getOrDefault(partition.name(), total));
    Figures.Counts counts =
        new Figures.Counts(
            1,
            partition.offsets().last(),
            total,
            pending,
            processing.getOrDefault(partition.name(), 0L),
            dead.getOrDefault(partition.name(), 0L));
    return Doc.of(
        "id", partition.id(),
        "name", partition.name(),
        "createdAt", WireTexts.millis(partition.createdAt()),
        "stats", counts.document(),
        "oldestMessage", WireTexts.millisOrNull(partition.oldestAt()),
        "newestMessage", WireTexts.millisOrNull(partition.newestAt()));
  }
}
