package io.holdfast.cli;

import io.holdfast.ErrorCode;
import io.holdfast.HoldfastException;
import io.holdfast.client.ClientOptions;
import io.holdfast.client.HoldfastClient;
import io.holdfast.embedded.EmbeddedOptions;
import io.holdfast.embedded.EmbeddedPostgres;
import io.holdfast.postgres.PoolSettings;
import io.holdfast.postgres.PostgresHoldfast;
import io.holdfast.postgres.PostgresOptions;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Where a command works: through a server, or directly on a database. */
final class Place {
  static final String WRONG_ADDRESS = "--server: an address such as http://localhost:7070";

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

  @Option(names = "--db", paramLabel = "URL", description = "A database [$$HOLDFAST_DB].")
  private @Nullable String db;

  @Option(
      names = "--data",
      paramLabel = "DIR",
      description = "An embedded database [./holdfast-data].")
  private @Nullable Path data;

  @Option(names = "--json", description = "Answers in JSON.")
  private boolean json;

  @Option(
      names = {"-h", "--help"},
      usageHelp = true,
      description = "Show this help.")
  private boolean help;

  @Spec(Spec.Target.MIXEE)
  private CommandSpec command;

  boolean isJson() {
    return json;
  }

  /** Opens it; nothing is sent yet. */
  Capabilities open() {
    int given = (server == null ? 0 : 1) + (db == null ? 0 : 1) + (data == null ? 0 : 1);
    if (given > 1) {
      throw mistake("--server, --db and --data exclude each other");
    }
    String remote = given == 0 ? environment("SERVER") : server;
    if (remote != null) {
      return remote(remote);
    }
    String url = data == null && db == null ? environment("DB") : db;
    return url == null ? embedded() : direct(url);
  }

  /** What the environment says; null: nothing. */
  static @Nullable String environment(String name) {
    String value = System.getenv("HOLDFAST_" + name);
    return value == null || value.isEmpty() ? null : value;
  }

  private Capabilities remote(String url) {
    try {
      return Capabilities.of(connect(url, token));
    } catch (IllegalArgumentException e) {
      throw mistake(WRONG_ADDRESS);
    }
  }

  /** Sends nothing yet, so that an illegal argument can only be the address. */
  static HoldfastClient connect(String url, @Nullable String token) {
    return HoldfastClient.connect(
        url, ClientOptions.DEFAULTS.withToken(token == null ? environment("TOKEN") : token));
  }

  private Capabilities direct(String url) {
    try {
      return Capabilities.of(PostgresHoldfast.open(url, options()), null);
    } catch (HoldfastException e) { // opening makes no connection: it can only be the string
      throw mistake("--db: " + e.getMessage());
    }
  }

  private Capabilities embedded() {
    Path directory = data == null ? Path.of("holdfast-data") : data;
    if (Files.notExists(directory)) {
      throw new HoldfastException(
          ErrorCode.INVALID_ARGUMENT,
          "there is no database in " + directory + "; name one by --server, --db or --data",
          null);
    }
    EmbeddedPostgres postgres = EmbeddedPostgres.open(directory, EmbeddedOptions.defaults());
    return Capabilities.of(PostgresHoldfast.open(postgres.jdbcUrl(), options()), postgres);
  }

  private static PostgresOptions options() {
    return PostgresOptions.DEFAULTS.withPool(
        PoolSettings.DEFAULTS.withMaxConnections(4).withConnectTimeout(Duration.ofSeconds(10)));
  }

  private ParameterException mistake(String message) {
    return new ParameterException(command.commandLine(), message);
  }
}
