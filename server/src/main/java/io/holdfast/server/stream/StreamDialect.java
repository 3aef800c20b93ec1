package io.holdfast.server.stream;

import io.holdfast.server.http.Answer;
import io.holdfast.server.http.Dialect;
import io.holdfast.server.http.Exchange;
import io.holdfast.server.http.Refusal;
import io.holdfast.stream.QueueFullException;
import io.holdfast.stream.StreamError;
import io.holdfast.stream.StreamException;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Failures on the streams' wire: a text, and a code. */
final class StreamDialect implements Dialect {
  static final StreamDialect INSTANCE = new StreamDialect();

  private static final Logger LOG = LoggerFactory.getLogger(StreamDialect.class);

  private StreamDialect() {}

  @Override
  public Answer failure(Exchange exchange, Throwable failure) {
    if (failure instanceof Refusal refusal) {
      int status = refusal.kind().status();
      return answer(status, code(refusal.kind()), String.valueOf(refusal.getMessage()), Map.of());
    }
    if (failure instanceof NotOffered notOffered) {
      return answer(501, "not_implemented", String.valueOf(notOffered.getMessage()), Map.of());
    }
    if (failure instanceof NotFound notFound) {
      return answer(404, "NOT_FOUND", String.valueOf(notFound.getMessage()), Map.of());
    }
    if (failure instanceof StreamException known && known.error() != StreamError.INTERNAL) {
      return answer(status(known.error()), known.error().name(), text(known), more(known));
    }
    LOG.error("{} {} failed", exchange.method(), exchange.path(), failure);
    return answer(500, "INTERNAL", "the server failed; its log says more", Map.of());
  }

  /** Part of the wire that is left out. */
  static final class NotOffered extends RuntimeException {
    private static final long serialVersionUID = 1L;

    NotOffered() {
      super("this server does not offer that", null, false, false);
    }
  }

  /** An object that is not there. */
  static final class NotFound extends RuntimeException {
    private static final long serialVersionUID = 1L;

    NotFound(String message) {
      super(message, null, false, false);
    }
  }

  private static Answer answer(int status, String code, String text, Map<String, Object> more) {
    Map<String, Object> body = Doc.of("error", text, "code", code);
    body.putAll(more);
    Answer answer = Doc.answer(status, body);
    return status == 503 || status == 429 ? answer.with("Retry-After", "1") : answer;
  }

  private static String text(StreamException known) {
    return String.valueOf(known.getMessage());
  }

  private static Map<String, Object> more(StreamException known) {
    if (known instanceof QueueFullException full) {
      return Doc.of(
          "queue", full.queue(),
          "queueDepth", full.depth(),
          "maxSize", full.maxSize(),
          "remainingCapacity", full.remaining());
    }
    return known.isOutcomeUnknown() ? Map.of("outcomeUnknown", true) : Map.of();
  }

  private static String code(Refusal.Kind kind) {
    return switch (kind) {
      case MALFORMED -> "INVALID_ARGUMENT";
      case UNAUTHENTICATED -> "unauthorized";
      case FORBIDDEN -> "forbidden";
      case UNKNOWN_PATH -> "no_such_route";
      case WRONG_METHOD -> "wrong_method";
      case TOO_SLOW -> "too_slow";
      case TOO_LARGE -> "PAYLOAD_TOO_LARGE";
      case OVERLOADED, SHUTTING_DOWN, DEADLINE -> "UNAVAILABLE";
    };
  }

  private static int status(StreamError error) {
    return switch (error) {
      case INVALID_ARGUMENT, UNRESOLVABLE -> 400;
      case QUEUE_NOT_FOUND, PARTITION_NOT_FOUND, GROUP_NOT_FOUND -> 404;
      case LEASE_LOST, ALREADY_COMMITTED, REWOUND -> 409;
      case PAYLOAD_TOO_LARGE -> 413;
      case QUEUE_FULL -> 429;
      case PAUSED, ENCRYPTION_UNAVAILABLE, LOCK_TIMEOUT, UNAVAILABLE, CLOSED, ABORTED -> 503;
      case DECRYPT_FAILED, INTERNAL -> 500;
    };
  }
}
