package io.holdfast.server.http;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;

/** Percent-encoding, taken literally: each escape once, a plus is a plus in a path. */
final class Percent {
  private static final int HEX = 16;
  private static final int ASCII = 128;

  private Percent() {}

  /**
   * Refuses escapes that are cut off, and bytes that are not UTF-8, escaped or not.
   *
   * @param text a character for each byte that came
   */
  static String decode(String text, String where) {
    if (text.chars().allMatch(c -> c < ASCII && c != '%')) {
      return text;
    }
    byte[] raw = text.getBytes(StandardCharsets.ISO_8859_1);
    ByteBuffer decoded = ByteBuffer.allocate(raw.length);
    for (int i = 0; i < raw.length; i++) {
      if (raw[i] == '%') {
        decoded.put((byte) (digit(raw, i + 1, where) * HEX + digit(raw, i + 2, where)));
        i += 2;
      } else {
        decoded.put(raw[i]);
      }
    }
    try {
      return StandardCharsets.UTF_8.newDecoder().decode(decoded.flip()).toString();
    } catch (CharacterCodingException e) {
      throw Refusal.malformed(where + " is not UTF-8");
    }
  }

  private static int digit(byte[] raw, int at, String where) {
    int digit = at < raw.length ? Character.digit(raw[at], HEX) : -1;
    if (digit < 0) {
      throw Refusal.malformed(where + " has a broken percent escape");
    }
    return digit;
  }

  /** The parameters of a query; the first of a name counts, and here a plus is a blank. */
  static Map<String, String> query(String query) {
    Map<String, String> parameters = new HashMap<>();
    for (String pair : query.split("&")) {
      int equals = pair.indexOf('=');
      String name = equals < 0 ? pair : pair.substring(0, equals);
      String value = equals < 0 ? "" : pair.substring(equals + 1);
      if (!pair.isEmpty()) {
        parameters.putIfAbsent(
            decode(name.replace('+', ' '), "the query"),
            decode(value.replace('+', ' '), "the query"));
      }
    }
    return parameters;
  }
}
