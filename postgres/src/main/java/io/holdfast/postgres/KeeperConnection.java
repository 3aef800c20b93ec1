package io.holdfast.postgres;

import io.holdfast.lease.Reserve;
import io.holdfast.lock.LockCall;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The connection on which leases are renewed: held while any is kept, so that renewals go on when
 * every other connection is busy in a critical section. Safe for use by many threads.
 */
final class KeeperConnection implements Reserve {
  private static final Logger LOG = LoggerFactory.getLogger(KeeperConnection.class);

  private final Database database;
  private final Statements statements;
  private final ReentrantLock use = new ReentrantLock();
  private volatile boolean wanted;
  private @Nullable Connection connection;

  KeeperConnection(Database database, Statements statements) {
    this.database = database;
    this.statements = statements;
  }

  @Override
  public void take() {
    use.lock();
    try {
      wanted = true;
      open();
    } catch (SQLException e) {
      throw LockFailures.of("reserve", e);
    } finally {
      use.unlock();
    }
  }

  /** Never waits for a renewal that is under way: that one drops the connection when it is over. */
  @Override
  public void giveBack() {
    wanted = false;
    dropUnwanted();
  }

  private void dropUnwanted() {
    if (!wanted && use.tryLock()) {
      try {
        drop();
      } finally {
        use.unlock();
      }
    }
  }

  /** Runs {@code work} on the kept connection, or without one as {@code caller} does. */
  <T extends @Nullable Object> T run(
      String operation, LockCall call, LockCaller caller, SqlWork<T> work) throws SQLException {
    if (!wanted) {
      return caller.single(operation, call, work);
    }
    use.lock();
    try {
      return runKept(operation, open(), call, work);
    } finally {
      use.unlock();
      dropUnwanted();
    }
  }

  private <T extends @Nullable Object> T runKept(
      String operation, Connection kept, LockCall call, SqlWork<T> work) throws SQLException {
    boolean good = false;
    try {
      T answer =
          statements.run(operation, kept, LockFailures.limits(call), work, spoiled -> drop());
      good = true;
      return answer;
    } finally {
      if (!good) {
        drop();
      }
    }
  }

  private Connection open() throws SQLException {
    Connection kept = connection;
    if (kept == null) {
      kept = database.dedicated();
      connection = kept;
    }
    return kept;
  }

  private void drop() {
    Connection kept = connection;
    connection = null;
    if (kept != null) {
      try {
        kept.close();
      } catch (SQLException e) {
        LOG.debug("closing the renewal connection failed: {}", e.getMessage());
      }
    }
  }
}
