package io.holdfast.lease;

/** What texts must be like to be stored and compared. */
public final class Texts {
  private static final int REPLACEMENT = 0xfffd;

  private Texts() {}

  /** Whether PostgreSQL can store it: no U+0000, no half of a surrogate pair. */
  public static boolean isStorable(String text) {
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c == 0 || Character.isLowSurrogate(c)) {
        return false;
      }
      if (Character.isHighSurrogate(c)) {
        i++;
        if (i == text.length() || !Character.isLowSurrogate(text.charAt(i))) {
          return false;
        }
      }
    }
    return true;
  }

  /** The same with U+FFFD in the place of what PostgreSQL cannot store. */
  public static String storable(String text) {
    if (isStorable(text)) {
      return text;
    }
    StringBuilder clean = new StringBuilder(text.length());
    text.codePoints().map(Texts::storable).forEach(clean::appendCodePoint);
    return clean.toString();
  }

  private static int storable(int c) {
    boolean isHalf = Character.isBmpCodePoint(c) && Character.isSurrogate((char) c);
    return c == 0 || isHalf ? REPLACEMENT : c;
  }

  /** Whether it has white space of any script, U+0085 and non-breaking ones included. */
  public static boolean hasWhiteSpace(String text) {
    return text.codePoints()
        .anyMatch(c -> Character.isWhitespace(c) || Character.isSpaceChar(c) || c == 0x85);
  }
}
