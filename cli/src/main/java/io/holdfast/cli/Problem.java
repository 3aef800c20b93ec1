package io.holdfast.cli;

import io.holdfast.HoldfastException;
import io.holdfast.embedded.EmbeddedPostgresException;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Says on standard error what went wrong: in one line, without a password, key or stack trace. */
final class Problem {
  /**
   * Failures of which the server or driver speaks without quoting data: connection, credentials,
   * unknown database or schema, resources, shutdown, privilege.
   */
  private static final List<String> PLAIN = List.of("08", "28", "3D", "3F", "53", "57P", "42501");

  private static final Pattern STATE = Pattern.compile("SQLSTATE (\\w{5})");

  /** User and password in a connection string that a user has typed; rather too much than less. */
  private static final Pattern PASSWORD = Pattern.compile("(?<=://).*(?=@)|(?<=password=)[^&']*");

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
    if (failure instanceof NoSuchFileException missing) {
      return "there is no file " + missing.getFile();
    }
    if (failure instanceof IOException) {
      return String.valueOf(failure.getMessage());
    }
    return "unexpected "
        + failure.getClass().getSimpleName()
        + ": "
        + failure.getMessage()
        + (isDebugging() ? "" : " (set HOLDFAST_DEBUG=1 to see more)");
  }

  /** What the server or driver said, where that is known to quote no data. */
  private static String reason(HoldfastException failure) {
    Matcher state = STATE.matcher(String.valueOf(failure.getMessage()));
    @Nullable Throwable cause = failure;
    while (cause instanceof HoldfastException) {
      cause = cause.getCause();
    }
    boolean plain = state.find() && PLAIN.stream().anyMatch(state.group(1)::startsWith);
    return plain && cause != null ? ": " + cause.getMessage() : "";
  }
}
