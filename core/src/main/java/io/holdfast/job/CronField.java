package io.holdfast.job;

/**
 * The values that one field of cron lets through. Immutable.
 *
 * @param bits bit n is set when n may be
 */
record CronField(long bits) {
  /** Reads {@code *}, numbers, names, ranges, steps, and lists of these. */
  static CronField read(CronUnit unit, String text) {
    long bits = 0;
    for (String item : text.split(",", -1)) {
      bits |= item(unit, item);
    }
    return new CronField(bits);
  }

  private static long item(CronUnit unit, String item) {
    int slash = item.indexOf('/');
    if (slash < 0) {
      return range(unit, item, false, 1);
    }
    int step = CronUnit.number(item.substring(slash + 1));
    if (step == 0) {
      throw new IllegalArgumentException("a step is at least 1");
    }
    return range(unit, item.substring(0, slash), true, step);
  }

  /** A single number with a step behind it is where an open range starts. */
  private static long range(CronUnit unit, String text, boolean isOpen, int step) {
    if (text.equals("*")) {
      return every(unit, unit.min(), unit.max(), step);
    }
    int dash = text.indexOf('-');
    if (dash >= 0) {
      int from = unit.value(text.substring(0, dash));
      return every(unit, from, unit.endOfRange(from, text.substring(dash + 1)), step);
    }
    int value = unit.value(text);
    return isOpen ? every(unit, value, Math.max(value, unit.max()), step) : unit.bit(value);
  }

  private static long every(CronUnit unit, int from, int to, int step) {
    long bits = 0;
    for (long value = from; value <= to; value += step) {
      bits |= unit.bit((int) value);
    }
    return bits;
  }

  /** Whether this value is let through. */
  boolean has(int value) {
    return (bits >>> value & 1) == 1;
  }

  /** The least value. */
  int first() {
    return from(0);
  }

  /** The least value that is not below {@code value}, or -1; {@code value} is at most 63. */
  int from(int value) {
    long rest = bits >>> value << value;
    return rest == 0 ? -1 : Long.numberOfTrailingZeros(rest);
  }
}
