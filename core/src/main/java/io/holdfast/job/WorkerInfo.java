package io.holdfast.job;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A worker as it describes itself.
 *
 * @param startedAt when it was first seen; null in what a worker says about itself
 * @param seenAt when it was last seen; null in what a worker says about itself
 */
public record WorkerInfo(
    String id,
    String host,
    List<String> queues,
    List<String> types,
    int slots,
    @Nullable Instant startedAt,
    @Nullable Instant seenAt) {}
