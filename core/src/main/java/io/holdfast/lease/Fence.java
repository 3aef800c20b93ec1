package io.holdfast.lease;

import io.holdfast.ErrorCode;
import io.holdfast.HoldfastException;

/**
 * A number that grows with every grant of one thing, so that anything downstream can tell a newer
 * holder from an older one. Its text has 15 decimal digits, zero padded; order is numeric.
 */
public record Fence(long value) implements LeaseToken, Comparable<Fence> {
  /** The highest fence that is ever granted. */
  public static final long MAX = 900_000_000_000_000L;

  /** Grants strictly above this one are warned about. */
  public static final long WARN = 90_000_000_000_000L;

  private static final int DIGITS = 15;
  private static final long LIMIT = 1_000_000_000_000_000L;

  public Fence {
    if (value < 0 || value >= LIMIT) {
      throw invalid("a fence is a number from 0 to 10^15 - 1");
    }
  }

  /** Reads exactly 15 decimal digits. */
  public static Fence parse(String text) {
    if (text.length() != DIGITS || !text.chars().allMatch(c -> c >= '0' && c <= '9')) {
      throw invalid("a fence is written with exactly 15 decimal digits");
    }
    return new Fence(Long.parseLong(text));
  }

  @Override
  public String text() {
    String digits = Long.toString(value);
    return "0".repeat(DIGITS - digits.length()) + digits;
  }

  @Override
  public int compareTo(Fence other) {
    return Long.compare(value, other.value);
  }

  @Override
  public String toString() {
    return text();
  }

  private static HoldfastException invalid(String message) {
    return new HoldfastException(ErrorCode.INVALID_ARGUMENT, message, null);
  }
}
