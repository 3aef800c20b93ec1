package io.holdfast.queue;

import java.time.Duration;

/** How long an item waits after its handler failed. */
@FunctionalInterface
public interface RetryPolicy {
  /** The wait before the next try; zero for none. */
  Duration delay(LeasedItem item, Exception failure);

  /** At once, at the tail of the queue. */
  static RetryPolicy immediate() {
    return (item, failure) -> Duration.ZERO;
  }

  /** First this long, then twice as long each time, up to {@code longest}. */
  static RetryPolicy doubling(Duration first, Duration longest) {
    return (item, failure) -> {
      int doublings = Math.min(30, Math.max(0, item.attempts() - 1));
      long most = longest.toMillis();
      long millis = Math.min(first.toMillis(), most >> doublings) << doublings;
      return Duration.ofMillis(first.toMillis() > most >> doublings ? most : millis);
    };
  }
}
