package io.holdfast.stream;

import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * What became of a dead letter that was to go back.
 *
 * @param messageId of the new message; null unless it was moved
 */
public record Redriven(UUID deadLetterId, Outcome outcome, @Nullable UUID messageId) {
  /** What became of it. */
  public enum Outcome {
    /** It is a message again, and no dead letter any more. */
    MOVED,
    /** There is no such dead letter, or somebody else moved it. */
    GONE,
    /** Its queue has no room: it stays. */
    FULL
  }
}
