package io.holdfast.job;

import java.util.List;
import java.util.Locale;

/** What a field of cron counts. */
enum CronUnit {
  SECOND("second", 0, 59, List.of()),
  MINUTE("minute", 0, 59, List.of()),
  HOUR("hour", 0, 23, List.of()),
  DAY("day of month", 1, 31, List.of()),
  MONTH(
      "month",
      1,
      12,
      List.of("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")),
  WEEKDAY("day of week", 0, 6, List.of("sun", "mon", "tue", "wed", "thu", "fri", "sat"));

  private static final int SUNDAY_AT_THE_END = 7;

  private final String label;
  private final int min;
  private final int max;
  private final List<String> names;

  CronUnit(String label, int min, int max, List<String> names) {
    this.label = label;
    this.min = min;
    this.max = max;
    this.names = names;
  }

  /** How messages call it. */
  String label() {
    return label;
  }

  /** The least value. */
  int min() {
    return min;
  }

  /** The greatest value, Sunday counted as 0. */
  int max() {
    return max;
  }

  /** Reads a number or a name; Sunday may be 7. */
  int value(String text) {
    int named = names.indexOf(text.toLowerCase(Locale.ROOT));
    int value = named >= 0 ? named + min : number(text);
    if (value < min || value > greatest()) {
      throw new IllegalArgumentException("'" + text + "' is not " + min + " to " + greatest());
    }
    return value;
  }

  /** Reads a range; Sunday may end a week. */
  int endOfRange(int from, String text) {
    int value = value(text);
    int to = this == WEEKDAY && value == 0 && from > 0 ? SUNDAY_AT_THE_END : value;
    if (to < from) {
      throw new IllegalArgumentException("a range ends at '" + text + "', before it starts");
    }
    return to;
  }

  /** The bit of a value. */
  long bit(int value) {
    return 1L << (this == WEEKDAY ? value % SUNDAY_AT_THE_END : value);
  }

  private int greatest() {
    return this == WEEKDAY ? SUNDAY_AT_THE_END : max;
  }

  /** Reads a number without sign. */
  static int number(String text) {
    if (!text.matches("[0-9]{1,9}")) {
      throw new IllegalArgumentException("'" + text + "' is not understood");
    }
    return Integer.parseInt(text);
  }
}
