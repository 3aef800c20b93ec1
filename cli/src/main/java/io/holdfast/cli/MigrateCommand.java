package io.holdfast.cli;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.holdfast.ErrorCode;
import io.holdfast.lock.LockException;
import io.holdfast.postgres.Migration;
import io.holdfast.postgres.Migrations;
import io.holdfast.postgres.PostgresHoldfast;
import java.io.PrintWriter;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Brings the schema of a database up to date. */
@Command(
    name = "migrate",
    customSynopsis = "holdfast migrate [--print | --status [--json]] [OPTION]...",
    sortOptions = false,
    header = "Bring the schema of a database up to date.",
    description = {
      "Creates what is missing: the schema holdfast, step by step, and the lock tables.",
      "Safe to repeat, and to run from several places at once.",
      ""
    })
final class MigrateCommand implements Callable<Integer> {
  @Option(names = "--print", description = "Only print the SQL; needs no database.")
  private boolean print;

  @Option(names = "--status", description = "Only say what is there and what is missing.")
  private boolean status;

  @Option(names = "--tables", description = "Also those of jobs and of all queues.")
  private boolean tables;

  @Option(names = "--json", description = "The status in JSON.")
  private boolean json;

  @Mixin private DatabaseOptions database;

  @Option(
      names = {"-h", "--help"},
      usageHelp = true,
      description = "Show this help.")
  private boolean help;

  @Spec private CommandSpec spec;

  @Override
  public Integer call() {
    if (print && status) {
      throw new ParameterException(spec.commandLine(), "--print and --status exclude each other");
    }
    if (json && !status) {
      throw new ParameterException(spec.commandLine(), "--json goes with --status");
    }
    PrintWriter out = spec.commandLine().getOut();
    if (print) {
      out.print(PostgresHoldfast.schemaSql(database.tables(), false));
    } else if (status) {
      status(out);
    } else {
      migrate(out);
    }
    out.flush();
    return Exit.OK;
  }

  private void migrate(PrintWriter out) {
    try (Session session = database.openOrCreate()) {
      List<Migration> applied = session.holdfast().migrations().apply();
      if (tables) {
        session.holdfast().createTables();
      } else {
        session.holdfast().setup();
      }
      applied.forEach(step -> out.println("applied  " + step.fileName()));
      out.println("the schema is up to date");
    }
  }

  private void status(PrintWriter out) {
    try (Session session = database.openExisting()) {
      List<Migrations.Status> steps = session.holdfast().migrations().status();
      Optional<String> missing = missing(session);
      if (json) {
        Json.print(asJson(steps, missing), out);
        return;
      }
      for (Migrations.Status step : steps) {
        out.printf("%-8s %s%n", inWords(step.applied()), step.migration().fileName());
      }
      out.printf(
          "%-8s lock tables%s%n",
          inWords(missing.isEmpty()), missing.map(m -> ": " + m).orElse(""));
    }
  }

  private static String inWords(boolean done) {
    return done ? "applied" : "pending";
  }

  /** What keeps locks from working, if anything; a lookup creates nothing but needs everything. */
  private static Optional<String> missing(Session session) {
    try {
      session.locks().isLocked("holdfast");
      return Optional.empty();
    } catch (LockException e) {
      if (e.code() != ErrorCode.INVALID_ARGUMENT) {
        throw e;
      }
      return Optional.of(String.valueOf(e.getMessage()));
    }
  }

  private static ObjectNode asJson(List<Migrations.Status> steps, Optional<String> missing) {
    ObjectNode answer = Json.object();
    boolean applied = steps.stream().allMatch(Migrations.Status::applied);
    answer.put("complete", applied && missing.isEmpty());
    ArrayNode array = answer.putArray("steps");
    for (Migrations.Status step : steps) {
      array
          .addObject()
          .put("version", step.migration().version())
          .put("file", step.migration().fileName())
          .put("applied", step.applied());
    }
    answer
        .putObject("lockTables")
        .put("complete", missing.isEmpty())
        .put("problem", missing.orElse(null));
    return answer;
  }
}
