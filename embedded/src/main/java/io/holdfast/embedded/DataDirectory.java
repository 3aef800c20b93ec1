package io.holdfast.embedded;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.OptionalInt;

/**
 * Our directory and what lies in it: the cluster of PostgreSQL in {@code postgres}, and beside it
 * the superuser's password, the lock for starting and stopping, and the list of users.
 *
 * @param root its real path, one for all the names the directory may have
 */
record DataDirectory(Path root) {
  private static final int PASSWORD_BYTES = 24;

  /** Makes the directory where it is missing; one that is itself a cluster is left untouched. */
  static DataDirectory prepare(Path dataDir) throws IOException {
    if (Files.notExists(dataDir)) {
      Trees.createPrivate(dataDir.toAbsolutePath());
    }
    DataDirectory directory = new DataDirectory(dataDir.toRealPath());
    if (Files.exists(directory.root.resolve("PG_VERSION"))) {
      throw directory.foreign();
    }
    return directory;
  }

  Path lock() {
    return root.resolve("lock");
  }

  Path users() {
    return root.resolve("users");
  }

  Path cluster() {
    return root.resolve("postgres");
  }

  /** What the server says before its own log is open. */
  Path startLog() {
    return root.resolve("start.log");
  }

  /** Names the server that is being stopped. */
  Path stopping() {
    return root.resolve("stopping");
  }

  Path runtime() {
    return root.resolve("runtime");
  }

  /** Who owns the cluster; nobody while there is none. */
  OptionalInt clusterOwner() throws IOException {
    return Files.exists(cluster()) ? OptionalInt.of(Trees.owner(cluster())) : OptionalInt.empty();
  }

  boolean hasCluster() {
    return Files.exists(cluster().resolve("PG_VERSION"));
  }

  /** Refuses a cluster that we did not make or that our version cannot read. */
  void requireOurs(String major) throws IOException {
    if (!hasCluster()) {
      return;
    }
    if (Files.notExists(passwordFile())) {
      throw foreign();
    }
    String found = Files.readString(cluster().resolve("PG_VERSION")).strip();
    if (!found.equals(major)) {
      throw new EmbeddedPostgresException(
          root,
          "it was created by PostgreSQL %s and this is PostgreSQL %s; dump it with the version that"
                  .formatted(found, major)
              + " wrote it, or choose another directory");
    }
  }

  private EmbeddedPostgresException foreign() {
    return new EmbeddedPostgresException(
        root,
        "it holds a PostgreSQL cluster that Holdfast did not create; choose an empty directory, or"
            + " start that server yourself and connect to it by URL");
  }

  /** The superuser's password: made at the first call, in a file that only its owner can read. */
  String password() throws IOException {
    Path file = passwordFile();
    if (Files.notExists(file)) {
      byte[] random = new byte[PASSWORD_BYTES];
      new SecureRandom().nextBytes(random);
      Path unfinished = root.resolve("password.unfinished");
      Files.deleteIfExists(unfinished);
      Files.createFile(unfinished, Trees.PRIVATE_FILE);
      Files.writeString(unfinished, Base64.getUrlEncoder().encodeToString(random));
      Trees.sync(unfinished);
      Files.move(unfinished, file, StandardCopyOption.ATOMIC_MOVE);
      Trees.sync(root);
    }
    Trees.allow(file, "rw-------");
    return Files.readString(file).strip();
  }

  Path passwordFile() {
    return root.resolve("password");
  }
}
