package io.holdfast.lock;

import io.holdfast.lease.LeaseToken;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The unguessable name of one lease on a key: 16 random bytes as 22 base64url characters. */
public record LockId(String text) implements LockRef, LeaseToken {
  private static final Pattern FORM = Pattern.compile("[A-Za-z0-9_-]{22}");
  private static final SecureRandom RANDOM = new SecureRandom();
  private static final Base64.Encoder BASE64 = Base64.getUrlEncoder().withoutPadding();

  public LockId {
    if (!FORM.matcher(text).matches()) {
      throw LockException.invalid("lockId must be 22 base64url characters");
    }
  }

  /** Checks {@code text}. */
  public static LockId of(@Nullable String text) {
    if (text == null) {
      throw LockException.invalid("lockId must not be null");
    }
    return new LockId(text);
  }

  /** A new id that nobody can guess. */
  public static LockId random() {
    byte[] bytes = new byte[16];
    RANDOM.nextBytes(bytes);
    return new LockId(BASE64.encodeToString(bytes));
  }

  /** A short form for logs and displays. */
  public String hash() {
    return DisplayHash.of(text);
  }

  @Override
  public String toString() {
    return "LockId[" + hash() + "]";
  }
}
