package io.holdfast.embedded;

import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The postmaster of one cluster: found, started, stopped. Every method is called while holding the
 * lock of the data directory, so no other user of it starts or stops at the same time.
 */
final class Server {
  private static final Logger log = LoggerFactory.getLogger(Server.class);
  private static final int ATTEMPTS = 5;
  private static final Duration STOP_TIMEOUT = Duration.ofSeconds(60);

  /** More than a server needs between making its pid file and filling it. */
  private static final Duration TORN = Duration.ofMillis(500);

  private static final int ANY_PORT = 0;

  private final DataDirectory directory;
  private final Path cluster;
  private final Binaries binaries;
  private final Account account;

  Server(DataDirectory directory, Binaries binaries, Account account) {
    this.directory = directory;
    this.cluster = directory.cluster();
    this.binaries = binaries;
    this.account = account;
  }

  /**
   * The running server, ready for connections; a foreign one is refused, a dead one's traces are
   * cleared.
   */
  Optional<Postmaster> find(Deadline deadline) throws IOException, InterruptedException {
    Optional<Postmaster> found = Postmaster.read(cluster);
    if (found.isEmpty() && !Deadline.in(TORN).await(() -> !isTorn())) {
      Files.delete(Postmaster.file(cluster));
    }
    found = Postmaster.read(cluster);
    if (found.isEmpty()) {
      return found;
    }
    Postmaster postmaster = found.get();
    if (postmaster.isPostgres() && !postmaster.names(cluster)) {
      throw new EmbeddedPostgresException(
          directory.root(),
          "its postmaster.pid names a running server of another directory, "
              + postmaster.cluster()
              + " (process "
              + postmaster.pid()
              + "); stop that server, or choose another directory");
    }
    if (!postmaster.serves(cluster)) {
      if (ProcessHandle.of(postmaster.pid()).isPresent()) {
        postmaster.disown(cluster);
      }
      return Optional.empty();
    }
    if (isEnding(postmaster)) {
      stop();
      return Optional.empty();
    }
    if (!deadline.await(() -> ready().isPresent() || !postmaster.serves(cluster))) {
      throw notReady();
    }
    return ready();
  }

  /** Starts the server in a session of its own, where no Ctrl-C reaches it, and waits for it. */
  Postmaster start(Map<String, String> settings, Deadline deadline)
      throws IOException, InterruptedException {
    // The port of the last start, if it is free: those who know the server by it can come back.
    int port = freePort(Postmaster.lastPort(cluster).orElse(ANY_PORT));
    int taken = 0;
    while (true) {
      Optional<Postmaster> started = tryStart(port, settings, deadline);
      if (started.isPresent()) {
        log.info("PostgreSQL {} listens on 127.0.0.1:{}", binaries.version(), port);
        return started.get();
      }
      if (ServerLog.tellsOfSurvivors(directory) && deadline.pause()) {
        continue; // backends of a killed postmaster end with their last statement
      }
      Optional<Postmaster> rival = find(deadline);
      if (rival.isPresent()) {
        return rival.get(); // one that a killed process had just begun to start
      }
      int other = freePort(port);
      if (other == port || ++taken == ATTEMPTS) {
        throw new EmbeddedPostgresException(
            directory.root(), "the server did not start: " + ServerLog.tail(directory));
      }
      port = other; // somebody took ours between the look and the start
    }
  }

  /** The server, or nothing when it ended at once; one that is late is told to stop. */
  private Optional<Postmaster> tryStart(int port, Map<String, String> settings, Deadline deadline)
      throws IOException, InterruptedException {
    Process process = launch(port, settings);
    Optional<Postmaster> ready = Optional.empty();
    try {
      if (!deadline.await(() -> ready().isPresent() || !process.isAlive())) {
        throw notReady();
      }
      ready = ready();
      return ready;
    } finally {
      if (ready.isEmpty()) {
        process.destroy();
      }
    }
  }

  /** Stops the server: open transactions are rolled back, nothing committed is lost. */
  void stop() throws IOException, InterruptedException {
    Optional<Postmaster> found = Postmaster.read(cluster);
    if (found.isEmpty() || !found.get().serves(cluster)) {
      return;
    }
    // The signal may outlive us: whoever comes then must know that this server is going to end, so
    // its pid is written down; and the signal must not meet the next one, so pg_ctl is told the pid
    // instead of looking it up.
    String pid = Long.toString(found.get().pid());
    Files.writeString(directory.stopping(), pid);
    List<String> fast = account.command(binaries.program("pg_ctl"), List.of("kill", "INT", pid));
    Command sent = Command.run(fast, "", STOP_TIMEOUT);
    if (!Deadline.in(STOP_TIMEOUT).await(() -> !found.get().serves(cluster))) {
      throw new EmbeddedPostgresException(
          directory.root(),
          "the server, process "
              + pid
              + ", did not stop within "
              + STOP_TIMEOUT
              + " "
              + sent.output()
              + "; the next that opens the directory waits for its end");
    }
    Files.deleteIfExists(directory.stopping());
    log.info("PostgreSQL of {} stopped", directory.root());
  }

  /** Whether there is a pid file without a pid, which keeps a server from starting. */
  private boolean isTorn() throws IOException {
    return Files.exists(Postmaster.file(cluster)) && Postmaster.read(cluster).isEmpty();
  }

  private boolean isEnding(Postmaster postmaster) throws IOException {
    return Files.exists(directory.stopping())
        && Files.readString(directory.stopping()).equals(Long.toString(postmaster.pid()));
  }

  private Process launch(int port, Map<String, String> settings) throws IOException {
    List<String> arguments = new ArrayList<>(List.of("-D", cluster.toString()));
    arguments.addAll(Settings.forStart(port, settings));
    List<String> command = new ArrayList<>(List.of("setsid"));
    command.addAll(account.command(binaries.program("postgres"), arguments));
    Files.deleteIfExists(directory.startLog());
    Files.createFile(directory.startLog(), Trees.PRIVATE_FILE);
    ProcessBuilder builder = Command.builder(command);
    builder.redirectInput(Path.of("/dev/null").toFile());
    builder.redirectOutput(directory.startLog().toFile());
    return builder.start();
  }

  private Optional<Postmaster> ready() throws IOException {
    Optional<Postmaster> found = Postmaster.read(cluster);
    boolean ready = found.isPresent() && found.get().isReady() && found.get().serves(cluster);
    return ready ? found : Optional.empty();
  }

  private EmbeddedPostgresException notReady() {
    return new EmbeddedPostgresException(
        directory.root(),
        "the server was not ready in time; raise startTimeout if it is recovering: "
            + ServerLog.tail(directory));
  }

  private static int freePort(int preferred) throws IOException {
    try (ServerSocket socket =
        new ServerSocket(preferred, 1, InetAddress.getByAddress(new byte[] {127, 0, 0, 1}))) {
      return socket.getLocalPort();
    } catch (BindException taken) {
      if (preferred == ANY_PORT) {
        throw taken;
      }
      return freePort(ANY_PORT);
    }
  }
}
