package io.holdfast.stream;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The bytes of a message, kept as they are. Immutable; equal when the bytes are.
 *
 * <p>The payload of a message that our key does not open has no bytes: {@link #bytes} and {@link
 * #text} fail with {@code DECRYPT_FAILED}, so that a handler which reads it fails, and one which
 * does not may go on.
 */
public final class Payload {
  /** No bytes at all. */
  public static final Payload EMPTY = new Payload(new byte[0], null, null);

  private final byte[] bytes;
  private final @Nullable UUID sealedFor;
  private final @Nullable StreamException failure;

  private Payload(byte[] bytes, @Nullable UUID sealedFor, @Nullable StreamException failure) {
    this.bytes = bytes;
    this.sealedFor = sealedFor;
    this.failure = failure;
  }

  /** A copy of these bytes. */
  public static Payload of(byte[] bytes) {
    return new Payload(bytes.clone(), null, null);
  }

  /** These characters as UTF-8. */
  public static Payload of(String text) {
    return new Payload(text.getBytes(StandardCharsets.UTF_8), null, null);
  }

  /** These very bytes, which nobody may change any more; for stores. */
  public static Payload wrap(byte[] bytes) {
    return new Payload(bytes, null, null);
  }

  /** An envelope that opens only as part of the queue of this uid. */
  static Payload sealed(byte[] envelope, UUID queue) {
    return new Payload(envelope, queue, null);
  }

  /** The uid of the queue that this is an envelope for, as far as is known. */
  public @Nullable UUID sealedFor() {
    return sealedFor;
  }

  /** One that could not be opened. */
  static Payload unreadable(StreamException why) {
    return new Payload(new byte[0], null, why);
  }

  /** One that another process could not open, and why. */
  public static Payload unreadable(String why) {
    return unreadable(new StreamException(StreamError.DECRYPT_FAILED, why, null));
  }

  /** A copy of the bytes. */
  public byte[] bytes() {
    return unwrap().clone();
  }

  /** The bytes read as UTF-8. */
  public String text() {
    return new String(unwrap(), StandardCharsets.UTF_8);
  }

  /** The very bytes, not to be changed; for stores. */
  public byte[] unwrap() {
    if (failure != null) {
      throw new StreamException(
          StreamError.DECRYPT_FAILED, String.valueOf(failure.getMessage()), failure);
    }
    return bytes;
  }

  /** How many bytes. */
  public int size() {
    return bytes.length;
  }

  /** Whether its bytes can be had. */
  public boolean isReadable() {
    return failure == null;
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof Payload p
        && Arrays.equals(bytes, p.bytes)
        && isReadable() == p.isReadable();
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(bytes);
  }

  @Override
  public String toString() {
    return isReadable() ? bytes.length + " bytes" : "unreadable";
  }
}
