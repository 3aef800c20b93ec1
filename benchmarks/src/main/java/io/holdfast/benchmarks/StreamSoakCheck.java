package io.holdfast.benchmarks;

import io.holdfast.stream.DeadLetterQuery;
import io.holdfast.stream.StreamMonitor;
import io.holdfast.stream.Streams;
import io.holdfast.testkit.history.StreamHistory;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;

/** Holds what a soak of streams left behind against what a stream promises. */
final class StreamSoakCheck {
  private final Streams streams;
  private final PrintStream out;
  private boolean passes = true;

  StreamSoakCheck(Streams streams, PrintStream out) {
    this.streams = streams;
    this.out = out;
  }

  /** What some group has still to read. */
  long pending() {
    return StreamSoakPlan.GROUPS.stream()
        .mapToLong(group -> tally(group).pending())
        .max()
        .orElse(0);
  }

  private StreamMonitor.Tally tally(String group) {
    return streams.browser().tally(StreamSoakPlan.QUEUE, group);
  }

  /** Checks everything and answers whether all of it held. */
  boolean run(StreamSoakProducer producer, Path notes) throws IOException {
    check("messages that got another number than their turn", 0, producer.misplaced());
    StreamHistory history = new StreamHistory();
    for (int i = 0; i < producer.partitions(); i++) {
      for (long offset = 1; offset <= producer.last(i); offset++) {
        history.pushed(StreamSoakPlan.partition(i), offset);
      }
    }
    StreamSoakHistory told = new StreamSoakHistory(history);
    holds("notes of all consumers make sense", () -> told.read(notes));
    check("messages that carried something else", 0, told.wrong());
    holds("in order, without a gap, one holder at a time, nothing twice", history::check);
    for (String group : StreamSoakPlan.GROUPS) {
      holds(group + " settled every message", () -> history.checkComplete(group));
      tally(group, producer.pushed());
    }
    check(
        "dead letters",
        0,
        streams.deadLetters().list(DeadLetterQuery.of(StreamSoakPlan.QUEUE)).size());
    out.println(
        Targets.text(
            "      %,d claims, %,d deliveries, %,d confirmed, %,d settled by the killed or not",
            told.claims(), told.deliveries(), told.settled(), told.doubtful()));
    return passes;
  }

  private void tally(String group, long pushed) {
    StreamMonitor.Tally tally = tally(group);
    check(group + ": pushed", pushed, tally.pushed());
    check(group + ": passed", pushed, tally.passed());
    check(group + ": expired or lost", 0, tally.expired() + tally.lost());
  }

  @FunctionalInterface
  private interface Proof {
    void run() throws IOException;
  }

  private void holds(String what, Proof proof) throws IOException {
    try {
      proof.run();
      out.println("ok    " + what);
    } catch (AssertionError e) {
      passes = false;
      out.println("FAIL  " + what + ": " + e.getMessage());
    }
  }

  void check(String what, long wanted, long found) {
    boolean holds = wanted == found;
    passes &= holds;
    out.println(
        Targets.text("%s  %s: %d", holds ? "ok  " : "FAIL", what, found)
            + (holds ? "" : " instead of " + wanted));
  }
}
