package io.holdfast.cli;

import io.holdfast.lock.LockAdmin;
import java.io.PrintWriter;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Counts locks, waiters and fence counters. */
@Command(
    name = "stats",
    customSynopsis = "holdfast locks stats [OPTION]...",
    sortOptions = false,
    header = "Count locks, waiters and fence counters.",
    description = {"The number of counters is an estimate where there are many.", ""})
final class LocksStatsCommand implements Callable<Integer> {
  @Option(names = "--json", description = "Answer in JSON.")
  private boolean json;

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
      LockAdmin.Stats stats = on.locks().operator().stats();
      PrintWriter out = spec.commandLine().getOut();
      if (json) {
        Json.print(
            Json.object()
                .put("liveLocks", stats.liveLocks())
                .put("expiredRows", stats.expiredRows())
                .put("counters", stats.counters())
                .put("waiters", stats.waiters())
                .put("lockTableBytes", stats.lockTableBytes())
                .put("counterTableBytes", stats.counterTableBytes()),
            out);
      } else {
        out.println("live locks    " + stats.liveLocks());
        out.println("waiters       " + stats.waiters());
        out.println("expired rows  " + stats.expiredRows());
        out.println("counters      " + stats.counters());
        out.println("bytes         " + (stats.lockTableBytes() + stats.counterTableBytes()));
      }
      out.flush();
    }
    return Exit.OK;
  }
}
