package io.holdfast.lease;

/** What a store said to one renewal; {@code expiresAtMs} counts only when renewed. */
public record Renewal(Status status, long expiresAtMs) {
  /** The four answers. */
  public enum Status {
    RENEWED,
    NOT_FOUND,
    EXPIRED,
    /** Something else works on it right now; ask again, alone. */
    BUSY
  }

  /** A renewal that succeeded. */
  public static Renewal until(long expiresAtMs) {
    return new Renewal(Status.RENEWED, expiresAtMs);
  }

  /** A renewal that did not. */
  public static Renewal refused(Status status) {
    return new Renewal(status, 0);
  }
}
