package io.holdfast.queue;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Objects;

/**
 * What an item carries for its consumer; a queue never looks into it. Two contents are equal when
 * their bytes and texts are. The array is not copied: do not change it afterwards.
 */
public record Content(byte[] payload, String reference, String encoding, String kind) {
  private static final byte[] NOTHING = {};

  /** Bytes without texts. */
  public static Content of(byte[] payload) {
    return new Content(payload, "", "", "");
  }

  /** No bytes and no texts. */
  public static Content empty() {
    return of(NOTHING);
  }

  /** The payload read as UTF-8. */
  public String text() {
    return new String(payload, StandardCharsets.UTF_8);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Content that
        && Arrays.equals(payload, that.payload)
        && reference.equals(that.reference)
        && encoding.equals(that.encoding)
        && kind.equals(that.kind);
  }

  @Override
  public int hashCode() {
    return Objects.hash(Arrays.hashCode(payload), reference, encoding, kind);
  }

  @Override
  public String toString() {
    return "Content[%d bytes, reference=%s, encoding=%s, kind=%s]"
        .formatted(payload.length, reference, encoding, kind);
  }
}
