package io.holdfast.embedded;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SeekableByteChannel;
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
  private static final int BYTES = 8192;

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

  /** Whether the server refused to start because processes of its predecessor are still there. */
  static boolean tellsOfSurvivors(DataDirectory directory) {
    return lastLines(directory.startLog()).contains("pre-existing shared memory block");
  }

  private static String lastLines(Path file) {
    try (SeekableByteChannel channel = Files.newByteChannel(file)) {
      channel.position(Math.max(0, channel.size() - BYTES));
      ByteBuffer end = ByteBuffer.allocate(BYTES);
      while (end.hasRemaining() && channel.read(end) >= 0) {
        continue;
      }
      List<String> lines = StandardCharsets.UTF_8.decode(end.flip()).toString().lines().toList();
      return String.join("\n", lines.subList(Math.max(0, lines.size() - LINES), lines.size()));
    } catch (IOException unreadable) {
      return "(no log: " + unreadable + ")";
    }
  }
}
