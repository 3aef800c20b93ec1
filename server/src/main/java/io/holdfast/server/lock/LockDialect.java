package io.holdfast.server.lock;

import io.holdfast.ErrorCode;
import io.holdfast.HoldfastException;
import io.holdfast.client.http.Failure;
import io.holdfast.lock.LockException;
import io.holdfast.server.http.Answer;
import io.holdfast.server.http.Dialect;
import io.holdfast.server.http.Exchange;
import io.holdfast.server.http.Refusal;
import io.holdfast.server.http.Spelling;
import io.holdfast.server.http.WireJson;
import java.util.Map;
import java.util.concurrent.CancellationException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Failures of locks: the code of the lock's error, and the status that belongs to it. */
final class LockDialect implements Dialect {
  static final LockDialect INSTANCE = new LockDialect();

  private static final Logger LOG = LoggerFactory.getLogger(LockDialect.class);
  private static final Spelling FIELDS = new Spelling(Map.of("ttl", "ttlMs"));
  private static final int NOT_THERE = 501;

  private LockDialect() {}

  @Override
  public Answer failure(Exchange exchange, Throwable failure) {
    if (failure instanceof Refusal refusal) {
      return refused(refusal);
    }
    if (failure instanceof HoldfastException known) {
      boolean isUnknown = failure instanceof LockException lock && lock.isOutcomeUnknown();
      if (known.code() == ErrorCode.INTERNAL) {
        LOG.error("{} failed: {}", exchange.path(), known.getMessage(), known);
      }
      return told(status(known.code()), known.code(), FIELDS.of(known.getMessage()), isUnknown);
    }
    if (failure instanceof CancellationException) {
      return told(status(ErrorCode.ABORTED), ErrorCode.ABORTED, "the call was called off", true);
    }
    LOG.error("{} failed", exchange.path(), failure);
    return told(500, ErrorCode.INTERNAL, "the server failed; its log says more", true);
  }

  private static Answer refused(Refusal refusal) {
    String message = String.valueOf(refusal.getMessage());
    int status = refusal.kind().status();
    return switch (refusal.kind()) {
      case MALFORMED, TOO_LARGE -> told(status, ErrorCode.INVALID_ARGUMENT, message, false);
      case UNAUTHENTICATED, FORBIDDEN -> told(status, ErrorCode.AUTH_FAILED, message, false);
      case UNKNOWN_PATH -> told(NOT_THERE, ErrorCode.INVALID_ARGUMENT, message, false);
      case WRONG_METHOD -> told(status, ErrorCode.INVALID_ARGUMENT, message, false);
      case TOO_SLOW -> told(status, ErrorCode.ABORTED, message, false);
      case OVERLOADED, SHUTTING_DOWN -> told(status, ErrorCode.SERVICE_UNAVAILABLE, message, false);
      case DEADLINE ->
          told(status(ErrorCode.NETWORK_TIMEOUT), ErrorCode.NETWORK_TIMEOUT, message, true);
    };
  }

  private static Answer told(int status, ErrorCode code, String message, boolean isUnknown) {
    Answer answer = WireJson.answer(status, Failure.of(message, code.text(), null, isUnknown));
    return status == 503 || status == 429 ? answer.with("Retry-After", "1") : answer;
  }

  private static int status(ErrorCode code) {
    return switch (code) {
      case INVALID_ARGUMENT -> 400;
      case ABORTED -> 408;
      case STALE_FENCE, LEASE_LOST, CONFLICT -> 409;
      case RATE_LIMITED -> 429;
      case AUTH_FAILED, INTERNAL -> 500;
      case SERVICE_UNAVAILABLE, OVERLOADED, CLOSED -> 503;
      case NETWORK_TIMEOUT, ACQUISITION_TIMEOUT -> 504;
    };
  }
}
