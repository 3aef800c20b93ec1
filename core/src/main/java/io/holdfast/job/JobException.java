package io.holdfast.job;

import io.holdfast.HoldfastException;
import org.jspecify.annotations.Nullable;

/** A job operation that failed as a whole; it changed nothing unless its outcome is unknown. */
public class JobException extends HoldfastException {
  private static final long serialVersionUID = 1L;

  private final JobError error;
  private final @Nullable String id;
  private final boolean outcomeUnknown;

  /** A failure of this kind. */
  public JobException(JobError error, String message, @Nullable Throwable cause) {
    this(error, message, null, cause, false);
  }

  private JobException(
      JobError error,
      String message,
      @Nullable String id,
      @Nullable Throwable cause,
      boolean outcomeUnknown) {
    super(error.code(), message, cause);
    this.error = error;
    this.id = id;
    this.outcomeUnknown = outcomeUnknown;
  }

  /** What went wrong. */
  public final JobError error() {
    return error;
  }

  /** The job at fault, if it was one. */
  public final @Nullable String id() {
    return id;
  }

  /** True when the call was sent and its answer lost: it may have taken effect. */
  public final boolean isOutcomeUnknown() {
    return outcomeUnknown;
  }

  /** A caller's mistake; the message names the argument. */
  public static JobException invalid(String message) {
    return new JobException(JobError.INVALID_ARGUMENT, message, null);
  }

  /** A failure about one job. */
  public static JobException about(String id, JobError error, String message) {
    return new JobException(error, message, id, null, false);
  }

  /** A job that is not there. */
  public static JobException notFound(String id) {
    return about(id, JobError.JOB_NOT_FOUND, "there is no job '" + id + "'");
  }

  /** A job whose id is taken. */
  public static JobException duplicate(String id) {
    return about(id, JobError.DUPLICATE_JOB_ID, "there is a job with the id '" + id + "' already");
  }

  /** A schedule that is not there. */
  public static JobException noSchedule(String name) {
    return new JobException(
        JobError.SCHEDULE_NOT_FOUND, "there is no schedule named '" + name + "'", null);
  }

  /** Sent, and never answered. */
  public static JobException unknown(String message, @Nullable Throwable cause) {
    return new JobException(JobError.STORE_UNAVAILABLE, message, null, cause, true);
  }

  /** Worth repeating. */
  public static JobException unavailable(String message, @Nullable Throwable cause) {
    return new JobException(JobError.STORE_UNAVAILABLE, message, cause);
  }

  /** This process no longer does it. */
  public static JobException closed() {
    return new JobException(JobError.STORE_CLOSED, "the jobs are closed", null);
  }
}
