package io.holdfast.stream;

import io.holdfast.HoldfastException;
import org.jspecify.annotations.Nullable;

/** A stream operation that failed as a whole. */
public class StreamException extends HoldfastException {
  private static final long serialVersionUID = 1L;

  private final StreamError error;
  private final boolean outcomeUnknown;

  /** A failure of this kind. */
  public StreamException(StreamError error, String message, @Nullable Throwable cause) {
    this(error, message, cause, false);
  }

  private StreamException(
      StreamError error, String message, @Nullable Throwable cause, boolean outcomeUnknown) {
    super(error.code(), message, cause);
    this.error = error;
    this.outcomeUnknown = outcomeUnknown;
  }

  /** What went wrong. */
  public final StreamError error() {
    return error;
  }

  /** True when the call was sent and its answer lost: it may have taken effect. */
  public final boolean isOutcomeUnknown() {
    return outcomeUnknown;
  }

  /** A caller's mistake; the message names the argument. */
  public static StreamException invalid(String message) {
    return new StreamException(StreamError.INVALID_ARGUMENT, message, null);
  }

  /** A queue that is not there. */
  public static StreamException noQueue(String queue) {
    return new StreamException(
        StreamError.QUEUE_NOT_FOUND, "there is no queue named '" + queue + "'", null);
  }

  /** A partition that is not there. */
  public static StreamException noPartition(String queue, String partition) {
    return new StreamException(
        StreamError.PARTITION_NOT_FOUND,
        "queue '" + queue + "' has no partition named '" + partition + "'",
        null);
  }

  /** A group that has not read the queue. */
  public static StreamException noGroup(String queue, String group) {
    return new StreamException(
        StreamError.GROUP_NOT_FOUND,
        "queue '" + queue + "' has no consumer group named '" + group + "'",
        null);
  }

  /** Sent, and never answered. */
  public static StreamException unknown(String message, @Nullable Throwable cause) {
    return new StreamException(StreamError.UNAVAILABLE, message, cause, true);
  }

  /** Worth repeating. */
  public static StreamException unavailable(String message, @Nullable Throwable cause) {
    return new StreamException(StreamError.UNAVAILABLE, message, cause);
  }

  /** This process no longer does it. */
  public static StreamException closed() {
    return new StreamException(StreamError.CLOSED, "the streams are closed", null);
  }
}
