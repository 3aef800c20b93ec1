package io.holdfast.postgres;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLTimeoutException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGProperty;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * Opens connections to one database, with our defaults where the connection string says nothing.
 */
final class PgSource extends PGSimpleDataSource {
  private static final long serialVersionUID = 1L;

  /**
   * Our statements go by indexes, also on a table that the planner still believes to be empty, and
   * none is worth compiling.
   */
  private static final String PLANS_BY_INDEX =
      "-c enable_seqscan=off -c enable_bitmapscan=off -c jit=off";

  private static final String PROTOCOL_VIOLATION = "08P01";

  PgSource(ConnectionString where, Duration connectTimeout) {
    this(where, PoolSettings.DEFAULTS.withConnectTimeout(connectTimeout));
  }

  PgSource(ConnectionString where, PoolSettings settings) {
    setURL(where.jdbcUrl());
    int seconds = (int) Math.max(1, settings.connectTimeout().toSeconds());
    if (!where.names(PGProperty.CONNECT_TIMEOUT)) {
      setConnectTimeout(seconds);
    }
    if (!where.names(PGProperty.LOGIN_TIMEOUT)) {
      super.setLoginTimeout(seconds);
    }
    if (!where.names(PGProperty.CANCEL_SIGNAL_TIMEOUT)) {
      // The driver lets a stopped call wait for its cancel, however dead the network is.
      setCancelSignalTimeout(1);
    }
    if (!where.names(PGProperty.APPLICATION_NAME)) {
      setApplicationName("holdfast");
    }
    if (!where.names(PGProperty.TCP_KEEP_ALIVE)) {
      setTcpKeepAlive(true);
    }
    if (!where.names(PGProperty.OPTIONS) && !settings.hasPooler()) {
      setOptions(PLANS_BY_INDEX);
    }
    if (!where.names(PGProperty.PREPARE_THRESHOLD) && settings.hasPooler()) {
      setPrepareThreshold(0);
    }
  }

  /** A pooler may refuse start-up options; then it goes without them from here on. */
  @Override
  public Connection getConnection(@Nullable String user, @Nullable String password)
      throws SQLException {
    String options = getOptions();
    try {
      return connect(user, password);
    } catch (SQLException e) {
      if (!PROTOCOL_VIOLATION.equals(e.getSQLState()) || !PLANS_BY_INDEX.equals(options)) {
        throw e;
      }
      setOptions(null);
      return connect(user, password);
    }
  }

  /** A login that took too long is a timeout, which the driver does not tell from a refusal. */
  private Connection connect(@Nullable String user, @Nullable String password) throws SQLException {
    long startNanos = System.nanoTime();
    try {
      return super.getConnection(user, password);
    } catch (SQLException e) {
      boolean late = System.nanoTime() - startNanos >= TimeUnit.SECONDS.toNanos(getLoginTimeout());
      if (late && e.getCause() == null && Failures.isUnreachable(e)) {
        throw new SQLTimeoutException(e.getMessage(), e.getSQLState(), e);
      }
      throw e;
    }
  }

  /** The pool would impose the limit it waits for a free connection, which is another matter. */
  @Override
  public void setLoginTimeout(int seconds) {}
}
