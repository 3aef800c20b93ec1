package io.holdfast.lock;

/**
 * The one rule of who still counts as holder: a lease is live until a tolerance after its expiry.
 * The tolerance is slack between the store's view and the holder's, never time to use.
 */
public final class Liveness {
  /** How long past its expiry a lease still keeps others out. */
  public static final long TOLERANCE_MS = 1000;

  /** How long past its expiry a row must be before upkeep may delete it. */
  public static final long PURGE_MS = 2000;

  /** The largest instant that every client of the tables can represent. */
  public static final long MAX_INSTANT_MS = (1L << 53) - 1;

  private Liveness() {}

  /** Whether a lease that expires then is live now. */
  public static boolean isLive(long expiresAtMs, long nowMs) {
    return expiresAtMs > nowMs - TOLERANCE_MS;
  }

  /** How long until a live lease stops being live. */
  public static long remainingMs(long expiresAtMs, long nowMs) {
    return Math.max(1, expiresAtMs + TOLERANCE_MS - nowMs);
  }

  /** Whether upkeep may delete the row of a lease that expired then. */
  public static boolean isPurgeable(long expiresAtMs, long nowMs) {
    return expiresAtMs < nowMs - PURGE_MS;
  }
}
