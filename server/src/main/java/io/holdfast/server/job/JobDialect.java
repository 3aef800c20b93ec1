package io.holdfast.server.job;

import io.holdfast.ErrorCode;
import io.holdfast.HoldfastException;
import io.holdfast.client.http.Failure;
import io.holdfast.job.JobError;
import io.holdfast.job.JobException;
import io.holdfast.server.http.Answer;
import io.holdfast.server.http.Dialect;
import io.holdfast.server.http.Exchange;
import io.holdfast.server.http.Refusal;
import io.holdfast.server.http.Spelling;
import io.holdfast.server.http.WireJson;
import java.util.Map;
import java.util.concurrent.CancellationException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Failures of jobs: the code of the job's error, and the status that belongs to it. */
final class JobDialect implements Dialect {
  static final JobDialect INSTANCE = new JobDialect();

  private static final Logger LOG = LoggerFactory.getLogger(JobDialect.class);
  private static final int NOT_THERE = 501;
  private static final Spelling FIELDS =
      new Spelling(
          Map.of(
              "leaseFor", "leaseMs",
              "delay", "delayMs",
              "timeout", "timeoutNanos",
              "spread", "spreadMs",
              "doneKeep", "doneKeepMs",
              "deadKeep", "dlqKeepMs"));

  private JobDialect() {}

  @Override
  public Answer failure(Exchange exchange, Throwable failure) {
    if (failure instanceof Refusal refusal) {
      return refused(refusal);
    }
    if (failure instanceof JobException known && known.error() != JobError.INTERNAL) {
      int status = status(known.error());
      Failure told =
          Failure.of(
              FIELDS.of(known.getMessage()),
              known.error().text(),
              known.id(),
              known.isOutcomeUnknown());
      return told(status, told);
    }
    if (failure instanceof HoldfastException known && known.code() == ErrorCode.INVALID_ARGUMENT) {
      return told(400, JobError.INVALID_ARGUMENT, FIELDS.of(known.getMessage()), false);
    }
    if (failure instanceof CancellationException) {
      return told(408, JobError.ABORTED, "the call was called off", true);
    }
    LOG.error("{} failed", exchange.path(), failure);
    return told(500, JobError.INTERNAL, "the server failed; its log says more", true);
  }

  private static Answer refused(Refusal refusal) {
    String message = refusal.getMessage();
    int status = refusal.kind().status();
    return switch (refusal.kind()) {
      case MALFORMED, WRONG_METHOD -> told(status, JobError.INVALID_ARGUMENT, message, false);
      case UNKNOWN_PATH -> told(NOT_THERE, JobError.INVALID_ARGUMENT, message, false);
      case UNAUTHENTICATED ->
          told(status, Failure.of(String.valueOf(message), "Unauthorized", null, false));
      case FORBIDDEN -> told(status, Failure.of(String.valueOf(message), "Forbidden", null, false));
      case TOO_SLOW -> told(status, JobError.ABORTED, message, false);
      case TOO_LARGE -> told(status, JobError.PAYLOAD_TOO_LARGE, message, false);
      case OVERLOADED -> told(status, JobError.STORE_UNAVAILABLE, message, false);
      case SHUTTING_DOWN -> told(status, JobError.STORE_CLOSED, message, false);
      case DEADLINE -> told(status, JobError.STORE_UNAVAILABLE, message, true);
    };
  }

  private static Answer told(
      int status, JobError error, @Nullable String message, boolean isUnknown) {
    return told(status, Failure.of(String.valueOf(message), error.text(), null, isUnknown));
  }

  private static Answer told(int status, Failure failure) {
    Answer answer = WireJson.answer(status, failure);
    return status == 503 ? answer.with("Retry-After", "1") : answer;
  }

  private static int status(JobError error) {
    return switch (error) {
      case JOB_NOT_FOUND, SCHEDULE_NOT_FOUND -> 404;
      case PAYLOAD_TOO_LARGE -> 413;
      case STORE_CLOSED, STORE_UNAVAILABLE -> 503;
      case ABORTED -> 408;
      case INTERNAL -> 500;
      default -> error.code() == ErrorCode.INVALID_ARGUMENT ? 400 : 409;
    };
  }
}
