package io.holdfast.job;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * What became of a wish for more time.
 *
 * @param error why it was refused; null: it was not
 * @param token the token to use from now on
 * @param expiresAt when the lease ends now
 * @param isCancelRequested whether the run was asked to end
 */
public record Extended(
    String id,
    @Nullable JobError error,
    String token,
    @Nullable Instant expiresAt,
    boolean isCancelRequested) {
  /** No more time. */
  public static Extended refused(Held held, JobError error) {
    return new Extended(held.id(), error, held.token(), null, false);
  }

  /** Whether there is more time. */
  public boolean isOk() {
    return error == null;
  }
}
