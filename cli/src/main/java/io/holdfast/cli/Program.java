package io.holdfast.cli;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Looks whether a program can be run, before anybody waits for a lock in vain. */
final class Program {
  private Program() {}

  /**
   * {@link Exit#OK}, {@link Exit#NOT_FOUND} or {@link Exit#NOT_EXECUTABLE}; a name without a slash
   * is looked for in {@code path}.
   */
  static int check(String name, @Nullable String path) {
    try {
      if (name.contains("/")) {
        return check(Path.of(name));
      }
      return Stream.of((path == null ? "/usr/bin:/bin" : path).split(File.pathSeparator))
          .mapToInt(directory -> check(Path.of(directory.isEmpty() ? "." : directory, name)))
          .min()
          .orElse(Exit.NOT_FOUND);
    } catch (InvalidPathException e) {
      return Exit.NOT_FOUND;
    }
  }

  private static int check(Path file) {
    if (Files.isRegularFile(file)) {
      return Files.isExecutable(file) ? Exit.OK : Exit.NOT_EXECUTABLE;
    }
    return Files.exists(file) ? Exit.NOT_EXECUTABLE : Exit.NOT_FOUND;
  }
}
