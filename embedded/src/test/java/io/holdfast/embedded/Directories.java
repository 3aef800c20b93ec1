package io.holdfast.embedded;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.OptionalInt;

/** Data directories for tests, and what can be asked of them. */
final class Directories {
  private static final int STATE_OFFSET = 16;
  private static final int SHUT_DOWN = 1;
  private static final Duration PATIENCE = Duration.ofSeconds(30);
  private static final Path SHARED = make();

  private Directories() {}

  /** One that was opened and closed before; whoever borrows it leaves it closed and as it was. */
  static Path shared() throws IOException {
    stop(SHARED); // a test that failed may have left it open
    return SHARED;
  }

  /** A copy for tests that need two. */
  static Path copy(Path target) throws IOException {
    run("cp", "-a", "--sparse=always", shared().toString(), target.toString());
    return target;
  }

  private static Path make() {
    try {
      Path directory = Files.createTempDirectory("holdfast-test-");
      Runtime.getRuntime().addShutdownHook(new Thread(() -> remove(directory)));
      EmbeddedPostgres.open(directory).close();
      return directory;
    } catch (IOException failure) {
      throw new AssertionError(failure);
    }
  }

  private static void stop(Path directory) throws IOException {
    if (isServed(directory)) {
      EmbeddedPostgres.open(directory, EmbeddedOptions.defaults().withCloseAtExit(false)).close();
    }
  }

  private static void remove(Path directory) {
    try {
      stop(directory);
      Trees.delete(directory);
    } catch (IOException failure) {
      throw new AssertionError(failure);
    }
  }

  /** Lets other accounts in: where namespaces are forbidden, root's servers run as nobody. */
  static Path open(Path temp) throws IOException {
    Trees.allow(temp, "rwx--x--x");
    return temp;
  }

  /** The account that servers run as here. */
  static Account account() throws IOException, InterruptedException {
    return Account.choose(SHARED, OptionalInt.empty());
  }

  /** The programs this JVM uses. */
  static Binaries binaries() throws IOException, InterruptedException {
    return Binaries.locate(new DataDirectory(shared()), account());
  }

  static Path cluster(Path dataDir) {
    return new DataDirectory(dataDir).cluster();
  }

  static boolean isServed(Path dataDir) throws IOException {
    var found = Postmaster.read(cluster(dataDir.toRealPath()));
    return found.isPresent() && found.get().serves(cluster(dataDir.toRealPath()));
  }

  /** Asserts that the server ended, and in an orderly way. */
  static void assertShutDown(Path dataDir) throws IOException {
    assertThat(isServed(dataDir)).isFalse();
    assertThat(Postmaster.file(cluster(dataDir))).doesNotExist();
    byte[] control = Files.readAllBytes(cluster(dataDir).resolve("global/pg_control"));
    int state = ByteBuffer.wrap(control).order(ByteOrder.LITTLE_ENDIAN).getInt(STATE_OFFSET);
    assertThat(state).as("state in pg_control").isEqualTo(SHUT_DOWN);
  }

  static String query(EmbeddedPostgres postgres, String sql) throws SQLException {
    try (Connection connection = DriverManager.getConnection(postgres.jdbcUrl());
        Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(sql)) {
      rows.next();
      return rows.getString(1);
    }
  }

  static void execute(EmbeddedPostgres postgres, String sql) throws SQLException {
    try (Connection connection = DriverManager.getConnection(postgres.jdbcUrl());
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  /** By the shell, whose own kill is everywhere. */
  static void signal(String signal, long pid) {
    run("sh", "-c", "kill -s " + signal + " -- " + pid);
  }

  /**
   * Kills a server's process and waits until it is gone; one that is only unburied counts as gone.
   */
  static void kill(long pid) {
    signal("KILL", pid);
    String gone =
        "for i in $(seq 200); do [ ! -d /proc/%1$d ] || grep -q '^State:.Z' /proc/%1$d/status"
            + " && exit 0; sleep 0.05; done; exit 1";
    run("sh", "-c", gone.formatted(pid));
  }

  static String run(String... command) {
    try {
      return Command.run(List.of(command), "", PATIENCE).orThrow(command[0]).output();
    } catch (IOException | InterruptedException failure) {
      throw new AssertionError(failure);
    }
  }
}
