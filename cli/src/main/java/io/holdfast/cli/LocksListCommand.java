package io.holdfast.cli;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.holdfast.lock.LockInfo;
import io.holdfast.lock.LockInfoRaw;
import java.io.PrintWriter;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Lists live locks. */
@Command(
    name = "list",
    customSynopsis = "holdfast locks list [OPTION]...",
    sortOptions = false,
    header = "List live locks.",
    description = {"By key, and keys are shown as hashes unless --raw is given.", ""})
final class LocksListCommand implements Callable<Integer> {
  private static final int MAX_LIMIT = 1000;

  @Option(names = "--prefix", paramLabel = "P", description = "Only keys that start so.")
  private String prefix = "";

  @Option(names = "--after", paramLabel = "KEY", description = "Only keys after this one.")
  private @Nullable String after;

  @Option(names = "--limit", paramLabel = "N", description = "At most so many, 1 to 1000 [100].")
  private int limit = 100;

  @Option(names = "--raw", description = "Show the keys themselves.")
  private boolean raw;

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
    if (limit < 1 || limit > MAX_LIMIT) {
      throw new ParameterException(spec.commandLine(), "--limit must be 1 to " + MAX_LIMIT);
    }
    try (LocksPlace.Opened on = place.open(database)) {
      List<LockInfoRaw> locks = on.locks().operator().listRaw(prefix, after, limit);
      PrintWriter out = spec.commandLine().getOut();
      if (json) {
        print(locks, out);
      } else {
        out.printf("%-15s  %-24s  %-24s  %s%n", "FENCE", "ACQUIRED", "EXPIRES", keyTitle());
        locks.forEach(lock -> out.println(line(lock)));
        if (locks.size() == limit) {
          Problem.say("these are the first " + limit + "; --raw and --after KEY show more");
        }
      }
      out.flush();
    }
    return Exit.OK;
  }

  private String keyTitle() {
    return raw ? "KEY" : "KEY HASH";
  }

  private String line(LockInfoRaw lock) {
    LockInfo info = lock.info();
    String key = raw ? Text.printable(lock.key()) : info.keyHash();
    return "%s  %s  %s  %s"
        .formatted(
            info.fence(), Text.instant(info.acquiredAt()), Text.instant(info.expiresAt()), key);
  }

  private void print(List<LockInfoRaw> locks, PrintWriter out) {
    ObjectNode answer = Json.object();
    ArrayNode array = answer.putArray("locks");
    for (LockInfoRaw lock : locks) {
      ObjectNode node = Json.lock(lock.info());
      if (raw) {
        node.put("key", lock.key());
      }
      array.add(node);
    }
    Json.print(answer, out);
  }
}
