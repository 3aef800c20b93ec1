package io.holdfast.job;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A page of a list; not a snapshot, so a job that moves meanwhile may be missed or come twice.
 *
 * @param nextCursor where to go on; null: this was the last page
 */
public record JobPage(List<Job> jobs, @Nullable String nextCursor) {}
