package io.holdfast.queue;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** How a leased item goes back: at once, at a moment, or to the dead queue. */
public record Retry(String id, @Nullable Instant retryAt, boolean dead) {
  /** To the tail of its partition, at once. */
  public static Retry now(String id) {
    return new Retry(id, null, false);
  }

  /** Not to be leased before {@code at}. */
  public static Retry at(String id, Instant at) {
    return new Retry(id, at, false);
  }

  /** To the dead queue; deleted where there is none. */
  public static Retry dead(String id) {
    return new Retry(id, null, true);
  }
}
