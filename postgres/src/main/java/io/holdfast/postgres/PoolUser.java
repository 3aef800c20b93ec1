package io.holdfast.postgres;

import io.holdfast.Telemetry.Figure;
import io.holdfast.lease.Cancellation;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLNonTransientConnectionException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;

/** One user's share of a pool; a second close does nothing, and so does everything after it. */
final class PoolUser implements Database {
  private final PooledDatabase pool;
  private final Runnable leave;
  private final AtomicBoolean closed = new AtomicBoolean();

  PoolUser(PooledDatabase pool, Runnable leave) {
    this.pool = pool;
    this.leave = leave;
  }

  @Override
  public Connection borrow(Cancellation cancellation, Duration limit) throws SQLException {
    requireOpen();
    return pool.borrow(cancellation, limit);
  }

  @Override
  public void giveBack(Connection connection) {
    pool.giveBack(connection);
  }

  @Override
  public void discard(Connection connection) {
    pool.discard(connection);
  }

  @Override
  public Connection dedicated() throws SQLException {
    requireOpen();
    return pool.dedicated();
  }

  @Override
  public List<Figure> figures() {
    return pool.figures();
  }

  @Override
  public void close() {
    if (closed.compareAndSet(false, true)) {
      leave.run();
    }
  }

  private void requireOpen() throws SQLException {
    if (closed.get()) {
      throw new SQLNonTransientConnectionException("the pool was closed", "08003");
    }
  }
}
