package io.holdfast.lock;

import java.time.Instant;

/** The lock is held until {@code expiresAt} on the store's clock. */
public record Extended(Instant expiresAt) implements ExtendOutcome {
  @Override
  public boolean ok() {
    return true;
  }
}
