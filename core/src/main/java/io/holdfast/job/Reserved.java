package io.holdfast.job;

import java.time.Instant;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What a wish for jobs got.
 *
 * @param jobs oldest eligibility first
 * @param paused the queues that gave nothing because they are paused
 * @param more whether asking again at once may bring some, because jobs that cannot run were in the
 *     way
 * @param at the database's clock
 * @param nextAt when there may be something, if fewer came than were asked for and that is known
 */
public record Reserved(
    List<LeasedJob> jobs, Set<String> paused, boolean more, Instant at, @Nullable Instant nextAt) {}
