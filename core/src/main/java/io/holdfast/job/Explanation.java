package io.holdfast.job;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Why a job stands where it stands; the most decisive reason comes first. */
public record Explanation(JobState state, List<Reason> reasons) {
  /** What can be said. */
  public enum Code {
    DONE,
    CANCELLED,
    DEAD,
    RUNNING,
    LEASE_EXPIRED,
    CANCEL_REQUESTED,
    NOT_DUE,
    QUEUE_PAUSED,
    KEY_AT_LIMIT,
    NO_WORKER_FOR_QUEUE,
    NO_WORKER_FOR_TYPE,
    BEHIND
  }

  /**
   * One reason.
   *
   * @param since when it began, if that is known
   * @param until when it will end by itself, if that is known
   * @param holder who could end it: a worker, or the jobs in the slots of a key
   * @param action the one call that would end it
   */
  public record Reason(
      Code code,
      String text,
      @Nullable Instant since,
      @Nullable Instant until,
      @Nullable String holder,
      String action) {}
}
