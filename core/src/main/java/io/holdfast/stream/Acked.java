package io.holdfast.stream;

import org.jspecify.annotations.Nullable;

/**
 * What became of one verdict.
 *
 * @param error why it was refused; null when it counts
 * @param isNoop whether it had been settled before, so that nothing changed
 * @param isDead whether the message went to the dead letters by this call
 * @param isReleased whether this call settled the batch, and so ended the lease of the partition
 */
public record Acked(
    @Nullable StreamError error, boolean isNoop, boolean isDead, boolean isReleased) {
  /** Whether the verdict counts. */
  public boolean isSuccess() {
    return error == null;
  }

  /** A refused one. */
  public static Acked refused(StreamError error) {
    return new Acked(error, false, false, false);
  }
}
