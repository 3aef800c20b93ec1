package io.holdfast.cli;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Looking into locks, and stepping in. */
@Command(
    name = "locks",
    header = "List, count, inspect and break locks.",
    synopsisSubcommandLabel = "COMMAND",
    subcommands = {
      LocksListCommand.class,
      LocksStatsCommand.class,
      LocksShowCommand.class,
      LocksBreakCommand.class
    })
final class LocksCommand implements Runnable {
  @Option(
      names = {"-h", "--help"},
      usageHelp = true,
      description = "Show this help.")
  private boolean help;

  @Spec private CommandSpec spec;

  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "list, stats, show or break is missing");
  }
}
