package io.holdfast.lock;

import java.nio.charset.StandardCharsets;
import java.text.Normalizer;
import org.jspecify.annotations.Nullable;

/**
 * A valid key in its canonical spelling (NFC), at most 512 bytes of UTF-8. Keys are neither trimmed
 * nor case folded.
 */
public record LockKey(String text) implements LockRef {
  private static final int MAX_BYTES = 512;
  private static final int STORAGE_LIMIT = 1700;

  // Normalising joins a handful of characters at most, so anything longer cannot come out short
  // enough.
  private static final int HOPELESS_LENGTH = 16 * MAX_BYTES;

  public LockKey {
    text = canonical(text, "key");
  }

  /** Checks and canonicalises {@code text}. */
  public static LockKey of(@Nullable String text) {
    if (text == null) {
      throw LockException.invalid("key must not be null");
    }
    return new LockKey(text);
  }

  /** Checks the rules of a key on any {@code name}d argument and answers its canonical spelling. */
  public static String canonical(@Nullable String text, String name) {
    if (text == null || text.isEmpty()) {
      throw LockException.invalid(name + " must not be empty");
    }
    checkCharacters(text, name);
    String normal =
        text.length() > HOPELESS_LENGTH ? text : Normalizer.normalize(text, Normalizer.Form.NFC);
    if (normal.length() > MAX_BYTES || utf8Length(normal) > MAX_BYTES) {
      throw LockException.invalid(name + " is longer than " + MAX_BYTES + " bytes of UTF-8");
    }
    return normal;
  }

  /** The key of the lock row. */
  public String storageKey() {
    return StorageKey.of("", text, STORAGE_LIMIT, 0);
  }

  /** The key of the fence counter. */
  public String fenceKey() {
    return StorageKey.of("", "fence:" + storageKey(), STORAGE_LIMIT, 0);
  }

  /** A short form for logs and displays, see {@link DisplayHash}. */
  public String hash() {
    return DisplayHash.of(text);
  }

  /** Hashed, so that a key in a log line or message gives nothing away. */
  @Override
  public String toString() {
    return "LockKey[" + hash() + "]";
  }

  private static void checkCharacters(String text, String name) {
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      boolean pair =
          Character.isHighSurrogate(c)
              && i + 1 < text.length()
              && Character.isLowSurrogate(text.charAt(i + 1));
      if (pair) {
        i++;
      } else if (Character.isSurrogate(c)) {
        throw LockException.invalid(name + " has an unpaired surrogate");
      } else if (c == 0) {
        throw LockException.invalid(name + " has a NUL character");
      }
    }
  }

  private static int utf8Length(String text) {
    return text.getBytes(StandardCharsets.UTF_8).length;
  }
}
