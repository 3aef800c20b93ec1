package io.holdfast.postgres;

import io.holdfast.ErrorCode;
import io.holdfast.HoldfastException;
import java.time.Duration;

/**
 * How a connection pool behaves.
 *
 * @param maxConnections callers that can be in the database at once; background work uses two more
 * @param idleTimeout after which an unused connection is closed
 * @param connectTimeout for a new connection, and for waiting for a free one
 * @param maxLifetime after which a connection is replaced
 * @param hasPooler whether another pooler is in between, which wants neither start-up options nor
 *     statements that a session keeps
 */
public record PoolSettings(
    int maxConnections,
    Duration idleTimeout,
    Duration connectTimeout,
    Duration maxLifetime,
    boolean hasPooler) {
  /** 20 connections, 60 s, 30 s, 1 h, straight to the database. */
  public static final PoolSettings DEFAULTS =
      new PoolSettings(
          20, Duration.ofSeconds(60), Duration.ofSeconds(30), Duration.ofHours(1), false);

  public PoolSettings {
    if (maxConnections < 1) {
      throw invalid("maxConnections must be at least 1");
    }
    if (idleTimeout.compareTo(Duration.ofSeconds(10)) < 0) {
      throw invalid("idleTimeout must be at least 10 s");
    }
    if (connectTimeout.compareTo(Duration.ofMillis(250)) < 0) {
      throw invalid("connectTimeout must be at least 250 ms");
    }
    if (maxLifetime.compareTo(Duration.ofSeconds(30)) < 0) {
      throw invalid("maxLifetime must be at least 30 s");
    }
  }

  /** With another number of connections. */
  public PoolSettings withMaxConnections(int value) {
    return new PoolSettings(value, idleTimeout, connectTimeout, maxLifetime, hasPooler);
  }

  /** With another limit for connecting. */
  public PoolSettings withConnectTimeout(Duration value) {
    return new PoolSettings(maxConnections, idleTimeout, value, maxLifetime, hasPooler);
  }

  /** Through a pooler such as PgBouncer, or not. */
  public PoolSettings withPooler(boolean value) {
    return new PoolSettings(maxConnections, idleTimeout, connectTimeout, maxLifetime, value);
  }

  private static HoldfastException invalid(String message) {
    return new HoldfastException(ErrorCode.INVALID_ARGUMENT, message, null);
  }
}
