package io.holdfast.postgres;

import io.holdfast.ErrorCode;
import io.holdfast.HoldfastException;
import io.holdfast.stream.StreamError;
import io.holdfast.stream.StreamException;
import java.sql.SQLException;

/** Database failures as stream failures. */
final class StreamFailures {
  private StreamFailures() {}

  /** A call that failed; one that {@code mutates} may have taken effect all the same. */
  static StreamException of(String operation, boolean mutates, SQLException e) {
    String message = Failures.message(operation, e);
    if (mutates && Statements.outcomeUnknown(e)) {
      return StreamException.unknown(message + "; the outcome is unknown", e);
    }
    return new StreamException(error(e), message, e);
  }

  /** A failure of the kernel, before the call was made. */
  static StreamException of(String operation, HoldfastException e) {
    if (e instanceof StreamException known) {
      return known;
    }
    return e.getCause() instanceof SQLException cause
        ? of(operation, false, cause)
        : new StreamException(
            e.code() == ErrorCode.INVALID_ARGUMENT ? StreamError.INTERNAL : StreamError.UNAVAILABLE,
            String.valueOf(e.getMessage()),
            e);
  }

  private static StreamError error(SQLException e) {
    if ("55P03".equals(e.getSQLState())) {
      return StreamError.LOCK_TIMEOUT;
    }
    String state = e.getSQLState() == null ? "" : e.getSQLState();
    if (state.startsWith("53") || state.startsWith("57P")) {
      return StreamError.UNAVAILABLE;
    }
    return switch (Statements.codeOf(e)) {
      case SERVICE_UNAVAILABLE, RATE_LIMITED, NETWORK_TIMEOUT -> StreamError.UNAVAILABLE;
      case ABORTED -> StreamError.ABORTED;
      case INVALID_ARGUMENT ->
          state.startsWith("22") || state.startsWith("23")
              ? StreamError.INVALID_ARGUMENT
              : StreamError.INTERNAL;
      default -> StreamError.INTERNAL;
    };
  }
}
