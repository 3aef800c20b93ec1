package io.holdfast.job;

import org.jspecify.annotations.Nullable;

/**
 * What became of a settlement.
 *
 * @param error why it was refused: {@code JOB_NOT_INFLIGHT}, {@code LEASE_EXPIRED} or {@code
 *     LEASE_MISMATCH}; null: it was not
 * @param isRepeated whether the same holder had settled it so before
 * @param isCancelled whether the job ended instead of being retried
 * @param isCancelRequested whether the run, which goes on, was asked to end
 */
public record Settled(
    String id,
    @Nullable JobError error,
    boolean isRepeated,
    boolean isCancelled,
    boolean isCancelRequested) {
  /** Done as asked. */
  public static Settled done(String id) {
    return new Settled(id, null, false, false, false);
  }

  /** Done before. */
  public static Settled repeated(String id) {
    return new Settled(id, null, true, false, false);
  }

  /** Not done. */
  public static Settled refused(String id, JobError error) {
    return new Settled(id, error, false, false, false);
  }

  /** Whether it was not refused. */
  public boolean isOk() {
    return error == null;
  }
}
