package io.holdfast.job;

import org.jspecify.annotations.Nullable;

/** Turns values into payloads and outputs, and back. Safe for use by many threads. */
public interface JobCodec {
  /** The bytes of a value; fails with an {@link IllegalArgumentException} when it has none. */
  byte[] encode(@Nullable Object value);

  /** The value of these bytes; fails with an {@link IllegalArgumentException}. */
  <T> @Nullable T decode(byte[] bytes, Class<T> type);

  /** Knows bytes and text in UTF-8, and nothing else. */
  static JobCodec plain() {
    return PlainCodec.INSTANCE;
  }
}
