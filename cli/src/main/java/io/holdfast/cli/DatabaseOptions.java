package io.holdfast.cli;

import io.holdfast.ErrorCode;
import io.holdfast.HoldfastException;
import io.holdfast.embedded.EmbeddedOptions;
import io.holdfast.lock.LockException;
import io.holdfast.postgres.LockTables;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Which database to work on, by URL or embedded in a directory, and which tables in it. */
final class DatabaseOptions {
  @Option(
      names = "--db",
      paramLabel = "URL",
      description = "jdbc:postgresql:... or postgres://... [$$HOLDFAST_DB].")
  private @Nullable String url;

  @Option(
      names = "--data",
      paramLabel = "DIR",
      description = "An embedded database instead [./holdfast-data].")
  private @Nullable Path data;

  @Option(names = "--table", paramLabel = "NAME", description = "Lock table [syncguard_locks].")
  private String table = LockTables.DEFAULTS.table();

  @Option(
      names = "--fence-table",
      paramLabel = "NAME",
      description = "Counters [syncguard_fence_counters].")
  private String fenceTable = LockTables.DEFAULTS.fenceTable();

  @Option(names = "--schema", paramLabel = "NAME", description = "Their schema [search path].")
  private @Nullable String schema;

  @Spec(Spec.Target.MIXEE)
  private CommandSpec command;

  /** Whether anything here was named on the command line. */
  boolean isNamed() {
    return url != null || data != null || !tables().equals(LockTables.DEFAULTS);
  }

  /** Opens the database for a command that creates what is missing. */
  Session openOrCreate() {
    return open(tables(), EmbeddedOptions.defaults());
  }

  /** The same for a command that closes the session itself, also when a signal ends it. */
  Session openOrCreateUnhooked() {
    return open(tables(), EmbeddedOptions.defaults().withCloseAtExit(false));
  }

  /** Opens the database for a command that works on what is there. */
  Session openExisting() {
    if (url() == null && Files.notExists(directory())) {
      throw new HoldfastException(
          ErrorCode.INVALID_ARGUMENT,
          "there is no database in " + directory() + "; name one by --db or --data",
          null);
    }
    return open(tables().withoutAutoCreate(), EmbeddedOptions.defaults());
  }

  /** The tables that were named. */
  LockTables tables() {
    try {
      return new LockTables(table, fenceTable, schema, true);
    } catch (LockException e) {
      throw mistake(String.valueOf(e.getMessage()));
    }
  }

  private Session open(LockTables tables, EmbeddedOptions options) {
    if (url != null && data != null) {
      throw mistake("--db and --data exclude each other");
    }
    String where = url();
    if (where == null) {
      return Session.embedded(directory(), options, tables);
    }
    try {
      return Session.at(where, tables);
    } catch (HoldfastException e) { // opening makes no connection: it can only be the string
      throw mistake("--db: " + e.getMessage());
    }
  }

  private Path directory() {
    return data == null ? Path.of("holdfast-data") : data;
  }

  /** A directory that was named wins over the environment. */
  private @Nullable String url() {
    if (url != null || data != null) {
      return url;
    }
    String environment = System.getenv("HOLDFAST_DB");
    return environment == null || environment.isEmpty() ? null : environment;
  }

  private ParameterException mistake(String message) {
    return new ParameterException(command.commandLine(), message);
  }
}
