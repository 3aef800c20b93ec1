package io.holdfast.client.lock;

import io.holdfast.ErrorCode;
import io.holdfast.client.http.Failure;
import io.holdfast.client.http.Unanswered;
import io.holdfast.client.http.Verbs;
import io.holdfast.lease.Causes;
import io.holdfast.lock.LockException;
import java.util.Arrays;
import java.util.concurrent.CancellationException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Turns what goes wrong on the way into the exceptions that locks have in any process. */
final class LockFailures {
  private LockFailures() {}

  /** A refusal of the server. */
  static LockException of(Verbs.Failed failed) {
    Failure failure = failed.failure();
    String text = failure.details() == null ? failure.code() : failure.details().code();
    ErrorCode code =
        Arrays.stream(ErrorCode.values())
            .filter(known -> known.text().equals(text))
            .findAny()
            .orElse(failed.status() >= 500 ? ErrorCode.SERVICE_UNAVAILABLE : ErrorCode.INTERNAL);
    boolean isUnknown =
        failure.details() != null && Boolean.TRUE.equals(failure.details().outcomeUnknown());
    return new LockException(code, failure.error()).outcomeUnknown(isUnknown);
  }

  /** Makes a call. */
  static <T> T told(Supplier<T> call) {
    try {
      return call.get();
    } catch (Unanswered e) {
      throw known(e);
    }
  }

  static LockException known(@Nullable Throwable failure) {
    Throwable cause = Causes.ofNullable(failure);
    if (cause instanceof LockException lock) {
      return lock;
    }
    if (cause instanceof Unanswered lost) {
      ErrorCode code =
          switch (lost.kind()) {
            case NOT_SENT, LOST -> ErrorCode.SERVICE_UNAVAILABLE;
            case LATE -> ErrorCode.NETWORK_TIMEOUT;
            case CALLED_OFF -> ErrorCode.ABORTED;
          };
      return new LockException(code, lost.getMessage(), lost)
          .outcomeUnknown(lost.kind() != Unanswered.Kind.NOT_SENT);
    }
    if (cause instanceof CancellationException) {
      return new LockException(ErrorCode.ABORTED, "the call was cancelled", cause)
          .outcomeUnknown(true);
    }
    return new LockException(ErrorCode.INTERNAL, "the call failed unexpectedly", cause)
        .outcomeUnknown(true);
  }
}
