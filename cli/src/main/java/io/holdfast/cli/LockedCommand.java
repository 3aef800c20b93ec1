package io.holdfast.cli;

import io.holdfast.lease.LossReason;
import java.io.IOException;
import java.time.Duration;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;

/**
 * The command that runs under a lock, from its start to its end. Three things can happen to it, and
 * the one thread that waits for them is the only one that acts on it:
 *
 * <ul>
 *   <li>it ends by itself: what it leaves behind in the background is its own affair;
 *   <li>this process is told to stop: SIGTERM to the command alone, which may take its time;
 *       whatever it leaves behind is ended, for the lock is about to be released;
 *   <li>the lock is lost: SIGTERM to the command and all it has started, SIGKILL after the grace.
 *       While the database cannot be reached, nobody else is granted the lock before the lease has
 *       ended and its tolerance has passed; the grace is cut so that the SIGKILL comes before that.
 * </ul>
 */
final class LockedCommand {
  private static final Duration TOLERANCE = Duration.ofMillis(1000);
  private static final Duration MAX_MARGIN = Duration.ofMillis(1000);
  private static final Duration SAFETY = Duration.ofMillis(250);

  private final ProcessBuilder builder;
  private final Duration ttl;
  private final Duration grace;
  private final CompletableFuture<LossReason> loss = new CompletableFuture<>();
  private final CompletableFuture<Void> over = new CompletableFuture<>();
  private boolean ended;

  LockedCommand(ProcessBuilder builder, Duration ttl, Duration grace) {
    this.builder = builder;
    this.ttl = ttl;
    this.grace = grace;
  }

  /** Tells of the loss and returns when the command is over: only then may others have the lock. */
  void lost(LossReason reason) {
    loss.complete(reason);
    over.join();
  }

  /** Whether the command was ended because of a loss, and that was said. */
  boolean wasEnded() {
    return ended;
  }

  /**
   * Runs the command to its end and answers its exit code, 128 + n after signal n; nothing when
   * there was a loss or a stop before it could start. The calling thread must live as long as the
   * JVM, see {@link Leash}.
   */
  OptionalInt run(CompletableFuture<Void> stop) throws IOException, InterruptedException {
    try {
      if (stop.isDone() || loss.isDone()) {
        return OptionalInt.empty();
      }
      Process process = builder.start();
      supervise(process, stop);
      return OptionalInt.of(process.waitFor());
    } finally {
      over.complete(null);
    }
  }

  private void supervise(Process process, CompletableFuture<Void> stop) {
    ProcessTree tree = new ProcessTree(process.toHandle());
    CompletableFuture<Process> end = process.onExit();
    CompletableFuture.anyOf(end, loss, stop).join();
    if (stop.isDone() && !end.isDone() && !loss.isDone()) {
      tree.look();
      process.destroy();
      CompletableFuture.anyOf(end, loss).join();
      if (end.isDone()) {
        tree.end(grace);
      }
    }
    if (loss.isDone() && !end.isDone()) {
      Problem.say("LeaseLost: " + inWords(loss.join()) + "; ending the command");
      ended = true;
      tree.end(graceAfter(loss.join()));
    }
  }

  private static String inWords(LossReason reason) {
    return switch (reason) {
      case NOT_FOUND -> "the lock was broken, or somebody else has it";
      case EXPIRED -> "the time of the lock was over";
      case DEADLINE -> "the lock could not be renewed in time";
    };
  }

  private Duration graceAfter(LossReason reason) {
    if (reason != LossReason.DEADLINE) {
      return grace; // others may have the lock already
    }
    return min(grace, min(MAX_MARGIN, ttl.dividedBy(10)).plus(TOLERANCE).minus(SAFETY));
  }

  private static Duration min(Duration a, Duration b) {
    return a.compareTo(b) < 0 ? a : b;
  }
}
