package io.holdfast.cli;

import io.holdfast.lock.Acquired;
import io.holdfast.lock.LockAttempt;
import io.holdfast.lock.LockException;
import io.holdfast.lock.LockKey;
import io.holdfast.lock.LockTtl;
import io.holdfast.lock.Locked;
import io.holdfast.lock.Wait;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;
import picocli.CommandLine.TypeConversionException;

/** Holds a lock while a command runs. */
@Command(
    name = "run",
    customSynopsis = "holdfast run --lock KEY [OPTION]... [--] COMMAND [ARG]...",
    sortOptions = false,
    header = "Hold a lock while a command runs.",
    description = {
      "The lock is renewed until COMMAND ends. COMMAND finds its fence, 15 digits that",
      "grow with every grant, in HOLDFAST_FENCE, and the key in HOLDFAST_LOCK_KEY. When",
      "the lock is lost or holdfast is told to stop, COMMAND gets a SIGTERM; when",
      "holdfast is killed, COMMAND is too, if setpriv (util-linux) is there.",
      "TIME is written 500ms, 30s, 5m or 1h.",
      ""
    },
    footer = {
      "",
      "Exit code: COMMAND's own (128 + n after signal n; 126, 127 if it cannot be run),",
      "75 if the lock is taken, 1 if it was lost or something failed, 2 for bad usage."
    })
final class RunCommand implements Callable<Integer> {
  private static final Duration MIN_TTL = Duration.ofMillis(100);

  /** What the launcher puts here when it changed LC_ALL so that the JVM reads UTF-8. */
  private static final String LOCALE = "HOLDFAST_LC_ALL";

  @Option(names = "--lock", paramLabel = "KEY", required = true, description = "What to lock.")
  private LockKey key;

  @Option(
      names = "--ttl",
      paramLabel = "TIME",
      description = "How long the lock outlives a crash [30s].")
  private Duration ttl = LockTtl.DEFAULT;

  @Option(
      names = "--wait",
      paramLabel = "TIME",
      description = "How long to wait for a taken lock [0s].")
  private Duration wait = Duration.ZERO;

  @Option(
      names = "--grace",
      paramLabel = "TIME",
      description = "From SIGTERM to SIGKILL after a loss, at most [5s].")
  private Duration grace = Duration.ofSeconds(5);

  @Mixin private LocksPlace place;

  @Mixin private DatabaseOptions database;

  @Option(
      names = {"-h", "--help"},
      usageHelp = true,
      description = "Show this help.")
  private boolean help;

  @Parameters(paramLabel = "COMMAND", arity = "1..*", hidden = true)
  private List<String> command;

  @Spec private CommandSpec spec;

  @Override
  public Integer call() throws InterruptedException {
    check();
    int runnable = Program.check(command.get(0), System.getenv("PATH"));
    if (runnable != Exit.OK) {
      String why = runnable == Exit.NOT_FOUND ? ": not found" : ": cannot be run";
      Problem.say(command.get(0) + why);
      return runnable;
    }
    StopSignal signal = StopSignal.listen();
    OptionalInt code = OptionalInt.empty();
    try {
      code = hold(signal);
      return code.orElse(Exit.FAILED);
    } finally {
      signal.finished(code);
    }
  }

  private void check() {
    try {
      LockTtl.of(ttl);
      command.forEach(Arguments::requireReadable);
    } catch (LockException | TypeConversionException e) {
      throw new ParameterException(spec.commandLine(), String.valueOf(e.getMessage()));
    }
    if (ttl.compareTo(MIN_TTL) < 0) {
      throw new ParameterException(spec.commandLine(), "--ttl must be at least 100ms");
    }
  }

  /** The exit code; nothing when a signal came before the command was started. */
  private OptionalInt hold(StopSignal signal) throws InterruptedException {
    Leash leash = Leash.prepare();
    try (LocksPlace.Opened on = place.openOrCreateUnhooked(database)) {
      LockAttempt attempt =
          on.locks().cancelledBy(signal.cancellation()).acquire(key.text(), ttl, Wait.upTo(wait));
      if (attempt instanceof Acquired lock) {
        return runUnder(lock, leash, signal);
      }
      sayTaken((Locked) attempt);
      return OptionalInt.of(Exit.TAKEN);
    } catch (LockException e) {
      if (signal.isReceived()) {
        return OptionalInt.empty();
      }
      throw e;
    }
  }

  private static void sayTaken(Locked taken) {
    String left = Text.rough(taken.retryAfter());
    Problem.say("the lock is taken, for about " + left + " unless it is renewed or released");
  }

  /** Closing the place releases the lock wherever this does not. */
  private OptionalInt runUnder(Acquired lock, Leash leash, StopSignal signal)
      throws InterruptedException {
    ProcessBuilder builder = new ProcessBuilder(leash.tie(command)).inheritIO();
    addTo(builder.environment(), lock);
    LockedCommand running = new LockedCommand(builder, ttl, grace);
    lock.keep(running::lost);
    OptionalInt code;
    try {
      code = running.run(signal.received());
    } catch (IOException e) {
      Problem.say(command.get(0) + ": cannot be run: " + e.getMessage());
      code = OptionalInt.of(Exit.NOT_EXECUTABLE);
    }
    boolean held = !running.wasEnded() && giveBack(lock);
    return held ? code : OptionalInt.of(Exit.FAILED);
  }

  private static void addTo(Map<String, String> environment, Acquired lock) {
    environment.put("HOLDFAST_FENCE", lock.fence().text());
    environment.put("HOLDFAST_LOCK_KEY", lock.key());
    String locale = environment.remove(LOCALE);
    if (locale != null && locale.isEmpty()) {
      environment.remove("LC_ALL");
    } else if (locale != null) {
      environment.put("LC_ALL", locale);
    }
  }

  /** Whether the lock was held to the end. One that cannot be released now ends with its ttl. */
  private static boolean giveBack(Acquired lock) {
    try {
      if (lock.isHeld() && lock.release().ok()) {
        return true;
      }
      Problem.say("LeaseLost: the lock was not held until the command ended");
      return false;
    } catch (LockException e) {
      Problem.say("the lock was not released and ends by itself: " + Problem.of(e));
      return true;
    }
  }
}
