package io.holdfast.job;

import java.util.Map;

/**
 * What a worker is doing, and has done.
 *
 * @param active runs under way, stuck ones included
 * @param buffered jobs that are leased and wait for a place
 * @param slots places for runs
 * @param stuck runs that were given up and whose handler has not returned
 * @param outcomes how many runs of each type ended how
 * @param refusals settlements that were refused, by why
 */
public record WorkerStats(
    int active,
    int buffered,
    int slots,
    int stuck,
    Map<Ended, Long> outcomes,
    Map<JobError, Long> refusals) {
  /** A type of jobs and a way for a run to end. */
  public record Ended(String type, Outcome outcome) {}

  /** How a run can end. */
  public enum Outcome {
    SUCCEEDED,
    RETRIED,
    DEAD,
    SNOOZED,
    PARKED,
    RELEASED,
    LOST,
    CANCELLED
  }
}
