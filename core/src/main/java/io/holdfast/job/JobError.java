package io.holdfast.job;

import io.holdfast.ErrorCode;

/** What went wrong with a job operation, or with one item of it. */
public enum JobError {
  /** An id that is blank. */
  JOB_ID_REQUIRED("JobIdRequired", ErrorCode.INVALID_ARGUMENT),
  /** A type that is blank. */
  JOB_TYPE_REQUIRED("JobTypeRequired", ErrorCode.INVALID_ARGUMENT),
  /** A queue that is blank. */
  QUEUE_REQUIRED("QueueRequired", ErrorCode.INVALID_ARGUMENT),
  /** A timeout below zero. */
  NEGATIVE_TIMEOUT("NegativeTimeout", ErrorCode.INVALID_ARGUMENT),
  /** Attempts below zero. */
  NEGATIVE_ATTEMPTS("NegativeAttempts", ErrorCode.INVALID_ARGUMENT),
  /** A maximum of attempts below zero. */
  NEGATIVE_MAX_ATTEMPTS("NegativeMaxAttempts", ErrorCode.INVALID_ARGUMENT),
  /** More attempts than there may be. */
  ATTEMPTS_EXCEED_MAX_ATTEMPTS("AttemptsExceedMaxAttempts", ErrorCode.INVALID_ARGUMENT),
  /** A lease that is not longer than nothing, or longer than a day. */
  INVALID_LEASE_DURATION("InvalidLeaseDuration", ErrorCode.INVALID_ARGUMENT),
  /** A number of jobs outside what one call may ask for. */
  INVALID_LIMIT("InvalidLimit", ErrorCode.INVALID_ARGUMENT),
  /** A cursor that this list did not give. */
  INVALID_CURSOR("InvalidCursor", ErrorCode.INVALID_ARGUMENT),
  /** A schedule that cannot be read, or never fires. */
  INVALID_SCHEDULE("InvalidSchedule", ErrorCode.INVALID_ARGUMENT),
  /** Any other mistake of the caller. */
  INVALID_ARGUMENT("InvalidArgument", ErrorCode.INVALID_ARGUMENT),
  /** A payload beyond the limit. */
  PAYLOAD_TOO_LARGE("PayloadTooLarge", ErrorCode.INVALID_ARGUMENT),
  /** No such job. */
  JOB_NOT_FOUND("JobNotFound", ErrorCode.INVALID_ARGUMENT),
  /** No such schedule. */
  SCHEDULE_NOT_FOUND("ScheduleNotFound", ErrorCode.INVALID_ARGUMENT),
  /** The job is not being run, so its run cannot be settled. */
  JOB_NOT_INFLIGHT("JobNotInflight", ErrorCode.CONFLICT),
  /** The lease has ended. */
  LEASE_EXPIRED("LeaseExpired", ErrorCode.LEASE_LOST),
  /** Somebody else holds the job now. */
  LEASE_MISMATCH("LeaseMismatch", ErrorCode.LEASE_LOST),
  /** There is a job with this id, under another idempotency key or none. */
  DUPLICATE_JOB_ID("DuplicateJobId", ErrorCode.CONFLICT),
  /** The job is neither dead nor cancelled nor scheduled. */
  JOB_NOT_REQUEUEABLE("JobNotRequeueable", ErrorCode.CONFLICT),
  /** The job is in another queue than the caller thinks. */
  QUEUE_MISMATCH("QueueMismatch", ErrorCode.CONFLICT),
  /** Closed, or about to be. */
  STORE_CLOSED("StoreClosed", ErrorCode.CLOSED),
  /** The database is away, out of resources, or had too many rivals. Worth repeating. */
  STORE_UNAVAILABLE("StoreUnavailable", ErrorCode.SERVICE_UNAVAILABLE),
  /** The calling thread was interrupted, or the call called off. */
  ABORTED("Aborted", ErrorCode.ABORTED),
  /** A defect. */
  INTERNAL("Internal", ErrorCode.INTERNAL);

  private final String text;
  private final ErrorCode code;

  JobError(String text, ErrorCode code) {
    this.text = text;
    this.code = code;
  }

  /** The spelling used on the wire and in logs. */
  public String text() {
    return text;
  }

  /** The code that all capabilities share. */
  public ErrorCode code() {
    return code;
  }
}
