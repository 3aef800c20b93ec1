package io.holdfast.queue;

import java.math.BigInteger;
import java.time.Instant;
import java.time.temporal.ChronoUnit;

/**
 * Item ids: {@code prefix(10) sequence(6) instance(11)}, base62 digits whose byte order is the age.
 * The prefix stands for a moment and makes the whole a KSUID; the rest makes it unique.
 */
public final class ItemIds {
  /** Digits in a whole id. */
  public static final int LENGTH = 27;

  /** Digits that stand for the moment. */
  public static final int PREFIX = 10;

  private static final String LARGEST = "aWgEPTl1tmebfsQzFP4bxwgy80V";
  private static final Instant EPOCH = Instant.ofEpochSecond(1_400_000_000L);
  private static final BigInteger NUMERATOR = BigInteger.ONE.shiftLeft(128);
  private static final BigInteger DENOMINATOR =
      BigInteger.valueOf(62).pow(17).multiply(BigInteger.valueOf(1_000_000));

  private ItemIds() {}

  /** Whether {@code id} could be one of ours. */
  public static boolean isWellFormed(String id) {
    if (id.length() != LENGTH) {
      return false;
    }
    for (int i = 0; i < LENGTH; i++) {
      if (!Base62.isDigit(id.charAt(i))) {
        return false;
      }
    }
    return id.compareTo(LARGEST) <= 0;
  }

  /** The prefix of a moment, as a number; rounded up, so that its time decodes to the moment's. */
  public static long prefix(Instant at) {
    long micros = Math.max(0, EPOCH.until(at, ChronoUnit.MICROS));
    BigInteger[] parts =
        BigInteger.valueOf(micros).multiply(NUMERATOR).divideAndRemainder(DENOMINATOR);
    return parts[0].longValueExact() + (parts[1].signum() == 0 ? 0 : 1);
  }

  /** The prefix of an id, as a number. */
  public static long prefix(String id) {
    return Base62.decode(id.substring(0, PREFIX));
  }

  /** The ten digits of a prefix. */
  public static String digits(long prefix) {
    return Base62.encode(prefix, PREFIX);
  }
}
