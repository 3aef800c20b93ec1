package io.holdfast.lock;

import io.holdfast.ErrorCode;
import io.holdfast.HoldfastException;
import org.jspecify.annotations.Nullable;

/**
 * A lock operation that failed. The message never holds a raw key or lock id, so it can be logged;
 * the object at fault is in {@link #key()} and {@link #lockId()}.
 */
public final class LockException extends HoldfastException {
  private static final long serialVersionUID = 1L;

  private final @Nullable String key;
  private final @Nullable String lockId;
  private final boolean outcomeUnknown;

  /** A failure without an object. */
  public LockException(ErrorCode code, @Nullable String message) {
    this(code, message, null, null, null);
  }

  /** A failure with a cause. */
  public LockException(ErrorCode code, @Nullable String message, @Nullable Throwable cause) {
    this(code, message, cause, null, null);
  }

  private LockException(
      ErrorCode code,
      @Nullable String message,
      @Nullable Throwable cause,
      @Nullable String key,
      @Nullable String lockId) {
    this(code, message, cause, key, lockId, false);
  }

  private LockException(
      ErrorCode code,
      @Nullable String message,
      @Nullable Throwable cause,
      @Nullable String key,
      @Nullable String lockId,
      boolean outcomeUnknown) {
    super(code, message, cause);
    this.key = key;
    this.lockId = lockId;
    this.outcomeUnknown = outcomeUnknown;
  }

  /** The same failure, naming what it was about; what is already named stays. */
  public LockException about(@Nullable String key, @Nullable String lockId) {
    LockException named =
        new LockException(
            code(),
            getMessage(),
            getCause(),
            this.key == null ? key : this.key,
            this.lockId == null ? lockId : this.lockId,
            outcomeUnknown);
    named.setStackTrace(getStackTrace());
    return named;
  }

  /** The same failure, saying that the operation may nevertheless have taken effect. */
  public LockException outcomeUnknown(boolean unknown) {
    LockException said = new LockException(code(), getMessage(), getCause(), key, lockId, unknown);
    said.setStackTrace(getStackTrace());
    return said;
  }

  /** True when the request was sent and its answer lost: the operation may have taken effect. */
  public boolean isOutcomeUnknown() {
    return outcomeUnknown;
  }

  /** The raw key, if the operation named one. */
  public @Nullable String key() {
    return key;
  }

  /** The raw lock id, if there was one. */
  public @Nullable String lockId() {
    return lockId;
  }

  static LockException invalid(String message) {
    return new LockException(ErrorCode.INVALID_ARGUMENT, message);
  }
}
