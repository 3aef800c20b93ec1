package io.holdfast.cli;

import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.IVersionProvider;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The root of all commands. */
@Command(
    name = "holdfast",
    header = "Queues, streams, jobs and fenced locks on PostgreSQL.",
    versionProvider = HoldfastCommand.Version.class,
    synopsisSubcommandLabel = "COMMAND",
    footer = {
      "",
      "They work on --server URL, --db URL, or the data of --data [./holdfast-data].",
      "Each command has a --help of its own. Exit codes: 0 ok, 1 failed, 2 usage.",
      "HOLDFAST_SERVER and HOLDFAST_DB name a place, HOLDFAST_DEBUG=1 shows traces."
    })
final class HoldfastCommand implements Runnable {
  private static final List<Class<?>> SUBCOMMANDS =
      List.of(
          ServeCommand.class,
          QueuesCommand.class,
          StreamsCommand.class,
          JobsCommand.class,
          LocksCommand.class,
          Shots.Produce.class,
          Shots.Lease.class,
          Shots.Complete.class,
          Shots.Push.class,
          Shots.Pop.class,
          Shots.AckOne.class,
          Shots.Enqueue.class,
          Shots.Acquire.class,
          Shots.Release.class,
          RunCommand.class,
          MigrateCommand.class,
          TopCommand.class,
          BenchCommand.class,
          DoctorCommand.class,
          TokenCommand.class);

  /** All of them on one screen. */
  static final String COMMANDS =
      """
      Server:    serve       run it, with its dashboard
      Look:      queues, streams, jobs, locks   list, show, stats, pause and more
                 top         everything, live
                 doctor      what makes the database slow or unsafe
      One call:  produce, lease, complete       items of a queue
                 push, pop, ack                 messages of a stream
                 enqueue                        a job
                 acquire, release               a lock
                 run         hold a lock while a command runs
      Operate:   migrate     bring the schema up to date, or print it
                 token       make tokens for serve --tokens
                 bench       rates and latency of a server or database
      """;

  @Option(
      names = {"-h", "--help"},
      usageHelp = true,
      description = "Show this help.")
  private boolean help;

  @Option(
      names = {"-V", "--version"},
      versionHelp = true,
      description = "Show the version.")
  private boolean version;

  @Spec private CommandSpec spec;

  /**
   * The command with those below it that {@code arguments} may need: reading all of their options
   * takes longer than most of them run.
   */
  static CommandLine lineFor(String... arguments) {
    CommandLine line = new CommandLine(new HoldfastCommand());
    List<Class<?>> named =
        SUBCOMMANDS.stream()
            .filter(type -> arguments.length > 0 && arguments[0].equals(nameOf(type)))
            .toList();
    (named.isEmpty() ? SUBCOMMANDS : named).forEach(type -> line.addSubcommand(nameOf(type), type));
    return line;
  }

  private static String nameOf(Class<?> subcommand) {
    return subcommand.getAnnotation(Command.class).name();
  }

  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "a command is missing");
  }

  /** The version in the jar. */
  static final class Version implements IVersionProvider {
    @Override
    public String[] getVersion() {
      return new String[] {"holdfast " + version()};
    }
  }

  static String version() {
    String version = Main.class.getPackage().getImplementationVersion();
    return version == null ? "(not packaged)" : version;
  }
}
