package io.holdfast;

import org.jspecify.annotations.Nullable;

/**
 * The one root of everything this library throws; {@link #code()} says what kind of failure it is.
 */
public class HoldfastException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final ErrorCode code;

  /** A failure whose message defaults to its code. */
  public HoldfastException(ErrorCode code, @Nullable String message, @Nullable Throwable cause) {
    super(message == null ? code.text() : message, cause);
    this.code = code;
  }

  /** What kind of failure this is. */
  public final ErrorCode code() {
    return code;
  }
}
