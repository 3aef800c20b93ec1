package io.holdfast.postgres;

import io.holdfast.ErrorCode;
import io.holdfast.HoldfastException;
import io.holdfast.queue.QueueException;
import java.sql.SQLException;

/** Database failures as queue failures. */
final class QueueFailures {
  private static final String NO_TABLE = "42P01";
  private static final String LOCK_NOT_FREE = "55P03";

  private QueueFailures() {}

  /** What failed: an operation on a queue, which may have changed something or only looked. */
  record Doing(String operation, String queue, boolean mutates) {
    static Doing change(String operation, String queue) {
      return new Doing(operation, queue, true);
    }

    static Doing look(String operation, String queue) {
      return new Doing(operation, queue, false);
    }
  }

  static QueueException of(Doing doing, SQLException e) {
    String message = Failures.message(doing.operation() + " of '" + doing.queue() + "'", e);
    ErrorCode code = Statements.codeOf(e);
    if (doing.mutates() && Statements.outcomeUnknown(e)) {
      return QueueException.unknown(message + "; the outcome is unknown", e);
    }
    if (isInvalid(e)) {
      return new QueueException(
          QueueException.Kind.INVALID, ErrorCode.INVALID_ARGUMENT, message, e);
    }
    return code == ErrorCode.ABORTED || isTransient(code, e)
        ? new QueueException(QueueException.Kind.RETRYABLE, code, message, e)
        : QueueException.internal(message, e);
  }

  /** A failure of the kernel that never reached a queue. */
  static QueueException of(Doing doing, HoldfastException e) {
    if (e instanceof QueueException known) {
      return known;
    }
    return e.getCause() instanceof SQLException cause
        ? of(new Doing(doing.operation(), doing.queue(), false), cause)
        : new QueueException(
            e.code() == ErrorCode.INVALID_ARGUMENT
                ? QueueException.Kind.INTERNAL
                : QueueException.Kind.RETRYABLE,
            e.code(),
            String.valueOf(e.getMessage()),
            e);
  }

  static boolean isNoTable(SQLException e) {
    return NO_TABLE.equals(e.getSQLState());
  }

  static boolean isLockNotFree(SQLException e) {
    return LOCK_NOT_FREE.equals(e.getSQLState());
  }

  /** A rival made the same thing a moment earlier. */
  static boolean isMadeAlready(SQLException e) {
    return "42P07".equals(e.getSQLState()) || "23505".equals(e.getSQLState());
  }

  /** Data that the server refuses, or a limit of its own that they exceed. */
  private static boolean isInvalid(SQLException e) {
    return isOfClass(e, "22") || isOfClass(e, "23") || isOfClass(e, "54");
  }

  private static boolean isTransient(ErrorCode code, SQLException e) {
    return code == ErrorCode.NETWORK_TIMEOUT
        || code == ErrorCode.SERVICE_UNAVAILABLE
        || code == ErrorCode.RATE_LIMITED
        || isOfClass(e, "53")
        || isOfClass(e, "57P");
  }

  private static boolean isOfClass(SQLException e, String start) {
    return e.getSQLState() != null && e.getSQLState().startsWith(start);
  }
}
