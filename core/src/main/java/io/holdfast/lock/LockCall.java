package io.holdfast.lock;

import io.holdfast.lease.Cancellation;
import java.time.Duration;

/** What one call to a store has to respect: the caller's token and the time limits. */
public record LockCall(Cancellation cancellation, Duration lockTimeout, Duration callTimeout) {
  /** A call that nobody cancels, with the default limits. */
  public static LockCall plain() {
    return new LockCall(
        Cancellation.never(), LockTimeouts.DEFAULTS.lock(), LockTimeouts.DEFAULTS.call());
  }
}
