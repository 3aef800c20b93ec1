package io.holdfast.cli;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.logging.Level;
import java.util.logging.Logger;
import picocli.CommandLine;
import picocli.CommandLine.Model.UsageMessageSpec;

/** The command {@code holdfast}. */
public final class Main {
  /** The driver quotes connection strings, passwords included, when it cannot read them. */
  private static final Logger DRIVER = Logger.getLogger("org.postgresql");

  private Main() {}

  /**
   * Runs one command and ends the JVM with its exit code. Commands run on this thread, which lives
   * as long as the JVM: what {@code run} starts ends with it.
   */
  public static void main(String[] arguments) {
    DRIVER.setLevel(Level.OFF);
    System.setErr(utf8(FileDescriptor.err));
    System.exit(execute(utf8(FileDescriptor.out), arguments));
  }

  /** Runs one command, and answers its exit code. */
  static int execute(PrintStream output, String... arguments) {
    return commandLine(output, arguments).execute(arguments);
  }

  private static CommandLine commandLine(PrintStream output, String... arguments) {
    CommandLine line = HoldfastCommand.lineFor(arguments);
    line.setOut(new PrintWriter(output, true, StandardCharsets.UTF_8));
    line.setErr(new PrintWriter(System.err, true, StandardCharsets.UTF_8));
    Arguments.register(line);
    line.setExpandAtFiles(false); // an argument may well start with @
    line.setUsageHelpAutoWidth(false);
    line.getHelpSectionMap()
        .put(
            UsageMessageSpec.SECTION_KEY_COMMAND_LIST,
            help -> HoldfastCommand.COMMANDS.replace("\n", System.lineSeparator()));
    line.getHelpSectionMap()
        .put(UsageMessageSpec.SECTION_KEY_COMMAND_LIST_HEADING, help -> System.lineSeparator());
    line.setParameterExceptionHandler(Main::usage);
    line.setExecutionExceptionHandler((failure, command, parsed) -> failed(failure));
    line.getSubcommands().forEach(Main::parseItsWay);
    return line;
  }

  private static void parseItsWay(String name, CommandLine command) {
    // The id of a lock may well start with a dash.
    command.setUnmatchedOptionsArePositionalParams(name.equals("release"));
    // What follows the command to run is that command's, with or without a -- between.
    command.setStopAtPositional(name.equals("run"));
  }

  private static int usage(CommandLine.ParameterException mistake, String[] arguments) {
    String command = mistake.getCommandLine().getCommandSpec().qualifiedName();
    Problem.say(mistake.getMessage() + " (see " + command + " --help)");
    return Exit.USAGE;
  }

  private static int failed(Exception failure) {
    Problem.say(Problem.of(failure));
    if (Problem.isDebugging()) {
      failure.printStackTrace();
    }
    return Exit.FAILED;
  }

  /** Whatever the locale: keys and JSON are UTF-8. */
  private static PrintStream utf8(FileDescriptor descriptor) {
    return new PrintStream(new FileOutputStream(descriptor), true, StandardCharsets.UTF_8);
  }
}
