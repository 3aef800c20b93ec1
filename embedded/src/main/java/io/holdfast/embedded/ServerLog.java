package io.holdfast.embedded;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** What the server said last, for the message of a failure. */
final class ServerLog {
  private static final int LINES = 8;

  private ServerLog() {}

  /** The last lines of the newest log, and of what was said before it was open. */
  static String tail(DataDirectory directory) {
    Path logs = directory.cluster().resolve("log");
    String said = lastLines(directory.startLog());
    if (!Files.isDirectory(logs)) {
      return said;
    }
    try (Stream<Path> files = Files.list(logs)) {
      Optional<Path> newest =
          files.max(Comparator.comparingLong(file -> file.toFile().lastModified()));
      return newest.map(file -> said + System.lineSeparator() + lastLines(file)).orElse(said);
    } catch (IOException unreadable) {
      return said;
    }
  }

  private static String lastLines(Path file) {
    try {
      String text = new String(Files.readAllBytes(file), StandardCharsets.UTF_8);
      List<String> lines = text.lines().toList();
      return String.join("\n", lines.subList(Math.max(0, lines.size() - LINES), lines.size()));
    } catch (IOException unreadable) {
      return "(no log: " + unreadable + ")";
    }
  }
}
