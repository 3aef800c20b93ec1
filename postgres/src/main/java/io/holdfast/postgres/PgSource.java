package io.holdfast.postgres;

import java.time.Duration;
import org.postgresql.PGProperty;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * Opens connections to one database, with our defaults where the connection string says nothing.
 */
final class PgSource extends PGSimpleDataSource {
  private static final long serialVersionUID = 1L;

  PgSource(ConnectionString where, Duration connectTimeout) {
    setURL(where.jdbcUrl());
    int seconds = (int) Math.max(1, connectTimeout.toSeconds());
    if (!where.names(PGProperty.CONNECT_TIMEOUT)) {
      setConnectTimeout(seconds);
    }
    if (!where.names(PGProperty.LOGIN_TIMEOUT)) {
      super.setLoginTimeout(seconds);
    }
    if (!where.names(PGProperty.APPLICATION_NAME)) {
      setApplicationName("holdfast");
    }
    if (!where.names(PGProperty.TCP_KEEP_ALIVE)) {
      setTcpKeepAlive(true);
    }
  }

  /** The pool would impose the limit it waits for a free connection, which is another matter. */
  @Override
  public void setLoginTimeout(int seconds) {}
}
