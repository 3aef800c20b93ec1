package io.holdfast.postgres;

import io.holdfast.lock.LockCall;
import java.sql.Connection;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/**
 * Runs lock statements inside a caller's open transaction: never repeated, committed or rolled
 * back.
 */
final class CallersTransaction implements LockCaller {
  private final Connection connection;
  private final Statements statements;

  CallersTransaction(Connection connection, Statements statements) {
    this.connection = connection;
    this.statements = statements;
  }

  @Override
  public <T extends @Nullable Object> T single(String operation, LockCall call, SqlWork<T> work)
      throws SQLException {
    FenceGuard.requireTransaction(connection);
    return statements.run(
        operation, connection, LockFailures.limits(call), work, CallersTransaction::tearDown);
  }

  @Override
  public <T extends @Nullable Object> T transaction(
      String operation, LockCall call, SqlWork<T> work) throws SQLException {
    return single(operation, call, work);
  }

  /** A cancel that may arrive late must not hit the caller's next statement. */
  static void tearDown(Connection connection) {
    try {
      connection.abort(Runnable::run);
    } catch (SQLException e) {
      // It is gone already, which is what was wanted.
    }
  }
}
