package io.holdfast.job;

import java.time.Instant;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * How much is in a queue.
 *
 * @param counts per state; cancelled ones count as done
 * @param oldestReady since when the job waits that has been eligible longest
 * @param oldestDead since when the oldest dead letter is one
 * @param finishedLastMinute jobs that ended well in the last minute
 * @param diedLastMinute jobs that became dead letters in the last minute
 */
public record JobStats(
    String queue,
    Map<JobState, Count> counts,
    @Nullable Instant oldestReady,
    @Nullable Instant oldestDead,
    Count finishedLastMinute,
    Count diedLastMinute) {
  /** How far is counted. */
  public static final int CAP = 10_000;

  /**
   * A number of jobs.
   *
   * @param isCapped whether there are more than so many
   */
  public record Count(int count, boolean isCapped) {
    /** Of so many, counted up to one more than {@link #CAP}. */
    public static Count of(int counted) {
      return new Count(Math.min(counted, CAP), counted > CAP);
    }
  }
}
