package io.holdfast.client.proto;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * One field of a message.
 *
 * @param index its place among the components
 * @param name in JSON
 * @param isOptional whether a value that is there is written although it is the default
 * @param message what it consists of, if it is a message
 */
public record FieldType(
    int index,
    int number,
    String name,
    Kind kind,
    boolean isRepeated,
    boolean isOptional,
    @Nullable MessageType<?> message,
    Method accessor) {
  private static final byte[] NO_BYTES = {};

  /** What values look like. */
  public enum Kind {
    /** A {@code String}. */
    TEXT,
    /** An {@code int}, 32 bits on the wire. */
    INT,
    /** A {@code long}, in JSON a text. */
    LONG,
    /** A {@code boolean}. */
    FLAG,
    /** A {@code byte[]}, in JSON as base64. */
    BYTES,
    /** An {@code Instant}, on the wire a Timestamp. */
    TIME,
    /** A {@code Map} of texts. */
    TEXTS,
    /** Another record. */
    MESSAGE
  }

  /** What a message has that does not mention the field. */
  public @Nullable Object absent() {
    if (isRepeated) {
      return List.of();
    }
    return switch (kind) {
      case TEXT -> "";
      case INT -> 0;
      case LONG -> 0L;
      case FLAG -> false;
      case BYTES -> NO_BYTES;
      case TEXTS -> Map.of();
      case TIME, MESSAGE -> null;
    };
  }

  /** Whether the message says no more with this value than without it. */
  public boolean isOmitted(@Nullable Object value) {
    if (value == null || isOptional) {
      return value == null;
    }
    return value instanceof byte[] bytes ? bytes.length == 0 : Objects.equals(value, absent());
  }

  /** Whether only clients that asked for extensions know it. */
  public boolean isExtension() {
    return number >= Field.FIRST_EXTENSION;
  }

  /** Its type, for a message. */
  public MessageType<?> type() {
    return Objects.requireNonNull(message);
  }

  /** Its value in {@code of}. */
  public @Nullable Object get(Record of) {
    try {
      return accessor.invoke(of);
    } catch (IllegalAccessException | InvocationTargetException e) {
      throw new IllegalStateException("a message cannot be read: " + of.getClass(), e);
    }
  }
}
