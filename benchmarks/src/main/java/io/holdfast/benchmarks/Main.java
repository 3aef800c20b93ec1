package io.holdfast.benchmarks;

import picocli.CommandLine;
import picocli.CommandLine.Command;

/** The benchmarks: one subcommand for each capability. */
@Command(
    name = "benchmarks",
    mixinStandardHelpOptions = true,
    subcommands = {
      LocksBenchmark.class,
      SiblingCommand.class,
      QueuesBenchmark.class,
      QueueSoak.class,
      SoakConsumer.class,
      StreamsBenchmark.class,
      StreamSoak.class,
      StreamSoakConsumer.class,
      JobsBenchmark.class,
      ServerBenchmark.class
    })
public final class Main {
  private Main() {}

  /** Runs the benchmark that is named. */
  public static void main(String[] arguments) {
    System.exit(new CommandLine(new Main()).execute(arguments));
  }
}
