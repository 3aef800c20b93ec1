package io.holdfast.benchmarks;

import java.time.Duration;

/**
 * How much to measure of queues.
 *
 * @param base rounds and their length
 * @param rows ready items of the large table
 * @param heads leased or scheduled rows before the ready ones
 * @param pinned life cycles while a transaction pins the horizon
 * @param idleQueues queues that nobody uses
 * @param idleFor how long their statements are counted
 */
record QueueProfile(
    Profile base, long rows, long heads, long pinned, int idleQueues, Duration idleFor) {
  static final QueueProfile FULL =
      new QueueProfile(Profile.FULL, 2_000_000, 1_000_000, 100_000, 1000, Duration.ofSeconds(20));

  static final QueueProfile QUICK =
      new QueueProfile(Profile.QUICK, 200_000, 100_000, 20_000, 200, Duration.ofSeconds(10));

  QueueProfile withRounds(int rounds, Duration time) {
    return new QueueProfile(
        base.withRounds(rounds, time), rows, heads, pinned, idleQueues, idleFor);
  }

  QueueProfile withRows(long value) {
    return new QueueProfile(base, value, heads, pinned, idleQueues, idleFor);
  }

  /** A million life cycles under the pin, and idle queues for longer than any timer of theirs. */
  QueueProfile lengthened() {
    return new QueueProfile(base, rows, heads, 1_000_000, idleQueues, Duration.ofSeconds(90));
  }

  /** Rounds for single calls: enough of them fit into a third of the time. */
  Profile shortRounds() {
    return base.withRounds(base.rounds(), base.time().dividedBy(3));
  }
}
