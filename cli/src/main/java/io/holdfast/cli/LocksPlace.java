package io.holdfast.cli;

import io.holdfast.client.HoldfastClient;
import io.holdfast.lock.Locks;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Whose locks to use: those of a server, or else of a database. */
final class LocksPlace {
  @Option(
      names = "--server",
      paramLabel = "URL",
      description = "A running server [$$HOLDFAST_SERVER].")
  private @Nullable String server;

  @Option(
      names = "--token",
      paramLabel = "TOKEN",
      description = "For that server; better as $$HOLDFAST_TOKEN.")
  private @Nullable String token;

  @Spec(Spec.Target.MIXEE)
  private CommandSpec command;

  /** Locks, and what has to be closed after them. */
  record Opened(Locks locks, Runnable end) implements AutoCloseable {
    @Override
    public void close() {
      end.run();
    }
  }

  /** Opens what is there. */
  Opened open(DatabaseOptions database) {
    return open(database, database::openExisting);
  }

  /** The same for a command that makes what is missing, and closes also when a signal ends it. */
  Opened openOrCreateUnhooked(DatabaseOptions database) {
    return open(database, database::openOrCreateUnhooked);
  }

  private Opened open(DatabaseOptions database, Supplier<Session> direct) {
    if (server != null && database.isNamed()) {
      throw mistake("--server excludes --db, --data and the names of tables");
    }
    String url = server == null && !database.isNamed() ? Place.environment("SERVER") : server;
    if (url == null) {
      Session session = direct.get();
      return new Opened(session.locks(), session::close);
    }
    try {
      HoldfastClient client = Place.connect(url, token);
      return new Opened(client.locks(), client::close);
    } catch (IllegalArgumentException e) {
      throw mistake(Place.WRONG_ADDRESS);
    }
  }

  private ParameterException mistake(String message) {
    return new ParameterException(command.commandLine(), message);
  }
}
