package io.holdfast.postgres;

import io.holdfast.ErrorCode;
import io.holdfast.lease.Fence;
import io.holdfast.lock.LockException;
import io.holdfast.lock.LockKey;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import javax.sql.DataSource;

/**
 * Makes the database refuse what a stale holder wants to commit. Only fences are compared, so the
 * guarded data may be in another database than the locks. Safe for use by many threads.
 */
public final class FenceGuard {
  private static final String ASSERT = "SELECT holdfast.assert_fence(?, ?)";

  private FenceGuard() {}

  /**
   * Lets the open transaction of {@code connection} act on {@code resource} as the holder of {@code
   * fence}, unless a newer holder already has. Call it <strong>before the first read</strong> of
   * what is protected: what was read earlier may be out of date when the guard lets the transaction
   * pass.
   *
   * @throws LockException {@code StaleFence} when a newer holder has acted; the transaction is lost
   */
  public static void guard(Connection connection, String resource, Fence fence) {
    String checked = LockKey.canonical(resource, "resource");
    try {
      requireTransaction(connection);
      try (PreparedStatement statement = connection.prepareStatement(ASSERT)) {
        statement.setString(1, checked);
        statement.setLong(2, fence.value());
        statement.execute();
      }
    } catch (SQLException e) {
      throw LockFailures.of("guard", e);
    }
  }

  /** Creates what {@link #guard} needs in the database of {@code source}. */
  public static void install(DataSource source) {
    try (Statements statements = new Statements((operation, took, error) -> {})) {
      new Migrations(new Transactions(new UserDatabase(source), statements)).apply();
    }
  }

  static void requireTransaction(Connection connection) throws SQLException {
    if (connection.getAutoCommit()) {
      throw new LockException(
          ErrorCode.INVALID_ARGUMENT, "the connection is in autocommit mode: open a transaction");
    }
  }
}
