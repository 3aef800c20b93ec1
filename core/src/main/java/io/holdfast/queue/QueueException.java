package io.holdfast.queue;

import io.holdfast.ErrorCode;
import io.holdfast.HoldfastException;
import org.jspecify.annotations.Nullable;

/**
 * A queue operation that failed. The message starts with a fixed part, and goes on after a
 * semicolon with what is particular to the case.
 */
public final class QueueException extends HoldfastException {
  private static final long serialVersionUID = 1L;

  /** What a caller can do about it. */
  public enum Kind {
    /** The caller's mistake; an unknown queue or id is one. */
    INVALID,
    /** The state of the item or queue forbids it. */
    CONFLICT,
    /** Worth repeating: nothing in time, overloaded, storage away, outcome unknown. */
    RETRYABLE,
    /** It will not work here: shutting down. */
    FAILED,
    /** A defect. */
    INTERNAL
  }

  private final Kind kind;
  private final boolean outcomeUnknown;

  /** A failure of this kind; {@code code} says more than the kind where there is more to say. */
  public QueueException(Kind kind, ErrorCode code, String message, @Nullable Throwable cause) {
    this(kind, code, message, cause, false);
  }

  private QueueException(
      Kind kind,
      ErrorCode code,
      String message,
      @Nullable Throwable cause,
      boolean outcomeUnknown) {
    super(code, message, cause);
    this.kind = kind;
    this.outcomeUnknown = outcomeUnknown;
  }

  /** What a caller can do about it. */
  public Kind kind() {
    return kind;
  }

  /** True when the request was sent and its answer lost: the operation may have taken effect. */
  public boolean isOutcomeUnknown() {
    return outcomeUnknown;
  }

  /** A caller's mistake. */
  public static QueueException invalid(String message) {
    return new QueueException(Kind.INVALID, ErrorCode.INVALID_ARGUMENT, message, null);
  }

  /** A queue that is not there, or not any more. */
  public static QueueException noQueue(String name) {
    return invalid("queue does not exist; no such queue named '" + name + "'");
  }

  /** A state that forbids it. */
  public static QueueException conflict(String message) {
    return new QueueException(Kind.CONFLICT, ErrorCode.CONFLICT, message, null);
  }

  /** Worth repeating. */
  public static QueueException retryable(String message, @Nullable Throwable cause) {
    return new QueueException(Kind.RETRYABLE, ErrorCode.SERVICE_UNAVAILABLE, message, cause);
  }

  /** Too much to do already. */
  public static QueueException overloaded() {
    return new QueueException(
        Kind.RETRYABLE, ErrorCode.OVERLOADED, "queue is overloaded; try again later", null);
  }

  /** Sent, and never answered. */
  public static QueueException unknown(String message, @Nullable Throwable cause) {
    return new QueueException(Kind.RETRYABLE, ErrorCode.SERVICE_UNAVAILABLE, message, cause, true);
  }

  /** Called off by the caller before anything was done. */
  public static QueueException aborted(String message) {
    return new QueueException(Kind.RETRYABLE, ErrorCode.ABORTED, message, null);
  }

  /** This process no longer does it. */
  public static QueueException closed(String message) {
    return new QueueException(Kind.FAILED, ErrorCode.CLOSED, message, null);
  }

  /** A defect. */
  public static QueueException internal(String message, @Nullable Throwable cause) {
    return new QueueException(Kind.INTERNAL, ErrorCode.INTERNAL, message, cause);
  }
}
