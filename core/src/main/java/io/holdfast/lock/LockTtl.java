package io.holdfast.lock;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** For how long a lease is granted, in whole milliseconds. */
public record LockTtl(long millis) {
  /** Keeps database now + ttl below 2^53 until the year 2198. */
  public static final long MAX_MILLIS = 9_000_000_000_000_000L;

  /** What the helpers use when nothing is said. */
  public static final Duration DEFAULT = Duration.ofSeconds(30);

  public LockTtl {
    if (millis < 1 || millis > MAX_MILLIS) {
      throw LockException.invalid("ttl must be 1 to " + MAX_MILLIS + " ms");
    }
  }

  /** Cuts {@code duration} to whole milliseconds. */
  public static LockTtl of(@Nullable Duration duration) {
    if (duration == null) {
      throw LockException.invalid("ttl must not be null");
    }
    if (duration.compareTo(Duration.ofMillis(MAX_MILLIS)) > 0) {
      throw LockException.invalid("ttl must be 1 to " + MAX_MILLIS + " ms");
    }
    return new LockTtl(duration.isNegative() ? -1 : duration.toMillis());
  }

  /** The same as a duration. */
  public Duration duration() {
    return Duration.ofMillis(millis);
  }
}
