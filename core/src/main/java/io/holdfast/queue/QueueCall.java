package io.holdfast.queue;

import io.holdfast.lease.Cancellation;
import java.time.Duration;

/** What one call to a store has to respect: who may call it off, and how long it may take. */
public record QueueCall(Cancellation cancellation, Duration limit) {
  /** A call that nobody calls off, of at most 30 s. */
  public static QueueCall plain() {
    return new QueueCall(Cancellation.never(), Duration.ofSeconds(30));
  }
}
