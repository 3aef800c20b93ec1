package io.holdfast.embedded;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What {@code postmaster.pid} says about the server of a cluster, which may be running, dead or
 * another one's.
 *
 * @param status {@code ready}, {@code starting}, {@code stopping}, or empty while the file is being
 *     written
 */
record Postmaster(long pid, String cluster, int port, String status) {
  /** More than Linux gives to any process. */
  private static final int NO_PID = (1 << 22) + 1;

  private static final Pattern PORT = Pattern.compile("\"-p\" \"(\\d{1,5})\"");

  /** Reads the file; nothing when there is none or it names no process. */
  static Optional<Postmaster> read(Path cluster) throws IOException {
    List<String> lines;
    try {
      lines = text(file(cluster)).lines().map(String::strip).toList();
    } catch (NoSuchFileException none) {
      return Optional.empty();
    }
    if (lines.isEmpty() || !lines.get(0).matches("-?\\d{1,9}")) {
      return Optional.empty();
    }
    // Negative for a stand-alone backend, which excludes a server just the same.
    long pid = Math.abs(Long.parseLong(lines.get(0)));
    String port = line(lines, 3);
    return Optional.of(
        new Postmaster(
            pid,
            line(lines, 1),
            port.matches("\\d{1,5}") ? Integer.parseInt(port) : 0,
            line(lines, 7)));
  }

  /** Where a server of the cluster was last told to listen, whether it runs or not. */
  static OptionalInt lastPort(Path cluster) throws IOException {
    try {
      Matcher port = PORT.matcher(text(cluster.resolve("postmaster.opts")));
      return port.find() ? OptionalInt.of(Integer.parseInt(port.group(1))) : OptionalInt.empty();
    } catch (NoSuchFileException never) {
      return OptionalInt.empty();
    }
  }

  static Path file(Path cluster) {
    return cluster.resolve("postmaster.pid");
  }

  boolean isReady() {
    return status.equals("ready");
  }

  /** Whether the file speaks of this cluster and not of one it was copied from. */
  boolean names(Path here) {
    return isSame(cluster, here);
  }

  /** Whether the process exists and is a PostgreSQL, of whatever cluster. */
  boolean isPostgres() throws IOException {
    List<String> command = command();
    return !command.isEmpty() && command.get(0).matches("(.*/)?postgres(:.*)?");
  }

  /**
   * Whether the process is the server of this cluster; a pid that now is another program's does not
   * count.
   */
  boolean serves(Path here) throws IOException {
    if (!isPostgres()) {
      return false;
    }
    List<String> command = command();
    int option = command.indexOf("-D");
    if (option >= 0 && option + 1 < command.size()) {
      return isSame(command.get(option + 1), here);
    }
    return isSame("/proc/" + pid + "/cwd", here);
  }

  /**
   * Makes the file name a process that cannot exist. The server refuses to start while the pid is
   * anybody's, but the file also names the shared memory by which it notices surviving backends, so
   * it must not be deleted.
   */
  void disown(Path here) throws IOException {
    String text = text(file(here));
    Files.writeString(file(here), NO_PID + text.substring(text.indexOf('\n')));
  }

  private List<String> command() throws IOException {
    Path file = Path.of("/proc", Long.toString(pid), "cmdline");
    try {
      return words(file);
    } catch (IOException endedWhileWeRead) {
      return words(file); // a process ends once, so this tells whether it was that
    }
  }

  private static List<String> words(Path file) throws IOException {
    try {
      return List.of(text(file).split("\0"));
    } catch (NoSuchFileException | AccessDeniedException gone) {
      return List.of();
    }
  }

  private static boolean isSame(String path, Path here) {
    try {
      return Files.isSameFile(Path.of(path), here);
    } catch (IOException | InvalidPathException unreachable) {
      return false;
    }
  }

  private static String text(Path file) throws IOException {
    return new String(Files.readAllBytes(file), StandardCharsets.UTF_8);
  }

  private static String line(List<String> lines, int index) {
    return index < lines.size() ? lines.get(index) : "";
  }
}
