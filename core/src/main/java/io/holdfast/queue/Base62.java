package io.holdfast.queue;

/** Numbers in the digits {@code 0-9A-Za-z}, whose byte order is that of the numbers. */
final class Base62 {
  private static final String DIGITS =
      "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

  private Base62() {}

  static boolean isDigit(char c) {
    return c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z';
  }

  /** At least {@code width} digits of {@code number}, which is read as unsigned. */
  static String encode(long number, int width) {
    StringBuilder digits = new StringBuilder(11);
    long rest = number;
    while (rest != 0 || digits.length() < width) {
      digits.append(DIGITS.charAt((int) Long.remainderUnsigned(rest, 62)));
      rest = Long.divideUnsigned(rest, 62);
    }
    return digits.reverse().toString();
  }

  static long decode(String digits) {
    long number = 0;
    for (int i = 0; i < digits.length(); i++) {
      number = number * 62 + DIGITS.indexOf(digits.charAt(i));
    }
    return number;
  }
}
