package io.holdfast.postgres;

import io.holdfast.lock.LockCall;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/** Where lock statements run: on a connection of the pool, or on a caller's own. */
interface LockCaller {
  /** Runs a statement that commits by itself, or with the caller's transaction. */
  <T extends @Nullable Object> T single(String operation, LockCall call, SqlWork<T> work)
      throws SQLException;

  /** Runs several statements as one transaction, or inside the caller's. */
  <T extends @Nullable Object> T transaction(String operation, LockCall call, SqlWork<T> work)
      throws SQLException;

  /** On pooled connections, repeated when they lose against another transaction. */
  static LockCaller pooled(Transactions transactions) {
    return new LockCaller() {
      @Override
      public <T extends @Nullable Object> T single(String operation, LockCall call, SqlWork<T> work)
          throws SQLException {
        return transactions.single(operation, LockFailures.limits(call), work);
      }

      @Override
      public <T extends @Nullable Object> T transaction(
          String operation, LockCall call, SqlWork<T> work) throws SQLException {
        TransactionSettings settings =
            new TransactionSettings(
                Isolation.READ_COMMITTED, call.callTimeout(), call.lockTimeout());
        return transactions.transaction(operation, LockFailures.limits(call), settings, work);
      }
    };
  }
}
