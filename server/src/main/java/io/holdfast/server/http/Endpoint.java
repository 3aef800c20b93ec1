package io.holdfast.server.http;

import java.util.concurrent.CompletionStage;

/**
 * Serves one route. It is called on an event loop (on a worker thread if the body is large), so it
 * must not block: what blocks goes through {@link Exchange#blocking}. Whatever it throws, or its
 * answer fails with, becomes an answer by the route's {@link Dialect}.
 */
@FunctionalInterface
public interface Endpoint {
  /** The answer, now or later. */
  CompletionStage<Answer> serve(Exchange exchange);
}
