package io.holdfast.postgres;

import io.holdfast.ErrorCode;
import io.holdfast.HoldfastException;
import java.time.Duration;

/**
 * How a transaction of several statements runs.
 *
 * @param statementTimeout for each statement
 * @param lockTimeout for each wait for a lock
 */
public record TransactionSettings(
    Isolation isolation, Duration statementTimeout, Duration lockTimeout) {
  /** READ COMMITTED, 30 s, 5 s. */
  public static final TransactionSettings DEFAULTS =
      new TransactionSettings(
          Isolation.READ_COMMITTED, Duration.ofSeconds(30), Duration.ofSeconds(5));

  public TransactionSettings {
    check(statementTimeout, "statementTimeout");
    check(lockTimeout, "lockTimeout");
  }

  /** At another isolation level. */
  public TransactionSettings at(Isolation level) {
    return new TransactionSettings(level, statementTimeout, lockTimeout);
  }

  private static void check(Duration value, String name) {
    if (value.toNanos() < 1_000_000 || value.compareTo(Duration.ofDays(20)) > 0) {
      throw new HoldfastException(
          ErrorCode.INVALID_ARGUMENT, name + " must be from 1 ms to 20 days", null);
    }
  }
}
