package io.holdfast.benchmarks;

import java.time.Duration;

/**
 * How much to measure of streams.
 *
 * @param base rounds and their length
 * @param retained messages of the long history
 * @param partitions of the wide queue
 * @param statusRows history of the design with a status row per message and group
 * @param parked consumers that wait for something to come
 * @param parkedFor how long their statements are counted
 */
record StreamProfile(
    Profile base, long retained, int partitions, int statusRows, int parked, Duration parkedFor) {
  /** How many parked consumers are of one group. */
  static final int PER_GROUP = 10;

  static final StreamProfile FULL =
      new StreamProfile(Profile.FULL, 1_000_000, 50_000, 100_000, 1000, Duration.ofSeconds(60));

  static final StreamProfile QUICK =
      new StreamProfile(Profile.QUICK, 1_000_000, 50_000, 100_000, 1000, Duration.ofSeconds(20));

  StreamProfile withRounds(int rounds, Duration time) {
    return new StreamProfile(
        base.withRounds(rounds, time), retained, partitions, statusRows, parked, parkedFor);
  }

  StreamProfile withRetained(long value) {
    return new StreamProfile(base, value, partitions, statusRows, parked, parkedFor);
  }

  StreamProfile withPartitions(int value) {
    return new StreamProfile(base, retained, value, statusRows, parked, parkedFor);
  }

  /** The groups that the parked consumers are of. */
  int groups() {
    return Math.max(1, parked / PER_GROUP);
  }
}
