package io.holdfast.stream;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Why a partition is, or is not, delivered to a group now.
 *
 * @param pending messages the group has not passed
 * @param until when that ends by itself; null when it does not, or is over
 * @param detail in words, with what unblocks it
 */
public record Explanation(
    CursorKey cursor, State state, long pending, @Nullable Instant until, String detail) {
  /** What is the matter; the first that applies. */
  public enum State {
    /** Pops are paused. */
    PAUSED,
    /** The group has no cursor here yet: its next pop makes one. */
    UNSEEDED,
    /** Parked. */
    PARKED,
    /** Somebody has it. */
    LEASED,
    /** Nothing is pending. */
    IDLE,
    /** The head has failed and waits for its next try. */
    RETRYING,
    /** The head is too young. */
    DELAYED,
    /** More may come: the window is open. */
    WINDOW,
    /** The next pop gets it. */
    READY
  }
}
