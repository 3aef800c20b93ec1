package io.holdfast.stream;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * What became of extending a lease.
 *
 * @param partitions how many partitions it holds; 0: it is lost
 * @param expiresAt when the first of them ends; null when it is lost
 */
public record Extended(int partitions, @Nullable Instant expiresAt) {
  /** A lease that holds nothing any more. */
  public static final Extended LOST = new Extended(0, null);
}
