package io.holdfast.server.queue;

import io.holdfast.client.proto.MalformedMessage;
import io.holdfast.client.proto.ProtoJson;
import io.holdfast.client.queue.QueueMessages;
import io.holdfast.client.queue.QueueMessages.QueueReply;
import io.holdfast.queue.QueueException;
import io.holdfast.server.http.Answer;
import io.holdfast.server.http.Dialect;
import io.holdfast.server.http.Exchange;
import io.holdfast.server.http.Refusal;
import java.util.Map;
import java.util.TreeMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Failures on the wire of queues. The status of HTTP is the code in the body; clients match the
 * text up to the semicolon. Who asked for extensions also gets what the code does not tell.
 */
final class QueueDialect implements Dialect {
  static final QueueDialect INSTANCE = new QueueDialect();

  private static final Logger LOG = LoggerFactory.getLogger(QueueDialect.class);
  private static final int INVALID = 400;
  private static final int FAILED = 453;
  private static final int RETRY = 454;
  private static final int CONTENT = 455;
  private static final int INTERNAL = 500;
  private static final int NOT_IMPLEMENTED = 501;
  private static final Map<Integer, String> TEXTS =
      Map.of(
          INVALID,
          "Bad Request",
          401,
          "Unauthorized",
          403,
          "Forbidden",
          FAILED,
          "Request Failed",
          RETRY,
          "Retry Request",
          CONTENT,
          "Client Content Error",
          INTERNAL,
          "Internal Service Error",
          NOT_IMPLEMENTED,
          "Not Implemented");

  private QueueDialect() {}

  @Override
  public Answer failure(Exchange exchange, Throwable failure) {
    if (failure instanceof QueueException known && known.kind() != QueueException.Kind.INTERNAL) {
      return answer(exchange, code(known.kind()), known.getMessage(), details(known));
    }
    if (failure instanceof Refusal refusal) {
      return refusal(exchange, refusal);
    }
    if (failure instanceof MalformedMessage malformed) {
      return answer(exchange, CONTENT, malformed.getMessage(), Map.of());
    }
    LOG.error("{} {} failed", exchange.method(), exchange.path(), failure);
    return answer(exchange, INTERNAL, "the server failed; its log says more", Map.of());
  }

  private static int code(QueueException.Kind kind) {
    return switch (kind) {
      case INVALID, CONFLICT -> INVALID;
      case RETRYABLE -> RETRY;
      case FAILED -> FAILED;
      case INTERNAL -> INTERNAL;
    };
  }

  private static Map<String, String> details(QueueException failure) {
    Map<String, String> details = new TreeMap<>();
    details.put("kind", failure.kind().name());
    details.put("code", failure.code().text());
    if (failure.isOutcomeUnknown()) {
      details.put("outcome", "unknown");
    }
    return details;
  }

  private static Answer refusal(Exchange exchange, Refusal refusal) {
    String text = refusal.getMessage();
    return switch (refusal.kind()) {
      case MALFORMED -> answer(exchange, CONTENT, text, Map.of());
      case WRONG_METHOD, TOO_LARGE, TOO_SLOW -> answer(exchange, INVALID, text, Map.of());
      case UNAUTHENTICATED, FORBIDDEN -> answer(exchange, refusal.kind().status(), text, Map.of());
      case UNKNOWN_PATH -> answer(exchange, NOT_IMPLEMENTED, text, Map.of());
      case OVERLOADED -> {
        QueueException overloaded = QueueException.overloaded();
        yield answer(exchange, RETRY, overloaded.getMessage(), details(overloaded));
      }
      case SHUTTING_DOWN -> {
        QueueException closed = QueueException.closed("service is shutting down");
        yield answer(exchange, FAILED, closed.getMessage(), details(closed));
      }
      case DEADLINE -> {
        QueueException late =
            QueueException.unknown("request timeout; the outcome is unknown", null);
        yield answer(exchange, RETRY, late.getMessage(), details(late));
      }
    };
  }

  private static Answer answer(
      Exchange exchange, int code, String message, Map<String, String> details) {
    boolean isExtended = isExtended(exchange);
    QueueReply reply =
        new QueueReply(
            code, TEXTS.getOrDefault(code, ""), message, isExtended ? details : Map.of());
    Format format = replies(exchange);
    return Answer.of(code, format.type(), format.write(reply, ProtoJson.Audience.STRICT));
  }

  static boolean isExtended(Exchange exchange) {
    return "1".equals(exchange.header(QueueMessages.EXTENSIONS));
  }

  /** Even who accepts nothing that is known is told so. */
  private static Format replies(Exchange exchange) {
    try {
      return Format.of("Accept", exchange.header("Accept"));
    } catch (MalformedMessage e) {
      return Format.JSON;
    }
  }
}
