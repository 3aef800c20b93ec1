package io.holdfast.postgres;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import com.zaxxer.hikari.HikariPoolMXBean;
import io.holdfast.Telemetry.Figure;
import io.holdfast.lease.Cancellation;
import io.holdfast.lease.Signal;
import io.holdfast.lease.Time;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLTimeoutException;
import java.sql.SQLTransientConnectionException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A pool of ours. A database that cannot be reached is tried again after 100, 200, 400 and 800 ms;
 * no failure is remembered, so the next call starts afresh. Waiting for a free connection happens
 * in short turns, between which the caller can cancel.
 */
final class PooledDatabase implements Database {
  private static final Logger LOG = LoggerFactory.getLogger(PooledDatabase.class);
  private static final int TRIES = 5;
  private static final long FIRST_PAUSE_MS = 100;
  private static final long TURN_MS = 250;

  private final ConnectionString where;
  private final PoolSettings settings;
  private final PgSource source;
  private @Nullable HikariDataSource pool;
  private boolean closed;

  PooledDatabase(ConnectionString where, PoolSettings settings) {
    this.where = where;
    this.settings = settings;
    this.source = new PgSource(where, settings);
  }

  PoolSettings settings() {
    return settings;
  }

  @Override
  public Connection borrow(Cancellation cancellation, Duration limit) throws SQLException {
    Duration wait =
        limit.compareTo(settings.connectTimeout()) < 0 ? limit : settings.connectTimeout();
    long untilNanos = System.nanoTime() + wait.toNanos();
    int failures = 0;
    while (true) {
      HikariDataSource used = pool();
      try {
        return used.getConnection();
      } catch (SQLTransientConnectionException e) {
        Throwable reason = e.getCause();
        boolean over = System.nanoTime() - untilNanos > 0 || cancellation.isCancelled();
        if (reason instanceof SQLException failure) {
          if (!Failures.isUnreachable(failure)) {
            throw failure;
          }
          failures++;
          LOG.warn("{} cannot be reached, try {}: {}", where, failures, failure.getMessage());
          if (failures == TRIES || over) {
            throw failure;
          }
          pause(failures, cancellation);
        } else if (over) {
          renewIfSpoilt(used, reason);
          throw isFull() ? e : new SQLTimeoutException("a login took too long", "08001", e);
        } else {
          renewIfSpoilt(used, reason);
        }
      } catch (SQLException e) {
        if (!used.isClosed()) {
          throw e;
        }
      }
    }
  }

  /**
   * A pool whose first connection broke while it was set up has taken a wrong isolation level for
   * the default, and fails to set it on every other one, for good. Without any it is replaced.
   */
  private synchronized void renewIfSpoilt(HikariDataSource used, @Nullable Throwable reason) {
    if (reason != null
        && used == pool
        && !closed
        && used.getHikariPoolMXBean().getTotalConnections() == 0) {
      LOG.warn("{} is given a new pool: {}", where, reason.getMessage());
      used.close();
      pool = null;
    }
  }

  /** Whether every connection there may be is there, so that it is their users who take long. */
  private boolean isFull() {
    HikariDataSource current = current();
    return current != null
        && current.getHikariPoolMXBean().getTotalConnections() >= settings.maxConnections();
  }

  private void pause(int failures, Cancellation cancellation) throws SQLException {
    long until = Time.after(System.nanoTime(), FIRST_PAUSE_MS << (failures - 1));
    Signal.Woken woken = new Signal().await(Time.system(), until, cancellation);
    if (woken != Signal.Woken.TIMED_OUT) {
      throw new SQLException("the wait for a connection was called off", "57014");
    }
  }

  @Override
  public void giveBack(Connection connection) {
    try {
      connection.close();
    } catch (SQLException e) {
      LOG.debug("giving back a connection failed: {}", e.getMessage());
    }
  }

  @Override
  public void discard(Connection connection) {
    HikariDataSource current = current();
    if (current != null) {
      current.evictConnection(connection);
    }
    try {
      connection.abort(Runnable::run);
    } catch (SQLException e) {
      LOG.debug("aborting a connection failed: {}", e.getMessage());
    }
  }

  @Override
  public Connection dedicated() throws SQLException {
    return source.getConnection();
  }

  @Override
  public List<Figure> figures() {
    HikariDataSource current = current();
    HikariPoolMXBean used = current == null ? null : current.getHikariPoolMXBean();
    if (used == null) {
      return List.of();
    }
    return List.of(
        Figure.now("holdfast.pool.connections", state("active"), used.getActiveConnections()),
        Figure.now("holdfast.pool.connections", state("idle"), used.getIdleConnections()),
        Figure.now("holdfast.pool.limit", Map.of(), settings.maxConnections()),
        Figure.now("holdfast.pool.waiting", Map.of(), used.getThreadsAwaitingConnection()));
  }

  private static Map<String, String> state(String state) {
    return Map.of("state", state);
  }

  @Override
  public synchronized void close() {
    closed = true;
    if (pool != null) {
      pool.close();
    }
  }

  private synchronized @Nullable HikariDataSource current() {
    return pool;
  }

  private synchronized HikariDataSource pool() throws SQLException {
    if (closed) {
      throw new SQLException("the pool was closed", "08003");
    }
    if (pool == null) {
      pool = new HikariDataSource(config());
    }
    return pool;
  }

  private HikariConfig config() {
    HikariConfig config = new HikariConfig();
    config.setPoolName("holdfast-" + Integer.toHexString(System.identityHashCode(this)));
    config.setDataSource(source);
    config.setMaximumPoolSize(settings.maxConnections());
    config.setMinimumIdle(Math.min(1, settings.maxConnections()));
    config.setConnectionTimeout(TURN_MS);
    config.setValidationTimeout(TURN_MS);
    config.setInitializationFailTimeout(-1);
    config.setIdleTimeout(settings.idleTimeout().toMillis());
    config.setMaxLifetime(settings.maxLifetime().toMillis());
    return config;
  }
}
