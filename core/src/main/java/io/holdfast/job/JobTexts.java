package io.holdfast.job;

import io.holdfast.lease.Texts;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** What texts of jobs must be like. */
final class JobTexts {
  /** The longest text of an error or a reason, in bytes of UTF-8. */
  static final int MAX_ERROR = 8 * 1024;

  private JobTexts() {}

  static boolean isBlank(@Nullable String text) {
    return text == null || text.codePoints().allMatch(JobTexts::isSpace);
  }

  private static boolean isSpace(int c) {
    return Character.isWhitespace(c) || Character.isSpaceChar(c) || c == 0x85;
  }

  /** Without white space at both ends; null when nothing is left. */
  static @Nullable String trimmed(@Nullable String text) {
    if (text == null || isBlank(text)) {
      return null;
    }
    int from = 0;
    int to = text.length();
    while (isSpace(text.codePointAt(from))) {
      from += Character.charCount(text.codePointAt(from));
    }
    while (isSpace(text.codePointBefore(to))) {
      to -= Character.charCount(text.codePointBefore(to));
    }
    return text.substring(from, to);
  }

  /** How many bytes of UTF-8 it takes. */
  static int bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8).length;
  }

  /** An error's text as it can be stored: what cannot be is replaced, what is too much is cut. */
  static String error(String text) {
    String stored = Texts.storable(text);
    int room = MAX_ERROR;
    for (int i = 0; i < stored.length(); ) {
      int c = stored.codePointAt(i);
      room -= size(c);
      if (room < 0) {
        return stored.substring(0, i);
      }
      i += Character.charCount(c);
    }
    return stored;
  }

  private static int size(int c) {
    if (c < 0x80) {
      return 1;
    }
    if (c < 0x800) {
      return 2;
    }
    return c < 0x10000 ? 3 : 4;
  }
}
