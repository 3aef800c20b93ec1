package io.holdfast.cli;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Ties a command's life to ours: when this process is killed, the kernel kills the command too.
 * That needs {@code setpriv} of util-linux, which asks the kernel for the death of the parent
 * <em>thread</em>: the one that starts the command must live as long as the JVM.
 *
 * <p>What the command has started itself is not tied, nor is a command that changes its user (such
 * as {@code sudo}), nor one whose starter is killed in the few milliseconds before it is tied.
 * Without {@code setpriv} nothing is: then a command may outlive a killed holdfast, and only the
 * fence keeps it from doing harm.
 */
final class Leash {
  private static final List<String> TIE = List.of("setpriv", "--pdeathsig", "KILL", "--");

  private final @Nullable Process trial;

  private Leash(@Nullable Process trial) {
    this.trial = trial;
  }

  /**
   * Starts to find out whether this system has leashes; the answer is waited for in {@link #tie}.
   */
  static Leash prepare() {
    ProcessBuilder builder = new ProcessBuilder(with(List.of("true")));
    builder.redirectErrorStream(true);
    builder.redirectOutput(ProcessBuilder.Redirect.DISCARD);
    try {
      return new Leash(builder.start());
    } catch (IOException missing) {
      return new Leash(null);
    }
  }

  /** The command on a leash, if this system has them. */
  List<String> tie(List<String> command) throws InterruptedException {
    return trial != null && trial.waitFor() == 0 ? with(command) : command;
  }

  private static List<String> with(List<String> command) {
    List<String> tied = new ArrayList<>(TIE);
    tied.addAll(command);
    return tied;
  }
}
