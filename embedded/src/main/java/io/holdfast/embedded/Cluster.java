package io.holdfast.embedded;

import java.io.IOException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The making of a new cluster: superuser and database {@code holdfast}, UTF-8, the same sort order
 * on every machine, scram for every connection. It gets its name when it is complete, so a process
 * killed midway leaves nothing that counts.
 */
final class Cluster {
  static final String USER = "holdfast";
  static final String DATABASE = "holdfast";

  private static final Logger log = LoggerFactory.getLogger(Cluster.class);
  private static final String STAGING = "staging-";
  private static final Duration TIMEOUT = Duration.ofMinutes(2);

  private final DataDirectory directory;
  private final Binaries binaries;
  private final Account account;

  Cluster(DataDirectory directory, Binaries binaries, Account account) {
    this.directory = directory;
    this.binaries = binaries;
    this.account = account;
  }

  /** Makes the cluster unless it is there. Called while holding the lock of the directory. */
  void create() throws IOException, InterruptedException {
    deleteUnfinished();
    if (directory.hasCluster()) {
      return;
    }
    log.info("Creating a PostgreSQL {} cluster in {}", binaries.version(), directory.root());
    // A name of its own: the initdb of a killed process may still be at work in another.
    Path staging = Files.createTempDirectory(directory.root(), STAGING);
    Path password = Files.createFile(staging.resolve("password"), Trees.PRIVATE_FILE);
    Files.writeString(password, directory.password());
    account.own(staging);
    Path unnamed = staging.resolve("cluster");
    initdb(unnamed, password);
    createDatabase(unnamed);
    Files.move(unnamed, directory.cluster(), StandardCopyOption.ATOMIC_MOVE);
    Trees.sync(directory.root());
    Trees.delete(staging);
  }

  private void deleteUnfinished() throws IOException {
    try (DirectoryStream<Path> left = Files.newDirectoryStream(directory.root(), STAGING + "*")) {
      for (Path staging : left) {
        try {
          Trees.delete(staging);
        } catch (DirectoryNotEmptyException stillWrittenTo) {
          log.info("{} stays until the directory is opened again", staging);
        }
      }
    }
  }

  private void initdb(Path unnamed, Path password) throws IOException, InterruptedException {
    List<String> arguments =
        new ArrayList<>(
            List.of(
                "--pgdata=" + unnamed,
                "--username=" + USER,
                "--pwfile=" + password,
                "--auth=scram-sha-256",
                "--encoding=UTF8",
                "--locale=C",
                "--locale-provider=builtin",
                "--builtin-locale=C.UTF-8",
                "--no-instructions"));
    arguments.addAll(Settings.forNewCluster());
    Command.run(account.command(binaries.program("initdb"), arguments), "", TIMEOUT)
        .orThrow("initdb");
  }

  /** In single-user mode: no port is opened and no driver is needed. */
  private void createDatabase(Path unnamed) throws IOException, InterruptedException {
    List<String> arguments =
        List.of(
            "--single",
            "-D",
            unnamed.toString(),
            "-c",
            "logging_collector=off",
            "-c",
            "exit_on_error=on",
            "postgres");
    Command.run(
            account.command(binaries.program("postgres"), arguments),
            "CREATE DATABASE " + DATABASE + "\n",
            TIMEOUT)
        .orThrow("CREATE DATABASE");
  }
}
