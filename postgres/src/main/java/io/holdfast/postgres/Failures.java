package io.holdfast.postgres;

import io.holdfast.ErrorCode;
import java.net.SocketTimeoutException;
import java.sql.SQLException;
import java.sql.SQLTimeoutException;
import java.sql.SQLTransientConnectionException;

/** The one place where what PostgreSQL or its driver reports becomes an error code of ours. */
final class Failures {
  private static final String STALE_FENCE = "LK001";

  /** Deep enough for any real failure, and an end for a chain that leads back to itself. */
  private static final int MAX_CAUSES = 20;

  private Failures() {}

  /** What kind of failure {@code e} is. */
  static ErrorCode code(SQLException e) {
    String state = state(e);
    if (isTimeout(e)) {
      return ErrorCode.NETWORK_TIMEOUT;
    }
    if (state.isEmpty()) {
      return e instanceof SQLTransientConnectionException
          ? ErrorCode.RATE_LIMITED // the pool's way to say that every connection is in use
          : ErrorCode.INTERNAL;
    }
    return byState(state);
  }

  /** The table of states; a class where a class is listed. */
  private static ErrorCode byState(String state) {
    switch (state) {
      case STALE_FENCE:
        return ErrorCode.STALE_FENCE;
      case "57014", "55P03":
        return ErrorCode.NETWORK_TIMEOUT;
      case "53300":
        return ErrorCode.RATE_LIMITED;
      case "53000", "53100", "53200", "25006":
        return ErrorCode.SERVICE_UNAVAILABLE;
      case "42501":
        return ErrorCode.AUTH_FAILED;
      case "42P01", "42703", "42883":
        return ErrorCode.INVALID_ARGUMENT;
      case "23505":
        return ErrorCode.INTERNAL;
      default:
        return byClass(state);
    }
  }

  private static ErrorCode byClass(String state) {
    if (state.startsWith("57P0")) {
      return ErrorCode.SERVICE_UNAVAILABLE;
    }
    return switch (state.substring(0, Math.min(2, state.length()))) {
      case "08", "40" -> ErrorCode.SERVICE_UNAVAILABLE;
      case "28" -> ErrorCode.AUTH_FAILED;
      case "22", "23" -> ErrorCode.INVALID_ARGUMENT;
      default -> ErrorCode.INTERNAL;
    };
  }

  /** Our words for it. The server's own may quote a key, so they stay with the cause. */
  static String message(String operation, SQLException e) {
    String state = state(e);
    String what =
        switch (state) {
          case "42P01", "42703", "42883" -> " failed: the schema is not set up";
          case "55P03" -> " failed: a database lock was not free in time";
          case STALE_FENCE -> " was refused: a newer holder has acted";
          case "" -> " failed";
          default -> " failed";
        };
    return operation + what + (state.isEmpty() ? "" : " (SQLSTATE " + state + ")");
  }

  /** A transaction that lost against another and may simply be repeated. */
  static boolean isRetryable(SQLException e) {
    String state = state(e);
    return state.equals("40001") || state.equals("40P01");
  }

  /** A statement that was cancelled, by us or by the server. */
  static boolean isCancelled(SQLException e) {
    return state(e).equals("57014");
  }

  /** A database that is not there, or not yet, as against one that refuses us. */
  static boolean isUnreachable(SQLException e) {
    String state = state(e);
    return state.startsWith("08") || state.equals("57P03");
  }

  /** Whether a statement that was sent may have taken effect although this came back. */
  static boolean leavesOutcomeUnknown(SQLException e) {
    String state = state(e);
    return state.isEmpty() || state.startsWith("08") || state.startsWith("57P0") || isTimeout(e);
  }

  private static boolean isTimeout(SQLException e) {
    Throwable cause = e;
    for (int depth = 0; cause != null && depth < MAX_CAUSES; depth++) {
      if (cause instanceof SocketTimeoutException || cause instanceof SQLTimeoutException) {
        return true;
      }
      cause = cause.getCause();
    }
    return false;
  }

  private static String state(SQLException e) {
    return e.getSQLState() == null ? "" : e.getSQLState();
  }
}
