package io.holdfast.benchmarks;

import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Several callers of one process that all want one key. */
final class HotKey implements AutoCloseable {
  private static final String KEY = "bench:hot";
  private static final Duration POLL = Duration.ofMillis(100);

  private final Subject subject;
  private final List<Subject.Caller> callers = new ArrayList<>();
  private final Tally tally;
  private final Manners manners;

  /**
   * How callers behave.
   *
   * @param section how long each keeps the lock
   * @param polling whether who cannot wait tries every 100 ms, instead of at once
   * @param firstHolder the number of the first caller, so that processes can be told apart
   */
  record Manners(Duration section, boolean polling, int firstHolder) {}

  HotKey(Subject subject, int size, Tally tally, Manners manners) throws SQLException {
    this.subject = subject;
    this.tally = tally;
    this.manners = manners;
    for (int i = 0; i < size; i++) {
      callers.add(subject.caller());
    }
  }

  /** Everybody takes the lock as often as they get it; the latency is that of getting it. */
  Load.Outcome run(Duration time) throws Exception {
    return Load.run(callers.size(), time, this::take);
  }

  private long take(Load.Turn turn) throws Exception {
    Subject.Caller caller = callers.get(turn.caller());
    long start = System.nanoTime();
    if (!acquire(caller, turn.untilNanos())) {
      return -1;
    }
    long took = System.nanoTime() - start;
    tally.granted(manners.firstHolder + turn.caller());
    OpenLoop.awaitNanos(start + took + manners.section.toNanos());
    caller.release();
    return took;
  }

  private boolean acquire(Subject.Caller caller, long untilNanos) throws Exception {
    if (subject.waits() || !manners.polling) {
      return caller.acquire(KEY, untilNanos);
    }
    while (!caller.tryAcquire(KEY)) {
      long next = System.nanoTime() + POLL.toNanos();
      if (untilNanos - next <= 0) {
        return false;
      }
      OpenLoop.awaitNanos(next);
    }
    return true;
  }

  @Override
  public void close() throws SQLException {
    for (Subject.Caller caller : callers) {
      caller.close();
    }
    subject.close();
  }
}
