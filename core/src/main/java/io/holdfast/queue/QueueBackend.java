package io.holdfast.queue;

import io.holdfast.lease.Hints;
import io.holdfast.lease.Time;

/** Everything {@link Queues} need of one store. */
public record QueueBackend(
    QueueCatalog catalog, PartitionStore partitions, Hints hints, Time time) {}
