package io.holdfast.job;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * How jobs return from the dead, from having been cancelled, or from waiting for their due time.
 *
 * @param queue the queue that the caller believes them in, as a guard; null: any
 * @param runAt not before then; null or past: at once
 * @param isResetting whether they start with no failures on record
 */
public record Requeue(@Nullable String queue, @Nullable Instant runAt, boolean isResetting) {
  /** At once, with a clean record. */
  public static final Requeue NOW = new Requeue(null, null, true);
}
