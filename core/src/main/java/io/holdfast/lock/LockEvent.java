package io.holdfast.lock;

import io.holdfast.ErrorCode;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * What one call did. Key and id are hashed; {@code raw} is there only for listeners that asked for
 * it.
 *
 * @param nanos how long the call took
 */
public record LockEvent(
    Type type,
    Outcome outcome,
    @Nullable String keyHash,
    @Nullable String lockIdHash,
    long nanos,
    @Nullable Raw raw) {

  /** Which call. */
  public enum Type {
    ACQUIRE,
    RELEASE,
    EXTEND,
    IS_LOCKED,
    LOOKUP,
    /** Not a call: a fence above {@link io.holdfast.lease.Fence#WARN} was granted. */
    FENCE_WARNING
  }

  /** How it ended. */
  public enum Result {
    OK,
    FAIL,
    ERROR;

    /** The spelling used in metrics and logs. */
    public String text() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /**
   * The result, with the code of an error or the reason of a refusal: {@code locked}, {@code
   * expired} or {@code not-found}.
   */
  public record Outcome(Result result, @Nullable ErrorCode code, @Nullable String reason) {
    static final Outcome OK = new Outcome(Result.OK, null, null);

    static Outcome fail(String reason) {
      return new Outcome(Result.FAIL, null, reason);
    }

    static Outcome error(ErrorCode code) {
      return new Outcome(Result.ERROR, code, null);
    }
  }

  /** The raw values, as far as the call knew them. */
  public record Raw(@Nullable String key, @Nullable String lockId) {}
}
