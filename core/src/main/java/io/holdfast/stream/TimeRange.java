package io.holdfast.stream;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** From an instant on, until before another; null is open. */
public record TimeRange(@Nullable Instant from, @Nullable Instant to) {
  /** Always. */
  public static final TimeRange ALL = new TimeRange(null, null);
}
