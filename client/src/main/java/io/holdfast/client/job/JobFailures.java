package io.holdfast.client.job;

import io.holdfast.client.http.Failure;
import io.holdfast.client.http.Unanswered;
import io.holdfast.client.http.Verbs;
import io.holdfast.job.JobError;
import io.holdfast.job.JobException;
import io.holdfast.lease.Causes;
import java.util.Arrays;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Turns what goes wrong on the way into the exceptions that jobs have in any process. */
final class JobFailures {
  private JobFailures() {}

  static Optional<JobError> error(@Nullable String text) {
    return Arrays.stream(JobError.values()).filter(known -> known.text().equals(text)).findAny();
  }

  /** The reason in an answer about one item; null: it was not refused. */
  static @Nullable JobError refusal(boolean isOk, @Nullable String code) {
    return isOk ? null : error(code).orElse(JobError.INTERNAL);
  }

  /** A refusal of the server. */
  static JobException of(Verbs.Failed failed) {
    Failure failure = failed.failure();
    Failure.Details details = failure.details();
    boolean isUnknown = details != null && Boolean.TRUE.equals(details.outcomeUnknown());
    JobError error =
        error(details == null ? failure.code() : details.code())
            .orElse(
                failed.status() >= 500 ? JobError.STORE_UNAVAILABLE : JobError.INVALID_ARGUMENT);
    if (error == JobError.STORE_CLOSED) {
      error = JobError.STORE_UNAVAILABLE; // a server that ends will be back, or another is there
    }
    if (isUnknown && error == JobError.STORE_UNAVAILABLE) {
      return JobException.unknown(failure.error(), null);
    }
    String id = details == null ? null : details.id();
    return id == null
        ? new JobException(error, failure.error(), null)
        : JobException.about(id, error, failure.error());
  }

  /** Makes a call. */
  static <T> T told(Supplier<T> call) {
    try {
      return call.get();
    } catch (Unanswered e) {
      throw unanswered(e);
    }
  }

  /** Why a call failed that nobody waited for on its thread. */
  static Throwable known(Throwable failure) {
    Throwable cause = Causes.of(failure);
    return cause instanceof Unanswered e ? unanswered(e) : cause;
  }

  private static JobException unanswered(Unanswered e) {
    String message = String.valueOf(e.getMessage());
    return switch (e.kind()) {
      case NOT_SENT -> JobException.unavailable(message, e);
      case LOST, LATE -> JobException.unknown(message, e);
      case CALLED_OFF -> new JobException(JobError.ABORTED, message, e);
    };
  }
}
