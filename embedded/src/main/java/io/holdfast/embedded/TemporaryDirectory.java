package io.holdfast.embedded;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Data directories that live as long as their server; what a killed JVM left is removed by the next
 * one.
 */
final class TemporaryDirectory {
  private static final Logger log = LoggerFactory.getLogger(TemporaryDirectory.class);
  private static final String PREFIX = "holdfast-postgres-";
  private static final String MINE = PREFIX + ProcessHandle.current().pid() + "-";

  private TemporaryDirectory() {}

  /** A new directory below the JVM's temporary directory. */
  static Path create() throws IOException, InterruptedException {
    Path parent = Path.of(System.getProperty("java.io.tmpdir"));
    sweep(parent);
    return Files.createTempDirectory(parent, MINE);
  }

  /** Stops and deletes what processes that are dead now left behind. */
  static void sweep(Path parent) throws IOException, InterruptedException {
    try (DirectoryStream<Path> directories = Files.newDirectoryStream(parent, PREFIX + "*")) {
      for (Path directory : directories) {
        if (!directory.getFileName().toString().startsWith(MINE)) {
          try {
            sweepOne(directory);
          } catch (IOException | EmbeddedPostgresException failure) {
            log.info("Cannot remove {}: {}", directory, failure.toString());
          }
        }
      }
    }
  }

  private static void sweepOne(Path path) throws IOException, InterruptedException {
    DataDirectory directory = new DataDirectory(path.toRealPath());
    if (Trees.owner(path) != Account.me() || Files.notExists(directory.lock())) {
      return; // another user's, or just being made
    }
    Optional<LockFile> lock = LockFile.tryAcquire(directory.lock());
    if (lock.isEmpty()) {
      return; // just being opened or closed
    }
    try (LockFile held = lock.get()) {
      if (new Users(directory.users()).wereLeftBehind()) {
        log.info("Removing {}, left by a process that was killed", held.file().getParent());
        remove(directory);
      }
    }
  }

  private static void remove(DataDirectory directory) throws IOException, InterruptedException {
    Account account = Account.choose(directory.root(), directory.clusterOwner());
    new Server(directory, Binaries.locate(directory, account), account).stop();
    Trees.delete(directory.root());
  }
}
