package io.holdfast.lock;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Time limits of lock operations: each wait for a database lock, each whole call, and closing a
 * handle (null: as long as it takes).
 */
public record LockTimeouts(Duration lock, Duration call, @Nullable Duration close) {
  private static final Duration MAX = Duration.ofMillis(Integer.MAX_VALUE);

  /** 5 s, 30 s, none. */
  public static final LockTimeouts DEFAULTS =
      new LockTimeouts(Duration.ofSeconds(5), Duration.ofSeconds(30), null);

  public LockTimeouts {
    check(lock, "lockTimeout");
    check(call, "callTimeout");
    if (close != null) {
      check(close, "closeTimeout");
    }
  }

  private static void check(Duration value, String name) {
    if (value.compareTo(Duration.ofMillis(1)) < 0 || value.compareTo(MAX) > 0) {
      throw LockException.invalid(name + " must be from 1 ms to 24 days");
    }
  }
}
