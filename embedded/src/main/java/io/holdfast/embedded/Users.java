package io.holdfast.embedded;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The processes that use one data directory: a locked file {@code <pid>-<pid namespace>-<n>} for
 * each, so that the dead never count. Every method is called while holding the lock of the data
 * directory.
 */
final class Users {
  private static final long PID = ProcessHandle.current().pid();

  private final Path directory;

  Users(Path directory) {
    this.directory = directory;
  }

  /** Counts this JVM in, until the returned lock is given to {@link #leave} or the JVM dies. */
  LockFile register() throws IOException {
    Trees.createPrivate(directory);
    for (int n = 1; ; n++) {
      Optional<LockFile> lock =
          LockFile.tryAcquire(directory.resolve(PID + "-" + namespace() + "-" + n));
      if (lock.isPresent()) {
        return lock.get();
      }
    }
  }

  /** Counts this JVM out. */
  void leave(LockFile mine) throws IOException {
    Files.deleteIfExists(mine.file());
    mine.close();
  }

  /** Whether any process uses the directory; the caller has left or never registered. */
  boolean isEmpty() throws IOException {
    return living(null).isEmpty();
  }

  /**
   * Whether a living user sees other process ids than we do, as in another container. Such a user's
   * server is invisible to us.
   */
  boolean hasStrangers(LockFile mine) throws IOException {
    String infix = "-" + namespace() + "-";
    return living(mine).stream().anyMatch(file -> !file.getFileName().toString().contains(infix));
  }

  /** Whether somebody once registered and died without leaving. */
  boolean wereLeftBehind() throws IOException {
    return !files().isEmpty() && isEmpty();
  }

  private List<Path> living(@Nullable LockFile mine) throws IOException {
    List<Path> living = new ArrayList<>();
    for (Path file : files()) {
      if (mine != null && file.equals(mine.file())) {
        continue;
      }
      Optional<LockFile> dead = LockFile.tryAcquire(file);
      if (dead.isPresent()) {
        leave(dead.get());
      } else {
        living.add(file);
      }
    }
    return living;
  }

  private List<Path> files() throws IOException {
    List<Path> files = new ArrayList<>();
    if (Files.isDirectory(directory)) {
      try (DirectoryStream<Path> stream = Files.newDirectoryStream(directory)) {
        stream.forEach(files::add);
      }
    }
    return files;
  }

  private static String namespace() throws IOException {
    String link = Files.readSymbolicLink(Path.of("/proc/self/ns/pid")).toString();
    return link.replaceAll("[^0-9]", "");
  }
}
