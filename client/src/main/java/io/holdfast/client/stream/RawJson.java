package io.holdfast.client.stream;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A value of JSON, byte for byte as somebody wrote it.
 *
 * @param text its characters
 */
public record RawJson(String text) {
  /** The value that stands for none. */
  public static final RawJson NULL = new RawJson("null");

  /** The bytes, in UTF-8. */
  public byte[] bytes() {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  /** These bytes if they are one value of JSON and nothing else; null if they are not. */
  public static @Nullable RawJson of(byte[] bytes) {
    if (bytes.length == 0 || isBlank(bytes[0]) || isBlank(bytes[bytes.length - 1])) {
      return null; // blanks around a value would be lost on the way
    }
    String text = text(bytes);
    return text != null && isValue(bytes) ? new RawJson(text) : null;
  }

  /** The part of a document from one place to another. */
  static @Nullable RawJson slice(byte[] document, long from, long to) {
    String text = text(Arrays.copyOfRange(document, (int) from, (int) to));
    return text == null ? null : new RawJson(text);
  }

  private static boolean isBlank(byte b) {
    return b == ' ' || b == '\t' || b == '\n' || b == '\r';
  }

  /** The bytes as strict UTF-8; null if they are not. */
  static @Nullable String text(byte[] bytes) {
    try {
      return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
    } catch (CharacterCodingException e) {
      return null;
    }
  }

  private static boolean isValue(byte[] bytes) {
    try (JsonParser parser = StreamJson.FACTORY.createParser(bytes)) {
      JsonToken token = parser.nextToken();
      if (token == null) {
        return false;
      }
      parser.skipChildren();
      parser.finishToken();
      return parser.nextToken() == null;
    } catch (IOException e) {
      return false;
    }
  }
}
