package io.holdfast.postgres;

import java.io.BufferedReader;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.nio.file.attribute.UserPrincipal;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGProperty;

/**
 * A PgBouncer in transaction mode before the test database, on a loopback port of its own. It hands
 * out its server connections in turn, so that two transactions of one client hardly ever meet the
 * same session: whoever leaves something in a session is found out.
 */
final class PgBouncer implements AutoCloseable {
  private static final int PATIENCE_SECONDS = 20;
  private static final int SERVER_CONNECTIONS = 16;
  private static final List<String> PLACES = List.of("/usr/sbin", "/usr/local/sbin");

  /** Refused as root, PgBouncer runs as this user then. */
  private static final String USER = "nobody";

  private final Process process;
  private final Path directory;
  private final int port;
  private final Thread atExit;
  private @Nullable Database pool;

  private PgBouncer(Process process, Path directory, int port) {
    this.process = process;
    this.directory = directory;
    this.port = port;
    this.atExit = new Thread(process::destroyForcibly);
    Runtime.getRuntime().addShutdownHook(atExit);
  }

  /** Whether the machine has one. */
  static boolean isInstalled() {
    return program().isPresent();
  }

  /** Starts one before the test database. */
  static PgBouncer start() {
    try {
      int port = freePort();
      Path directory = configuration(port);
      Process process =
          new ProcessBuilder(command(directory.resolve("pgbouncer.ini")))
              .redirectErrorStream(true)
              .start();
      PgBouncer pooler = new PgBouncer(process, directory, port);
      pooler.awaitUp();
      pooler.openServerConnections();
      // One user stays, so that the pool of this url is made once.
      pooler.pool = Pools.open(ConnectionString.parse(pooler.url()), PoolSettings.DEFAULTS);
      return pooler;
    } catch (IOException | SQLException e) {
      throw new AssertionError("pgbouncer does not start", e);
    }
  }

  /** The test database through the pooler, as a client of a pooler in transaction mode names it. */
  String url() {
    ConnectionString where = ConnectionString.parse(TestDatabase.url());
    String direct = where.setting(PGProperty.PG_HOST) + ":" + where.setting(PGProperty.PG_PORT);
    return TestDatabase.url("prepareThreshold=0").replace(direct, "127.0.0.1:" + port);
  }

  Connection connect() throws SQLException {
    return DriverManager.getConnection(url());
  }

  @Override
  public void close() {
    Runtime.getRuntime().removeShutdownHook(atExit);
    Database kept = pool;
    if (kept != null) {
      kept.close();
    }
    process.destroy();
    try {
      if (!process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
        process.destroyForcibly();
      }
      try (Stream<Path> files = Files.list(directory)) {
        for (Path file : files.toList()) {
          Files.delete(file);
        }
      }
      Files.delete(directory);
    } catch (IOException e) {
      throw new AssertionError("pgbouncer leaves something behind", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static Optional<Path> program() {
    List<String> places = new ArrayList<>(List.of(System.getenv("PATH").split(":")));
    places.addAll(PLACES);
    return places.stream()
        .map(place -> Path.of(place, "pgbouncer"))
        .filter(Files::isExecutable)
        .findFirst();
  }

  private static List<String> command(Path ini) {
    List<String> command = new ArrayList<>();
    if (isRoot()) {
      command.addAll(
          List.of("setpriv", "--reuid=" + USER, "--regid=nogroup", "--clear-groups", "--"));
    }
    command.addAll(List.of(program().orElseThrow().toString(), ini.toString()));
    return command;
  }

  private static boolean isRoot() {
    return System.getProperty("user.name").equals("root");
  }

  /**
   * A directory that only PgBouncer's user can read: the password stands there in clear, because
   * the server wants SCRAM.
   */
  private static Path configuration(int port) throws IOException {
    ConnectionString where = ConnectionString.parse(TestDatabase.url());
    Path directory = Files.createTempDirectory("holdfast-pgbouncer");
    Path users = directory.resolve("users.txt");
    Path ini = directory.resolve("pgbouncer.ini");
    Files.createFile(
        users, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
    Files.writeString(
        users,
        "%s %s%n"
            .formatted(
                quoted(where.setting(PGProperty.USER)),
                quoted(where.setting(PGProperty.PASSWORD))));
    Files.writeString(
        ini,
        """
        [databases]
        * = host=%s port=%s
        [pgbouncer]
        listen_addr = 127.0.0.1
        listen_port = %d
        unix_socket_dir =
        auth_type = scram-sha-256
        auth_file = %s
        pool_mode = transaction
        default_pool_size = %d
        max_client_conn = 200
        server_round_robin = 1
        ignore_startup_parameters = extra_float_digits
        log_connections = 0
        log_disconnections = 0
        """
            .formatted(
                where.setting(PGProperty.PG_HOST),
                where.setting(PGProperty.PG_PORT),
                port,
                users,
                SERVER_CONNECTIONS));
    if (isRoot()) {
      UserPrincipal user =
          directory.getFileSystem().getUserPrincipalLookupService().lookupPrincipalByName(USER);
      for (Path path : List.of(users, ini, directory)) {
        Files.setOwner(path, user);
      }
    }
    return directory;
  }

  private static String quoted(String text) {
    return '"' + text.replace("\"", "\"\"") + '"';
  }

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"))) {
      return socket.getLocalPort();
    }
  }

  /** Waits for the line that says so, and goes on reading: nobody else empties the pipe. */
  private void awaitUp() {
    CompletableFuture<Void> up = new CompletableFuture<>();
    StringBuffer said = new StringBuffer();
    Thread reader = new Thread(() -> read(up, said), "pgbouncer-log");
    reader.setDaemon(true);
    reader.start();
    try {
      up.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
    } catch (ExecutionException | TimeoutException e) {
      close();
      throw new AssertionError("pgbouncer does not start: " + said, e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void read(CompletableFuture<Void> up, StringBuffer said) {
    try (BufferedReader output = process.inputReader()) {
      for (String line = output.readLine(); line != null; line = output.readLine()) {
        if (!up.isDone()) {
          said.append(line).append('\n');
        }
        if (line.contains("process up")) {
          up.complete(null);
        }
      }
    } catch (IOException e) {
      said.append(e);
    }
    up.completeExceptionally(new IOException("it ended"));
  }

  /** Has transactions open on several sessions at once, so that there are several to take turns. */
  private void openServerConnections() throws SQLException {
    List<Connection> clients = new ArrayList<>();
    try {
      for (int i = 0; i < 4; i++) {
        Connection client = connect();
        clients.add(client);
        client.setAutoCommit(false);
        try (Statement statement = client.createStatement()) {
          statement.execute("SELECT 1");
        }
      }
    } finally {
      for (Connection client : clients) {
        client.close();
      }
    }
  }
}
