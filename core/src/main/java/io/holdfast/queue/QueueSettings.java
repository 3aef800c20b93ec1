package io.holdfast.queue;

import java.time.Duration;

/**
 * How a queue treats its items.
 *
 * @param leaseTimeout how long a lease lasts; at most {@code expireTimeout}
 * @param expireTimeout how long an item may wait before it is dropped or dead-lettered
 * @param deadQueue where items go that failed, or empty
 * @param maxAttempts how often an item may be leased, 0 for without limit
 * @param reference a note for people, at most 2000 bytes
 * @param requestedPartitions 1 to 1024
 */
public record QueueSettings(
    Duration leaseTimeout,
    Duration expireTimeout,
    String deadQueue,
    int maxAttempts,
    String reference,
    int requestedPartitions) {}
