package io.holdfast.queue;

import java.time.Instant;
import java.util.List;

/**
 * A queue as the catalogue has it.
 *
 * @param partitions how many there are, which may be more than were asked for last
 * @param version grows with every change, also when the queue is deleted and made again
 */
public record QueueInfo(
    String name,
    String namespace,
    QueueSettings settings,
    List<PartitionInfo> partitions,
    Pause paused,
    Instant createdAt,
    Instant updatedAt,
    long version) {}
