package io.holdfast.embedded;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The programs of PostgreSQL, unpacked from the class path once per user and version.
 *
 * <p>They lie in {@code $XDG_CACHE_HOME/holdfast} or {@code ~/.cache/holdfast}; when root lets
 * another account run them, in {@code /var/cache/holdfast}. Where that cannot be used, they lie in
 * {@code runtime} below the data directory. Only their owner can change them. The name holds a
 * digest of the archive, so two versions never meet.
 *
 * @param home where {@code bin}, {@code lib} and {@code share} are
 * @param version such as 18.6
 */
record Binaries(Path home, String version) {
  private static final Logger log = LoggerFactory.getLogger(Binaries.class);
  private static final Path SYSTEM_CACHE = Path.of("/var/cache/holdfast");
  private static final Duration PATIENCE = Duration.ofMinutes(2);
  private static final Duration TIMEOUT = Duration.ofSeconds(20);

  /** Finds or unpacks what the given account can run. */
  static Binaries locate(DataDirectory directory, Account account)
      throws IOException, InterruptedException {
    Archive archive = Archive.forThisMachine(directory.root());
    try {
      return unpacked(archive, account.files().given() ? SYSTEM_CACHE : userCache());
    } catch (IOException unusable) {
      log.info("Unpacking PostgreSQL below {} because: {}", directory.root(), unusable.toString());
      return unpacked(archive, directory.runtime());
    }
  }

  /**
   * Finds or unpacks below the given directory. What carries the final name is complete: it is
   * unpacked under another name and then renamed. Processes that come at the same time wait for the
   * one that unpacks.
   */
  static Binaries unpacked(Archive archive, Path parent) throws IOException, InterruptedException {
    Path home = parent.toAbsolutePath().resolve(archive.name());
    if (Files.notExists(home)) {
      Trees.createPrivate(home.getParent());
      LockFile.holding(home.resolveSibling("lock"), PATIENCE, () -> unpack(archive, home));
    }
    requireOurs(home);
    return new Binaries(home, Files.readString(versionFile(home)));
  }

  private static Path unpack(Archive archive, Path home) throws IOException, InterruptedException {
    if (Files.exists(home)) {
      return home;
    }
    Path unfinished = home.resolveSibling(home.getFileName() + ".unfinished");
    Trees.delete(unfinished);
    archive.unpack(unfinished);
    Command said =
        Command.run(
                List.of(unfinished.resolve("bin/postgres").toString(), "--version"), "", TIMEOUT)
            .orThrow("The unpacked PostgreSQL, which needs glibc,");
    String version = said.output().replaceAll("^\\D*", "").replaceAll("\\s.*$", "");
    Files.writeString(versionFile(unfinished), version);
    return Files.move(unfinished, home, StandardCopyOption.ATOMIC_MOVE);
  }

  /** Programs that somebody else could have placed or changed are not run. */
  private static void requireOurs(Path home) throws IOException {
    boolean writable =
        Files.getPosixFilePermissions(home).stream()
            .anyMatch(permission -> permission.name().matches("(GROUP|OTHERS)_WRITE"));
    if (writable || Trees.owner(home) != Account.me()) {
      throw new IOException(home + " can be changed by others; delete it");
    }
  }

  private static Path versionFile(Path home) {
    return home.resolve("version");
  }

  private static Path userCache() {
    return Optional.ofNullable(System.getenv("XDG_CACHE_HOME"))
        .map(Path::of)
        .filter(Path::isAbsolute)
        .orElseGet(() -> Path.of(System.getProperty("user.home"), ".cache"))
        .resolve("holdfast");
  }

  /** The part of the version that decides whether a cluster can be opened. */
  String major() {
    return version.replaceAll("\\..*$", "");
  }

  Path program(String name) {
    return home.resolve("bin").resolve(name);
  }
}
