package io.holdfast.lease;

import java.time.Duration;

/** What one call to a store has to respect: who may call it off, and how long it may take. */
public record StoreCall(Cancellation cancellation, Duration limit) {
  /** A call that nobody calls off, of at most 30 s. */
  public static StoreCall plain() {
    return new StoreCall(Cancellation.never(), Duration.ofSeconds(30));
  }
}
