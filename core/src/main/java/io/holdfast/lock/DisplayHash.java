package io.holdfast.lock;

import java.text.Normalizer;

/**
 * A short, stable form of keys and ids for logs, telemetry and listings: 24 hexadecimal digits. It
 * hides the value from a casual reader; it is neither secret nor unique, so never use it for
 * identity.
 */
public final class DisplayHash {
  private DisplayHash() {}

  /** The hash of {@code text} in its canonical spelling. */
  public static String of(String text) {
    String normal = Normalizer.normalize(text, Normalizer.Form.NFC);
    int first = 0;
    int second = 0;
    int third = 0;
    for (int i = 0; i < normal.length(); i++) {
      int unit = normal.charAt(i);
      first = 31 * first + unit;
      second = 127 * second + 3 * unit;
      third = 2047 * third + 7 * unit;
    }
    return hex(first) + hex(second) + hex(third);
  }

  private static String hex(int number) {
    String digits = Integer.toHexString(number);
    return "0".repeat(8 - digits.length()) + digits;
  }
}
