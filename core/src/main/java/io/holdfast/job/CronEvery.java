package io.holdfast.job;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A slot each so many seconds, counted from the slot before. */
record CronEvery(long seconds) implements CronRule {
  private static final Pattern TEXT =
      Pattern.compile("(?:([0-9]{1,9})h)?(?:([0-9]{1,9})m)?(?:([0-9]{1,9})s)?");
  private static final long LONGEST = 5L * 365 * 86_400;

  /** Reads hours, minutes and seconds: {@code 1h30m}, {@code 90s}. */
  static CronEvery read(String text) {
    Matcher parts = TEXT.matcher(text);
    if (text.isEmpty() || !parts.matches()) {
      throw new IllegalArgumentException("'" + text + "' is not a duration such as 1h30m or 90s");
    }
    long seconds = part(parts, 1) * 3600 + part(parts, 2) * 60 + part(parts, 3);
    if (seconds < 1 || seconds > LONGEST) {
      throw new IllegalArgumentException("'" + text + "' is not between 1 s and 5 years");
    }
    return new CronEvery(seconds);
  }

  private static long part(Matcher parts, int group) {
    return parts.group(group) == null ? 0 : Long.parseLong(parts.group(group));
  }

  @Override
  public long after(long second) {
    return second + seconds;
  }

  @Override
  public long lastUntil(long from, long to) {
    return from + Math.max(0, (to - from) / seconds) * seconds;
  }
}
