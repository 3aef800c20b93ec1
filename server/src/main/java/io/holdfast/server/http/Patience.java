package io.holdfast.server.http;

import io.vertx.core.Vertx;
import io.vertx.core.http.HttpConnection;
import java.time.Duration;

/**
 * Closes a connection that brings no whole request for too long. It runs only between requests, so
 * a client that waits for its answer may be as silent as it likes. Used on one event loop.
 */
final class Patience {
  private final Vertx vertx;
  private final HttpConnection connection;
  private final long millis;
  private long timer = -1;

  Patience(Vertx vertx, HttpConnection connection, Duration limit) {
    this.vertx = vertx;
    this.connection = connection;
    this.millis = Math.max(1, limit.toMillis());
  }

  /** The connection has nothing to do from now on. */
  void begin() {
    end();
    timer = vertx.setTimer(millis, id -> connection.close());
  }

  /** It has. */
  void end() {
    if (timer >= 0) {
      vertx.cancelTimer(timer);
      timer = -1;
    }
  }
}
