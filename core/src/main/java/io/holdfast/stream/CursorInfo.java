package io.holdfast.stream;

import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A group's place in a partition.
 *
 * @param committed the last offset it has passed
 * @param last the last offset there is
 * @param leaseId of a lease that lasts; null when there is none
 * @param oldestAt when the first message it has not passed was pushed; null when there is none
 * @param lastAckAt when it last moved by an ack
 */
public record CursorInfo(
    CursorKey key,
    UUID partitionId,
    long committed,
    long last,
    @Nullable UUID leaseId,
    @Nullable Instant oldestAt,
    @Nullable Instant lastAckAt) {}
