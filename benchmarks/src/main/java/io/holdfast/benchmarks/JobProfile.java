package io.holdfast.benchmarks;

import java.time.Duration;

/**
 * How much to measure of jobs.
 *
 * @param rounds of every measure; each subject once in each
 * @param jobs that a subject works off in a round
 * @param enqueueFor how long each subject of a round enqueues
 * @param latencies jobs of a round that are waited for one by one
 * @param rows ready jobs of the large table
 * @param gated jobs that wait for a key that is taken
 * @param idleFor how long the statements of an idle process are counted
 */
record JobProfile(
    int rounds,
    int jobs,
    Duration enqueueFor,
    int latencies,
    long rows,
    long gated,
    Duration idleFor) {
  static final JobProfile FULL =
      new JobProfile(
          5, 200_000, Duration.ofSeconds(10), 200, 5_000_000, 1_000_000, Duration.ofSeconds(60));

  static final JobProfile QUICK =
      new JobProfile(
          3, 30_000, Duration.ofSeconds(3), 50, 500_000, 100_000, Duration.ofSeconds(20));

  JobProfile withRounds(int value) {
    return new JobProfile(value, jobs, enqueueFor, latencies, rows, gated, idleFor);
  }

  JobProfile withJobs(int value) {
    return new JobProfile(rounds, value, enqueueFor, latencies, rows, gated, idleFor);
  }

  JobProfile withRows(long value) {
    return new JobProfile(rounds, jobs, enqueueFor, latencies, value, gated, idleFor);
  }

  JobProfile withGated(long value) {
    return new JobProfile(rounds, jobs, enqueueFor, latencies, rows, value, idleFor);
  }

  /** The same for measures that run for a time. */
  Profile timed() {
    return Profile.QUICK.withRounds(rounds, enqueueFor);
  }

  /** Before the first round every subject works off so many. */
  int warmUp() {
    return Math.min(jobs, 20_000);
  }
}
