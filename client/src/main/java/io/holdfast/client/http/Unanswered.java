package io.holdfast.client.http;

import org.jspecify.annotations.Nullable;

/** A call that brought no answer. */
public final class Unanswered extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** Why there is none, and what that means. */
  public enum Kind {
    /** The server was not reached: nothing happened. */
    NOT_SENT,
    /** The answer was lost: anything may have happened. */
    LOST,
    /** It took too long: anything may have happened, or may still. */
    LATE,
    /** The caller cancelled or was interrupted: anything may have happened. */
    CALLED_OFF
  }

  private final Kind kind;

  Unanswered(Kind kind, String message, @Nullable Throwable cause) {
    super(message, cause);
    this.kind = kind;
  }

  /** Why there is no answer. */
  public Kind kind() {
    return kind;
  }
}
