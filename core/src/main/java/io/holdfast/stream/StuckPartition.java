package io.holdfast.stream;

import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A partition that somebody should look at.
 *
 * @param leasedAt null when it is not held
 * @param readyAt end of the lease, or when it is tried again; null when parked
 * @param heldFor how long the lease has lasted; zero without one
 */
public record StuckPartition(
    CursorKey cursor,
    Reason reason,
    @Nullable Instant leasedAt,
    @Nullable Instant readyAt,
    Duration heldFor,
    int attempt,
    @Nullable String error) {
  /** Why. */
  public enum Reason {
    /** Its lease ends within 30 s. */
    EXPIRING,
    /** Its lease is over, and nobody has taken it since. */
    EXPIRED,
    /** Its head has failed. */
    RETRYING,
    /** It was parked. */
    PARKED
  }
}
