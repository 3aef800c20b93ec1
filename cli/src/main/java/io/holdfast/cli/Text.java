package io.holdfast.cli;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeFormatterBuilder;

/** Text for a terminal. */
final class Text {
  private static final DateTimeFormatter INSTANT =
      new DateTimeFormatterBuilder().appendInstant(3).toFormatter();

  private static final int BEGINNING = 60;

  private Text() {}

  /** Without characters that command a terminal or break the line; keys may hold any. */
  static String printable(String text) {
    StringBuilder safe = new StringBuilder(text.length());
    text.codePoints().forEach(c -> append(safe, c));
    return safe.toString();
  }

  /** A message of several lines as one. */
  static String oneLine(String text) {
    return printable(text.strip().replaceAll("\\s*\\R\\s*", " "));
  }

  /** A payload as text: all of it, or for a table its beginning. */
  static String payload(byte[] payload, boolean whole) {
    String text = new String(payload, StandardCharsets.UTF_8);
    return whole || text.length() <= BEGINNING ? text : text.substring(0, BEGINNING) + "...";
  }

  /** To the millisecond, always of the same width. */
  static String instant(Instant instant) {
    return INSTANT.format(instant);
  }

  /** About how long, in the largest unit that leaves at least two of it. */
  static String rough(Duration duration) {
    long ms = duration.toMillis();
    long s = (ms + 500) / 1000;
    if (ms < 2_000) {
      return ms + "ms";
    }
    if (s < 120) {
      return s + "s";
    }
    return s < 7_200 ? s / 60 + "m" : s / 3600 + "h";
  }

  private static void append(StringBuilder safe, int c) {
    int type = Character.getType(c);
    boolean unsafe =
        Character.isISOControl(c)
            || type == Character.FORMAT
            || type == Character.LINE_SEPARATOR
            || type == Character.PARAGRAPH_SEPARATOR;
    if (unsafe) {
      safe.append("\\u{").append(Integer.toHexString(c)).append('}');
    } else {
      safe.appendCodePoint(c);
    }
  }
}
