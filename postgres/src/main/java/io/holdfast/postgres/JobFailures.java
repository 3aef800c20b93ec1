package io.holdfast.postgres;

import io.holdfast.ErrorCode;
import io.holdfast.HoldfastException;
import io.holdfast.job.JobError;
import io.holdfast.job.JobException;
import java.sql.SQLException;

/** Database failures as job failures. */
final class JobFailures {
  private JobFailures() {}

  /** A call that failed; one that {@code mutates} may have taken effect all the same. */
  static JobException of(String operation, boolean mutates, SQLException e) {
    String message = Failures.message(operation, e);
    if (mutates && Statements.outcomeUnknown(e)) {
      return JobException.unknown(message + "; the outcome is unknown", e);
    }
    return new JobException(error(e), message, e);
  }

  /** A failure of the kernel, before the call was made. */
  static JobException of(String operation, HoldfastException e) {
    if (e instanceof JobException known) {
      return known;
    }
    return e.getCause() instanceof SQLException cause
        ? of(operation, false, cause)
        : new JobException(error(e.code()), String.valueOf(e.getMessage()), e);
  }

  private static JobError error(ErrorCode code) {
    return switch (code) {
      case INVALID_ARGUMENT -> JobError.INTERNAL;
      case ABORTED -> JobError.ABORTED;
      default -> JobError.STORE_UNAVAILABLE;
    };
  }

  private static JobError error(SQLException e) {
    String state = e.getSQLState() == null ? "" : e.getSQLState();
    if (state.startsWith("53") || state.startsWith("57P")) {
      return JobError.STORE_UNAVAILABLE;
    }
    return switch (Statements.codeOf(e)) {
      case SERVICE_UNAVAILABLE, RATE_LIMITED, NETWORK_TIMEOUT -> JobError.STORE_UNAVAILABLE;
      case ABORTED -> JobError.ABORTED;
      case INVALID_ARGUMENT ->
          state.startsWith("22") || state.startsWith("23")
              ? JobError.INVALID_ARGUMENT
              : JobError.INTERNAL;
      default -> JobError.INTERNAL;
    };
  }
}
