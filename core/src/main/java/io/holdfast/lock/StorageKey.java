package io.holdfast.lock;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.text.Normalizer;
import java.util.Arrays;
import java.util.Base64;

/**
 * How a key becomes the name it is stored under: as it is, or by a hash where it would not fit. The
 * rule is shared with other implementations of the same tables, so it must not change.
 */
public final class StorageKey {
  private static final int HASH_BYTES = 16;

  private StorageKey() {}

  /**
   * The stored form of {@code key} under {@code prefix}, which with {@code reserve} more bytes fits
   * {@code limit}.
   */
  public static String of(String prefix, String key, int limit, int reserve) {
    if (key.isEmpty()) {
      throw LockException.invalid("key must not be empty");
    }
    String head = withoutTrailingColons(prefix);
    if (bytes(head) + (head.isEmpty() ? 0 : 1) + reserve > limit) {
      throw LockException.invalid("prefix leaves no room for a key");
    }
    String full = join(head, Normalizer.normalize(key, Normalizer.Form.NFC));
    if (bytes(full) + reserve <= limit) {
      return full;
    }
    String hashed = join(head, hash(full));
    if (bytes(hashed) + reserve > limit) {
      throw LockException.invalid("the limit is too small for a hashed key");
    }
    return hashed;
  }

  private static String withoutTrailingColons(String prefix) {
    int end = prefix.length();
    while (end > 0 && prefix.charAt(end - 1) == ':') {
      end--;
    }
    return prefix.substring(0, end);
  }

  private static String join(String head, String tail) {
    return head.isEmpty() ? tail : head + ":" + tail;
  }

  private static String hash(String full) {
    byte[] digest = Arrays.copyOf(sha256(full), HASH_BYTES);
    return Base64.getUrlEncoder().withoutPadding().encodeToString(digest);
  }

  private static byte[] sha256(String text) {
    try {
      return MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK has SHA-256", e);
    }
  }

  private static int bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8).length;
  }
}
