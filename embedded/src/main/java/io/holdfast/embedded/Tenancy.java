package io.holdfast.embedded;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.jspecify.annotations.Nullable;

/**
 * What this JVM has of one data directory: one entry among its users, shared by all that open it
 * here.
 *
 * <p>Locks of the operating system belong to a process, so they tell processes apart and not two
 * callers in one JVM; those are counted here. A tenancy whose last caller has left is out of the
 * map and never used again: whoever still got hold of it looks once more. Order of locks: the
 * monitor, then the lock file.
 */
final class Tenancy {
  private static final ConcurrentMap<Path, Tenancy> ALL = new ConcurrentHashMap<>();
  private static final Duration PATIENCE = Duration.ofMinutes(5);

  private final DataDirectory directory;
  private int callers;
  private boolean over;
  private @Nullable LockFile user;
  private @Nullable Server server;

  private Tenancy(DataDirectory directory) {
    this.directory = directory;
  }

  /** One caller's part in a running server, until {@link #leave}. */
  record Place(Tenancy tenancy, Postmaster postmaster, String password) {
    @Override
    public String toString() {
      return postmaster.toString();
    }
  }

  /** Attaches to the server of the directory, or starts it. */
  static Place join(DataDirectory directory, EmbeddedOptions options)
      throws IOException, InterruptedException {
    while (true) {
      Tenancy tenancy = ALL.computeIfAbsent(directory.root(), root -> new Tenancy(directory));
      synchronized (tenancy) {
        if (!tenancy.over) {
          return tenancy.enter(options);
        }
      }
    }
  }

  private Place enter(EmbeddedOptions options) throws IOException, InterruptedException {
    try {
      Place place = LockFile.holding(directory.lock(), PATIENCE, () -> placeAtServer(options));
      callers++;
      return place;
    } finally {
      if (callers == 0) {
        end();
      }
    }
  }

  /** Registers first: from then on nobody else takes the server for unused. */
  private Place placeAtServer(EmbeddedOptions options) throws IOException, InterruptedException {
    Users users = new Users(directory.users());
    LockFile registered = user == null ? users.register() : user;
    try {
      Account account = Account.choose(directory.root(), directory.clusterOwner());
      Binaries binaries = Binaries.locate(directory, account);
      directory.requireOurs(binaries.major());
      account.requireAccess(directory.root(), binaries);
      new Cluster(directory, binaries, account).create();
      account.own(directory.cluster());
      Server found = new Server(directory, binaries, account);
      String password = directory.password();
      Postmaster postmaster = findOrStart(found, users, registered, options);
      user = registered;
      server = found;
      return new Place(this, postmaster, password);
    } finally {
      if (user == null) {
        users.leave(registered);
      }
    }
  }

  private Postmaster findOrStart(
      Server server, Users users, LockFile registered, EmbeddedOptions options)
      throws IOException, InterruptedException {
    Deadline deadline = Deadline.in(options.startTimeout());
    Optional<Postmaster> running = server.find(deadline);
    if (running.isPresent()) {
      return running.get();
    }
    if (users.hasStrangers(registered)) {
      throw new EmbeddedPostgresException(
          directory.root(),
          "it is in use from another container; give this one a directory of its own");
    }
    return server.start(options.settings(), deadline);
  }

  /** Starts the server if it has ended meanwhile; says whether it had. */
  synchronized boolean revive(EmbeddedOptions options) throws IOException, InterruptedException {
    Server own = server;
    if (over || own == null) {
      return false;
    }
    return LockFile.holding(
        directory.lock(),
        PATIENCE,
        () -> {
          Deadline deadline = Deadline.in(options.startTimeout());
          boolean hasEnded = own.find(deadline).isEmpty();
          if (hasEnded) {
            own.start(options.settings(), deadline);
          }
          return hasEnded;
        });
  }

  /**
   * Gives up one caller's part; the last caller of the last process stops the server.
   *
   * @return whether nobody uses the directory any more
   */
  boolean leave() throws IOException, InterruptedException {
    synchronized (this) {
      if (--callers > 0) {
        return false;
      }
      try {
        return LockFile.holding(directory.lock(), PATIENCE, this::leaveDirectory);
      } finally {
        end();
      }
    }
  }

  private boolean leaveDirectory() throws IOException, InterruptedException {
    Users users = new Users(directory.users());
    if (user != null) {
      users.leave(user);
      user = null;
    }
    boolean last = users.isEmpty();
    if (last && server != null) {
      server.stop();
    }
    return last;
  }

  private void end() {
    over = true;
    ALL.remove(directory.root(), this);
  }
}
