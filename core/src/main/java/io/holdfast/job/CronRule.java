package io.holdfast.job;

/** Which instants an expression means, in seconds since the epoch. Immutable. */
interface CronRule {
  /** There is no further slot within the time that a schedule may wait. */
  long NEVER = Long.MAX_VALUE;

  /** The first slot after this second, or {@link #NEVER}. */
  long after(long second);

  /** The last slot until {@code to}, that second included; {@code from} is a slot before it. */
  long lastUntil(long from, long to);
}
