package io.holdfast.stream;

import java.time.Instant;

/**
 * Messages that a queue dropped.
 *
 * @param messages how many rows went
 * @param through the last offset that went
 * @param lost how many of them some group had not read yet, summed over groups
 */
public record Dropped(
    String queue,
    String partition,
    Reason reason,
    long messages,
    long through,
    long lost,
    Instant at) {
  /** Why. */
  public enum Reason {
    /** Every group had passed them. */
    COMPLETED,
    /** They were too old, read or not. */
    AGE,
    /** They had waited longer than consumers want them. */
    MAX_WAIT
  }
}
