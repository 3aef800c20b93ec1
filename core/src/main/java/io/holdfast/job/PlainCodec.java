package io.holdfast.job;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** Bytes as they are, and text in UTF-8. */
enum PlainCodec implements JobCodec {
  INSTANCE;

  @Override
  public byte[] encode(@Nullable Object value) {
    if (value == null) {
      return new byte[0];
    }
    if (value instanceof byte[] bytes) {
      return bytes.clone();
    }
    if (value instanceof String text) {
      return text.getBytes(StandardCharsets.UTF_8);
    }
    throw new IllegalArgumentException(
        "the plain codec knows bytes and text, not " + value.getClass().getName());
  }

  @Override
  public <T> @Nullable T decode(byte[] bytes, Class<T> type) {
    if (type == byte[].class) {
      return type.cast(bytes.clone());
    }
    if (type == String.class) {
      try {
        return type.cast(
            StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString());
      } catch (CharacterCodingException e) {
        throw new IllegalArgumentException("the payload is not UTF-8", e);
      }
    }
    if (type == Void.class) {
      return null;
    }
    throw new IllegalArgumentException(
        "the plain codec knows bytes and text, not " + type.getName());
  }
}
