package io.holdfast.server.http;

import io.holdfast.HoldfastException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Failures of what is on no wire: health, metrics, the dashboard, paths where nothing is. */
public final class PlainDialect implements Dialect {
  /** It has no state. */
  public static final PlainDialect INSTANCE = new PlainDialect();

  private static final Logger LOG = LoggerFactory.getLogger(PlainDialect.class);

  private PlainDialect() {}

  @Override
  public Answer failure(Exchange exchange, Throwable failure) {
    if (failure instanceof Refusal refusal) {
      Answer answer =
          Json.error(refusal.kind().status(), code(refusal.kind()), refusal.getMessage());
      return refusal.kind().status() == 503 ? answer.with("Retry-After", "1") : answer;
    }
    if (failure instanceof HoldfastException known) {
      int status =
          switch (known.code()) {
            case INVALID_ARGUMENT -> 400;
            case CONFLICT, LEASE_LOST, STALE_FENCE -> 409;
            case INTERNAL -> 500;
            default -> 503;
          };
      if (status != 500) {
        return Json.error(status, known.code().text(), known.getMessage());
      }
    }
    LOG.error("{} {} failed", exchange.method(), exchange.path(), failure);
    return Json.error(500, "Internal", "the server failed; its log says more");
  }

  private static String code(Refusal.Kind kind) {
    return switch (kind) {
      case MALFORMED -> "bad_request";
      case UNAUTHENTICATED -> "unauthorized";
      case FORBIDDEN -> "forbidden";
      case UNKNOWN_PATH -> "no_such_route";
      case WRONG_METHOD -> "wrong_method";
      case TOO_SLOW -> "too_slow";
      case TOO_LARGE -> "too_large";
      case OVERLOADED -> "overloaded";
      case SHUTTING_DOWN -> "shutting_down";
      case DEADLINE -> "deadline";
    };
  }
}
