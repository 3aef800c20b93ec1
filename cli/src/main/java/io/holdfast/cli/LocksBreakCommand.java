package io.holdfast.cli;

import io.holdfast.lease.Fence;
import io.holdfast.lock.LockKey;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Takes a lock away from its holder. */
@Command(
    name = "break",
    customSynopsis = "holdfast locks break KEY --fence N [OPTION]...",
    sortOptions = false,
    header = "Take a lock away from its holder.",
    description = {
      "Frees KEY if it is still locked under fence N (see locks show). The holder",
      "learns of it at its next renewal; until then only a check of the fence keeps it",
      "out. Exit code 1 if nothing was broken.",
      ""
    })
final class LocksBreakCommand implements Callable<Integer> {
  @Parameters(paramLabel = "KEY", hidden = true)
  private LockKey key;

  @Option(
      names = "--fence",
      paramLabel = "N",
      required = true,
      description = "The fence of the lock to break.")
  private Fence fence;

  @Mixin private LocksPlace place;

  @Mixin private DatabaseOptions database;

  @Option(
      names = {"-h", "--help"},
      usageHelp = true,
      description = "Show this help.")
  private boolean help;

  @Spec private CommandSpec spec;

  @Override
  public Integer call() {
    try (LocksPlace.Opened on = place.open(database)) {
      if (!on.locks().operator().breakLock(key.text(), fence)) {
        Problem.say("nothing was broken: the key is not locked under fence " + fence);
        return Exit.FAILED;
      }
      spec.commandLine().getOut().println("broken: the lock with fence " + fence);
      return Exit.OK;
    }
  }
}
