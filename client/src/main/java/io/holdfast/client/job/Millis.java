package io.holdfast.client.job;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.Duration;

/** Times on the wire of jobs: milliseconds, with a fraction if need be. */
public final class Millis {
  private static final BigDecimal MOST = BigDecimal.valueOf(1_000_000_000_000_000_000L);
  private static final int NANO_DIGITS = 6;

  private Millis() {}

  /** In milliseconds, exactly; what is beyond all measure is cut. */
  public static BigDecimal of(Duration time) {
    BigDecimal millis =
        BigDecimal.valueOf(time.getSeconds())
            .movePointRight(3)
            .add(BigDecimal.valueOf(time.getNano(), NANO_DIGITS));
    BigDecimal whole = millis.min(MOST).max(MOST.negate()).stripTrailingZeros();
    return whole.scale() < 0 ? whole.setScale(0) : whole;
  }

  /**
   * As a duration.
   *
   * @throws ArithmeticException if it is too large, or finer than a nanosecond
   */
  public static Duration duration(BigDecimal millis) {
    if (millis.scale() > 2 * NANO_DIGITS && millis.signum() != 0
        || millis.abs().compareTo(MOST) > 0) {
      throw new ArithmeticException("out of range");
    }
    BigDecimal whole = millis.setScale(0, RoundingMode.FLOOR);
    BigDecimal rest = millis.subtract(whole).movePointRight(NANO_DIGITS);
    return Duration.ofMillis(whole.longValueExact())
        .plusNanos(rest.setScale(0, RoundingMode.FLOOR).longValueExact());
  }
}
