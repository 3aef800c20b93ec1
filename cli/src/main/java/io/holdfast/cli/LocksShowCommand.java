package io.holdfast.cli;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.holdfast.lock.LockAdmin;
import io.holdfast.lock.LockKey;
import io.holdfast.lock.LockOperator.LockInspection;
import java.io.PrintWriter;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Shows everything known about one key. */
@Command(
    name = "show",
    customSynopsis = "holdfast locks show KEY [OPTION]...",
    sortOptions = false,
    header = "Show what is known about one key.",
    description = {"Whether KEY is locked, under which fence, for how long, and who waits.", ""})
final class LocksShowCommand implements Callable<Integer> {
  @Parameters(paramLabel = "KEY", hidden = true)
  private LockKey key;

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
      LockInspection seen = on.locks().operator().inspect(key.text());
      PrintWriter out = spec.commandLine().getOut();
      if (json) {
        Json.print(asJson(seen), out);
      } else {
        print(seen, out);
      }
      out.flush();
    }
    return Exit.OK;
  }

  private void print(LockInspection seen, PrintWriter out) {
    out.println("key       " + Text.printable(key.text()));
    out.println("key hash  " + key.hash());
    out.println("state     " + (isLive(seen) ? "locked" : "free"));
    if (isLive(seen)) {
      seen.lock()
          .ifPresent(
              lock -> {
                out.println("fence     " + lock.fence());
                out.println("acquired  " + Text.instant(lock.acquiredAt()));
                out.println("expires   " + Text.instant(lock.expiresAt()));
              });
      out.println("remaining " + Text.rough(seen.remaining()));
    }
    out.println("counter   " + seen.counter());
    out.println("waiters   " + seen.waiters().size());
    seen.refusal().ifPresent(why -> out.println("refusal   " + why));
  }

  private ObjectNode asJson(LockInspection seen) {
    ObjectNode answer = Json.object();
    answer.put("key", key.text());
    answer.put("keyHash", key.hash());
    answer.put("locked", isLive(seen));
    answer.set("lock", seen.lock().filter(lock -> isLive(seen)).map(Json::lock).orElse(null));
    answer.put("remainingMs", seen.remaining().toMillis());
    answer.put("counter", seen.counter());
    ArrayNode waiters = answer.putArray("waiters");
    for (LockAdmin.Ticket ticket : seen.waiters()) {
      waiters
          .addObject()
          .put("ticket", ticket.number())
          .put("fair", ticket.fair())
          .put("expiresAtMs", ticket.expiresAtMs());
    }
    answer.put("refusal", seen.refusal().orElse(null));
    return answer;
  }

  private static boolean isLive(LockInspection seen) {
    return !seen.remaining().isZero();
  }
}
