package io.holdfast.job;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A queue as it is set up.
 *
 * @param pausedAt since when it gives nothing; null: it gives
 * @param limits of its keys, in order
 */
public record JobQueueInfo(
    String queue,
    @Nullable Instant pausedAt,
    JobQueueSettings settings,
    List<JobQueueConfig.KeyLimit> limits) {}
