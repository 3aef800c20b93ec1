package io.holdfast.client.proto;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Durations as Go writes them: {@code 900ms}, {@code 1h0m0s}, {@code 1.5s}. */
public final class GoDuration {
  private static final Pattern PART =
      Pattern.compile("(?=\\.?[0-9])([0-9]*)(?:\\.([0-9]*))?(ns|us|µs|μs|ms|s|m|h)");
  private static final int LONGEST = 200;
  private static final long SECOND = 1_000_000_000L;
  private static final Map<String, Long> UNITS =
      Map.of(
          "ns", 1L,
          "us", 1_000L,
          "µs", 1_000L,
          "μs", 1_000L,
          "ms", 1_000_000L,
          "s", SECOND,
          "m", 60 * SECOND,
          "h", 3600 * SECOND);

  private GoDuration() {}

  /** The duration; empty if the text is none, or one beyond 292 years. */
  public static Optional<Duration> parse(String text) {
    boolean isNegative = text.startsWith("-");
    String rest = isNegative || text.startsWith("+") ? text.substring(1) : text;
    if (rest.equals("0")) {
      return Optional.of(Duration.ZERO);
    }
    if (rest.isEmpty() || rest.length() > LONGEST) {
      return Optional.empty();
    }
    Matcher part = PART.matcher(rest);
    BigInteger nanos = BigInteger.ZERO;
    int end = 0;
    while (end < rest.length() && part.find(end) && part.start() == end) {
      nanos = nanos.add(nanos(part));
      end = part.end();
    }
    if (end < rest.length() || nanos.bitLength() >= Long.SIZE) {
      return Optional.empty();
    }
    return Optional.of(Duration.ofNanos(isNegative ? -nanos.longValue() : nanos.longValue()));
  }

  private static BigInteger nanos(Matcher part) {
    String fraction = part.group(2) == null ? "" : part.group(2);
    BigDecimal count = new BigDecimal("0" + part.group(1) + "." + fraction + "0");
    return count.multiply(BigDecimal.valueOf(UNITS.get(part.group(3)))).toBigInteger();
  }

  /** The canonical text. */
  public static String format(Duration duration) {
    if (duration.isNegative()) {
      return "-" + format(duration.negated());
    }
    if (duration.isZero()) {
      return "0s";
    }
    if (duration.getSeconds() == 0) {
      return small(duration.getNano());
    }
    long hours = duration.toHours();
    int minutes = duration.toMinutesPart();
    String seconds = decimal(duration.toSecondsPart() * SECOND + duration.getNano(), SECOND) + "s";
    if (hours > 0) {
      return hours + "h" + minutes + "m" + seconds;
    }
    return minutes > 0 ? minutes + "m" + seconds : seconds;
  }

  private static String small(int nanos) {
    if (nanos < UNITS.get("us")) {
      return nanos + "ns";
    }
    String unit = nanos < UNITS.get("ms") ? "µs" : "ms";
    return decimal(nanos, UNITS.get(unit)) + unit;
  }

  private static String decimal(long value, long unit) {
    return BigDecimal.valueOf(value)
        .divide(BigDecimal.valueOf(unit))
        .stripTrailingZeros()
        .toPlainString();
  }
}
