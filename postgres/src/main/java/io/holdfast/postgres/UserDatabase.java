package io.holdfast.postgres;

import io.holdfast.Telemetry.Figure;
import io.holdfast.lease.Cancellation;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import javax.sql.DataSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A user's own data source, used as it is. How long it waits for a connection is its own affair,
 * and what is kept for renewals and hints is taken from it too.
 */
final class UserDatabase implements Database {
  private static final Logger LOG = LoggerFactory.getLogger(UserDatabase.class);

  private final DataSource source;

  /** Borrowed connections that came with autocommit off and go back that way. */
  private final Set<Connection> switched =
      Collections.synchronizedSet(Collections.newSetFromMap(new IdentityHashMap<>()));

  UserDatabase(DataSource source) {
    this.source = source;
  }

  @Override
  public Connection borrow(Cancellation cancellation, Duration limit) throws SQLException {
    Connection connection = source.getConnection();
    if (!connection.getAutoCommit()) {
      connection.setAutoCommit(true);
      switched.add(connection);
    }
    return connection;
  }

  @Override
  public void giveBack(Connection connection) {
    try {
      if (switched.remove(connection) && !connection.isClosed()) {
        connection.setAutoCommit(false);
      }
      connection.close();
    } catch (SQLException e) {
      LOG.debug("closing a connection failed: {}", e.getMessage());
    }
  }

  @Override
  public void discard(Connection connection) {
    switched.remove(connection);
    try {
      connection.abort(Runnable::run);
    } catch (SQLException e) {
      LOG.debug("aborting a connection failed: {}", e.getMessage());
    }
  }

  @Override
  public Connection dedicated() throws SQLException {
    Connection connection = source.getConnection();
    if (!connection.getAutoCommit()) {
      connection.setAutoCommit(true);
    }
    return connection;
  }

  @Override
  public List<Figure> figures() {
    return List.of();
  }

  @Override
  public void close() {}
}
