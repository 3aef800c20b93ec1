package io.holdfast.benchmarks;

import java.time.Duration;

/**
 * How much to measure.
 *
 * @param rounds per measure
 * @param time of one contender in one round
 * @param warmUp of one contender before the rounds
 * @param leases that are renewed at once
 * @param leaseTtl of those; they are renewed every third of it
 * @param ageingPairs how many pairs one key sees in the measure of ageing
 * @param ageingBlock how many of those make one figure
 */
record Profile(
    int rounds,
    Duration time,
    Duration warmUp,
    int leases,
    Duration leaseTtl,
    long ageingPairs,
    int ageingBlock) {
  private static final int LEASES = 1000;
  private static final Duration MAX_WARM_UP = Duration.ofSeconds(5);

  /** Five rounds of 15 s. */
  static final Profile FULL = of(5, Duration.ofSeconds(15), Duration.ofSeconds(30), 100_000);

  /** Three rounds of 3 s, for a first look. */
  static final Profile QUICK = of(3, Duration.ofSeconds(3), Duration.ofSeconds(6), 20_000);

  private static Profile of(int rounds, Duration time, Duration leaseTtl, long ageingPairs) {
    Duration warmUp = time.compareTo(MAX_WARM_UP) < 0 ? time : MAX_WARM_UP;
    return new Profile(rounds, time, warmUp, LEASES, leaseTtl, ageingPairs, 10_000);
  }

  /** With another number and length of rounds. */
  Profile withRounds(int newRounds, Duration newTime) {
    return of(newRounds, newTime, leaseTtl, ageingPairs);
  }

  /** When to stop the measure of ageing, however many pairs it has done. */
  Duration ageingLimit() {
    return Duration.ofMinutes(ageingPairs > 100_000 ? 90 : 10);
  }

  /** With another number of pairs in the measure of ageing. */
  Profile withAgeingPairs(long pairs) {
    return new Profile(rounds, time, warmUp, leases, leaseTtl, pairs, ageingBlock);
  }
}
