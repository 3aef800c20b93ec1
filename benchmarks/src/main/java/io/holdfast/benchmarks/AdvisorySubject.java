package io.holdfast.benchmarks;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

/**
 * A session advisory lock on a connection of the caller's own. It lives in the server's memory and
 * ends with the connection: no commit, no expiry, no fence, and no transaction-mode pooler.
 */
final class AdvisorySubject implements Subject {
  private final Place place;

  AdvisorySubject(Place place) {
    this.place = place;
  }

  @Override
  public Caller caller() throws SQLException {
    return new AdvisoryCaller(place.connect());
  }

  @Override
  public boolean waits() {
    return true;
  }

  @Override
  public void close() {}

  private static final class AdvisoryCaller implements Caller {
    private final Connection connection;
    private final PreparedStatement tryLock;
    private final PreparedStatement lock;
    private final PreparedStatement unlock;
    private String held = "";

    AdvisoryCaller(Connection connection) throws SQLException {
      this.connection = connection;
      try (Statement limit = connection.createStatement()) {
        limit.execute("SET lock_timeout = '30s'");
      }
      tryLock = connection.prepareStatement("SELECT pg_try_advisory_lock(hashtext(?))");
      lock = connection.prepareStatement("SELECT pg_advisory_lock(hashtext(?))");
      unlock = connection.prepareStatement("SELECT pg_advisory_unlock(hashtext(?))");
    }

    @Override
    public boolean tryAcquire(String key) throws SQLException {
      held = key;
      return isTrue(tryLock, key);
    }

    @Override
    public boolean acquire(String key, long untilNanos) throws SQLException {
      held = key;
      lock.setString(1, key);
      lock.execute();
      return true;
    }

    @Override
    public void release() throws SQLException {
      if (!isTrue(unlock, held)) {
        throw new IllegalStateException("the advisory lock was not held");
      }
    }

    private static boolean isTrue(PreparedStatement statement, String key) throws SQLException {
      statement.setString(1, key);
      try (ResultSet row = statement.executeQuery()) {
        row.next();
        return row.getBoolean(1);
      }
    }

    @Override
    public void close() throws SQLException {
      connection.close();
    }
  }
}
