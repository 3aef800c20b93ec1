package io.holdfast.embedded;

import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Path;

/**
 * A real, durable PostgreSQL that needs no installation: its programs come from the class path, its
 * data lies in a directory that survives restarts.
 *
 * <pre>{@code
 * try (EmbeddedPostgres postgres = EmbeddedPostgres.open(Path.of("holdfast-data"))) {
 *   DriverManager.getConnection(postgres.jdbcUrl());
 * }
 * }</pre>
 *
 * <p>Any number of processes, and of callers in one process, may open one directory: the first
 * starts the server, the others attach to it, the last to close stops it. A process that is killed
 * does not count any more, and a server it leaves behind is used by the next that opens the
 * directory.
 *
 * <p>The server listens on 127.0.0.1 only, at a port chosen at its start, and asks for a password
 * that lies in the data directory in a file of mode 0600. Nothing acknowledged is lost: fsync,
 * synchronous commit and full page writes are on unless the options say otherwise. The programs are
 * unpacked once per user into {@code $XDG_CACHE_HOME/holdfast} or {@code ~/.cache/holdfast}; when
 * root must run them as nobody, into {@code /var/cache/holdfast}; and below the data directory
 * where that cannot be used.
 *
 * <p>Thread-safe. Closing twice does nothing.
 */
public final class EmbeddedPostgres implements AutoCloseable {
  private final DataDirectory directory;
  private final Tenancy.Place place;
  private final EmbeddedOptions options;
  private final boolean temporary;
  private boolean closed;

  private EmbeddedPostgres(
      DataDirectory directory, Tenancy.Place place, EmbeddedOptions options, boolean temporary) {
    this.directory = directory;
    this.place = place;
    this.options = options;
    this.temporary = temporary;
  }

  /**
   * Opens the directory with the default options; see {@link #open(Path, EmbeddedOptions)}.
   *
   * @throws EmbeddedPostgresException when the directory cannot be used or the server does not
   *     start
   */
  public static EmbeddedPostgres open(Path dataDir) {
    return open(dataDir, EmbeddedOptions.defaults());
  }

  /**
   * Opens the directory, which is made when it is missing, and returns when the server accepts
   * connections.
   *
   * @throws EmbeddedPostgresException when the directory holds a cluster that is not ours or of
   *     another major version, names the server of another directory, or the server does not start;
   *     nothing stays open then
   */
  public static EmbeddedPostgres open(Path dataDir, EmbeddedOptions options) {
    return attempt(dataDir, "open", () -> open(DataDirectory.prepare(dataDir), options, false));
  }

  /** A server in a new directory that is deleted when it is closed; for tests. */
  public static EmbeddedPostgres temporary() {
    return temporary(EmbeddedOptions.defaults());
  }

  /** A server in a new directory that is deleted when it is closed; for tests. */
  public static EmbeddedPostgres temporary(EmbeddedOptions options) {
    Path dataDir =
        attempt(Path.of(System.getProperty("java.io.tmpdir")), "use", TemporaryDirectory::create);
    return attempt(
        dataDir,
        "open",
        () -> {
          try {
            return open(DataDirectory.prepare(dataDir), options, true);
          } catch (IOException | InterruptedException | RuntimeException failure) {
            Trees.delete(dataDir);
            throw failure;
          }
        });
  }

  private static EmbeddedPostgres open(
      DataDirectory directory, EmbeddedOptions options, boolean temporary)
      throws IOException, InterruptedException {
    Tenancy.Place place = Tenancy.join(directory, options);
    EmbeddedPostgres postgres = new EmbeddedPostgres(directory, place, options, temporary);
    if (options.closeAtExit() && !ExitHook.add(postgres)) {
      postgres.close();
      throw new EmbeddedPostgresException(directory.root(), "not opened because the JVM is ending");
    }
    return postgres;
  }

  /** The address for {@link java.sql.DriverManager}, user and password included. */
  public String jdbcUrl() {
    return "jdbc:postgresql://127.0.0.1:%d/%s?user=%s&password=%s"
        .formatted(port(), Cluster.DATABASE, user(), password());
  }

  /** The port on 127.0.0.1. */
  public int port() {
    return place.postmaster().port();
  }

  /** The name of the database, which this user owns. */
  public String database() {
    return Cluster.DATABASE;
  }

  /** The superuser. */
  public String user() {
    return Cluster.USER;
  }

  /** The superuser's password: letters, digits, {@code -} and {@code _}. */
  public String password() {
    return place.password();
  }

  /** The real path of the directory. */
  public Path dataDir() {
    return directory.root();
  }

  /**
   * Starts the server again if it was killed or stopped by somebody else, at the same port unless
   * another program took that. Says whether it had to.
   *
   * @throws EmbeddedPostgresException when the server does not start
   */
  public synchronized boolean revive() {
    return !closed && attempt(directory.root(), "start", () -> place.tenancy().revive(options));
  }

  Postmaster postmaster() {
    return place.postmaster();
  }

  /**
   * Gives up this use; the last user of the directory stops the server and waits for its end.
   *
   * @throws EmbeddedPostgresException when the server does not stop; this use counts as given up
   *     nevertheless
   */
  @Override
  public synchronized void close() {
    if (closed) {
      return;
    }
    closed = true;
    ExitHook.remove(this);
    // An interrupted caller must not leave a server behind; it learns of its interruption
    // afterwards.
    boolean interrupted = Thread.interrupted();
    try {
      attempt(directory.root(), "close", this::leave);
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  private boolean leave() throws IOException, InterruptedException {
    boolean last = place.tenancy().leave();
    if (last && temporary) {
      Trees.delete(directory.root());
    }
    return last;
  }

  private static <T> T attempt(Path dataDir, String what, LockFile.Action<T> action) {
    try {
      return action.run();
    } catch (IOException failure) {
      throw new EmbeddedPostgresException(
          dataDir, "cannot " + what + " it: " + reason(failure), failure);
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw new EmbeddedPostgresException(dataDir, "interrupted", interrupted);
    }
  }

  /** The message of a failed file operation is often the file alone. */
  private static String reason(IOException failure) {
    return failure instanceof FileSystemException
        ? failure.getClass().getSimpleName() + " " + failure.getMessage()
        : String.valueOf(failure.getMessage());
  }

  /** Where it is, without the password. */
  @Override
  public String toString() {
    return "EmbeddedPostgres[" + directory.root() + ", 127.0.0.1:" + port() + "]";
  }
}
