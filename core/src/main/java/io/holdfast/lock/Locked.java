package io.holdfast.lock;

import java.time.Duration;

/** A refusal: the key is taken, for about {@code retryAfter} unless it is released or extended. */
public record Locked(Duration retryAfter) implements LockAttempt {
  @Override
  public boolean ok() {
    return false;
  }

  @Override
  public ReleaseOutcome release() {
    return NotHeld.NOT_FOUND;
  }

  @Override
  public ExtendOutcome extend(Duration ttl) {
    return NotHeld.NOT_FOUND;
  }

  @Override
  public void close() {}
}
