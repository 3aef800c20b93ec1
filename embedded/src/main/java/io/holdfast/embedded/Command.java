package io.holdfast.embedded;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * One finished run of a program that says little: its exit status and its output, errors included.
 */
record Command(int status, String output) {

  /** Runs to the end; a program that takes too long is killed, and that is an error. */
  static Command run(List<String> arguments, String input, Duration timeout)
      throws IOException, InterruptedException {
    Process process = builder(arguments).start();
    try {
      try (var stdin = process.getOutputStream()) {
        stdin.write(input.getBytes(StandardCharsets.UTF_8));
      } catch (IOException endedWithoutReading) {
        // The exit status tells why.
      }
      if (!process.waitFor(timeout.toMillis(), TimeUnit.MILLISECONDS)) {
        throw new IOException(arguments + " did not end within " + timeout);
      }
      String output =
          new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
      return new Command(process.exitValue(), output);
    } finally {
      process.destroyForcibly();
    }
  }

  /**
   * A process that starts from a neutral place: not in our working directory, which another account
   * may not be able to enter, and without the PG… and locale variables of whoever started this JVM.
   */
  static ProcessBuilder builder(List<String> arguments) {
    ProcessBuilder builder = new ProcessBuilder(arguments).directory(new File("/"));
    builder.redirectErrorStream(true);
    builder.environment().keySet().removeIf(name -> name.startsWith("PG"));
    builder.environment().put("LC_ALL", "C");
    return builder;
  }

  boolean succeeded() {
    return status == 0;
  }

  /** This run, if it succeeded. */
  Command orThrow(String what) throws IOException {
    if (!succeeded()) {
      throw new IOException(what + " failed with status " + status + ": " + output);
    }
    return this;
  }
}
