package io.holdfast.stream;

import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.UUID;
import javax.crypto.Cipher;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;

/**
 * Encrypts payloads with AES-256-GCM under one key. An envelope is a version, the key's id, the
 * initialization vector and the sealed bytes; the queue's uid is authenticated with it, so that an
 * envelope moved to another queue does not open. Safe for use by many threads.
 */
final class PayloadCipher {
  private static final byte VERSION = 1;
  private static final int KEY_ID_BYTES = 8;
  private static final int IV_BYTES = 12;
  private static final int TAG_BITS = 128;
  private static final int KEY_DIGITS = 64;

  private final SecretKeySpec key;
  private final byte[] keyId;
  private final SecureRandom random = new SecureRandom();

  private PayloadCipher(byte[] bytes) {
    this.key = new SecretKeySpec(bytes, "AES");
    try {
      this.keyId = Arrays.copyOf(MessageDigest.getInstance("SHA-256").digest(bytes), KEY_ID_BYTES);
    } catch (GeneralSecurityException e) {
      throw new StreamException(StreamError.INTERNAL, "SHA-256 is missing", e);
    }
  }

  /** With the key of these 64 hexadecimal digits; null without one. */
  static @Nullable PayloadCipher of(@Nullable String digits) {
    if (digits == null) {
      return null;
    }
    StreamRules.require(
        digits.length() == KEY_DIGITS && digits.chars().allMatch(HexFormat::isHexDigit),
        "the encryption key must have " + KEY_DIGITS + " hexadecimal digits");
    return new PayloadCipher(HexFormat.of().parseHex(digits));
  }

  /** The payload in an envelope for the queue of this uid. */
  Payload seal(Payload payload, UUID queue) {
    byte[] iv = new byte[IV_BYTES];
    random.nextBytes(iv);
    try {
      byte[] sealed = cipher(Cipher.ENCRYPT_MODE, iv, queue).doFinal(payload.unwrap());
      return Payload.sealed(
          ByteBuffer.allocate(1 + KEY_ID_BYTES + IV_BYTES + sealed.length)
              .put(VERSION)
              .put(keyId)
              .put(iv)
              .put(sealed)
              .array(),
          queue);
    } catch (GeneralSecurityException e) {
      throw new StreamException(StreamError.ENCRYPTION_UNAVAILABLE, "encryption failed", e);
    }
  }

  /** What is in the envelope; one that does not open becomes an unreadable payload. */
  Payload open(Payload envelope, UUID queue) {
    byte[] bytes = envelope.unwrap();
    int head = 1 + KEY_ID_BYTES + IV_BYTES;
    if (bytes.length < head || bytes[0] != VERSION) {
      return unreadable("is not an envelope of ours", null);
    }
    if (!Arrays.equals(bytes, 1, 1 + KEY_ID_BYTES, keyId, 0, KEY_ID_BYTES)) {
      return unreadable("was encrypted with another key", null);
    }
    byte[] iv = Arrays.copyOfRange(bytes, 1 + KEY_ID_BYTES, head);
    try {
      return Payload.wrap(
          cipher(Cipher.DECRYPT_MODE, iv, queue).doFinal(bytes, head, bytes.length - head));
    } catch (GeneralSecurityException e) {
      return unreadable("does not open", e);
    }
  }

  static Payload unreadable(String why, @Nullable Throwable cause) {
    return Payload.unreadable(
        new StreamException(StreamError.DECRYPT_FAILED, "the payload " + why, cause));
  }

  private Cipher cipher(int mode, byte[] iv, UUID queue) throws GeneralSecurityException {
    Cipher cipher = Cipher.getInstance("AES/GCM/NoPadding");
    cipher.init(mode, key, new GCMParameterSpec(TAG_BITS, iv));
    cipher.updateAAD(
        ByteBuffer.allocate(16)
            .putLong(queue.getMostSignificantBits())
            .putLong(queue.getLeastSignificantBits())
            .array());
    return cipher;
  }
}
