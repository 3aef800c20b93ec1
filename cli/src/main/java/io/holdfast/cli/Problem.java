package io.holdfast.cli;

import io.holdfast.HoldfastException;
import io.holdfast.embedded.EmbeddedPostgresException;
import java.sql.SQLException;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Says on standard error what went wrong: in one line, without a password, key or stack trace. */
final class Problem {
  /**
   * Failures of which the server or driver speaks without quoting data: connection, credentials,
   * unknown database or schema, resources, shutdown, privilege.
   */
  private static final List<String> PLAIN = List.of("08", "28", "3D", "3F", "53", "57P", "42501");

  /** What stands for a password in a connection string that a user has typed. */
  private static final Pattern PASSWORD =
      Pattern.compile("(?<=://)[^/\\s]*(?=@)|(?<=password=)[^&\\s']*");

  private Problem() {}

  /** One line on standard error. */
  static void say(String message) {
    System.err.println("holdfast: " + Text.oneLine(PASSWORD.matcher(message).replaceAll("***")));
  }

  /** Whether stack traces are wanted. */
  static boolean isDebugging() {
    String debug = System.getenv("HOLDFAST_DEBUG");
    return debug != null && !debug.isEmpty();
  }

  /** What to say of {@code failure}. */
  static String of(Throwable failure) {
    if (failure instanceof HoldfastException ours) {
      return ours.code().text() + ": " + ours.getMessage() + reason(ours);
    }
    if (failure instanceof EmbeddedPostgresException embedded) {
      return String.valueOf(embedded.getMessage());
    }
    return "unexpected "
        + failure.getClass().getSimpleName()
        + ": "
        + failure.getMessage()
        + (isDebugging() ? "" : " (set HOLDFAST_DEBUG=1 to see more)");
  }

  private static String reason(HoldfastException failure) {
    for (@Nullable Throwable t = failure.getCause(); t != null; t = t.getCause()) {
      if (t instanceof SQLException sql && sql.getSQLState() != null && isPlain(sql)) {
        return ": " + sql.getMessage();
      }
    }
    return "";
  }

  private static boolean isPlain(SQLException failure) {
    return PLAIN.stream().anyMatch(failure.getSQLState()::startsWith);
  }
}
