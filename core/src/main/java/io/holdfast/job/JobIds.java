package io.holdfast.job;

import java.security.SecureRandom;
import java.util.UUID;
import java.util.function.LongSupplier;

/**
 * Makes ids of jobs: 32 hexadecimal digits with the bits of a version 7 UUID, each greater than the
 * one before in this process. Nothing reads a time out of them. Safe for use by many threads.
 */
public final class JobIds {
  private static final SecureRandom RANDOM = new SecureRandom();
  private static final int COUNTER_BITS = 12;

  private final LongSupplier millis;
  private long last;

  /** On this clock of milliseconds, which may go back. */
  public JobIds(LongSupplier millis) {
    this.millis = millis;
  }

  /** The next id. */
  public String next() {
    long high;
    synchronized (this) {
      // The clock in the upper bits; below it a counter, which carries into the clock.
      last = Math.max(last + 1, millis.getAsLong() << COUNTER_BITS);
      high = last;
    }
    long time = high >>> COUNTER_BITS;
    long counter = high & ((1 << COUNTER_BITS) - 1);
    UUID id =
        new UUID(
            time << 16 | 0x7000 | counter,
            RANDOM.nextLong() & 0x3fffffffffffffffL | 0x8000000000000000L);
    return id.toString().replace("-", "");
  }
}
