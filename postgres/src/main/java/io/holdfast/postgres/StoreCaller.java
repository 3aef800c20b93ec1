package io.holdfast.postgres;

import io.holdfast.lease.StoreCall;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Where statements of a store run: on a connection of the pool, or inside a caller's transaction.
 */
interface StoreCaller {
  /** Runs a statement that commits by itself, or with the caller's transaction. */
  <T extends @Nullable Object> T single(String operation, StoreCall call, SqlWork<T> work)
      throws SQLException;

  /** Runs several statements as one transaction, or inside the caller's. */
  <T extends @Nullable Object> T transaction(String operation, StoreCall call, SqlWork<T> work)
      throws SQLException;

  /** On pooled connections, repeated when they lose against another transaction. */
  static StoreCaller pooled(Transactions transactions) {
    return new StoreCaller() {
      @Override
      public <T extends @Nullable Object> T single(
          String operation, StoreCall call, SqlWork<T> work) throws SQLException {
        return transactions.single(operation, limits(call), work);
      }

      @Override
      public <T extends @Nullable Object> T transaction(
          String operation, StoreCall call, SqlWork<T> work) throws SQLException {
        return transactions.transaction(operation, limits(call), settings(call), work);
      }
    };
  }

  /** Inside the open transaction of {@code connection}: never repeated, nothing begun or ended. */
  static StoreCaller inside(
      Connection connection, Statements statements, Supplier<RuntimeException> noTransaction) {
    return new StoreCaller() {
      @Override
      public <T extends @Nullable Object> T single(
          String operation, StoreCall call, SqlWork<T> work) throws SQLException {
        if (connection.getAutoCommit()) {
          throw noTransaction.get();
        }
        return statements.run(
            operation, connection, limits(call), work, CallersTransaction::tearDown);
      }

      @Override
      public <T extends @Nullable Object> T transaction(
          String operation, StoreCall call, SqlWork<T> work) throws SQLException {
        return single(operation, call, work);
      }
    };
  }

  static Statements.Limits limits(StoreCall call) {
    return Statements.Limits.of(call.cancellation(), call.limit());
  }

  private static TransactionSettings settings(StoreCall call) {
    Duration shortest = Duration.ofMillis(1);
    Duration statement = call.limit().compareTo(shortest) < 0 ? shortest : call.limit();
    Duration lock = TransactionSettings.DEFAULTS.lockTimeout();
    return new TransactionSettings(
        Isolation.READ_COMMITTED, statement, lock.compareTo(statement) < 0 ? lock : statement);
  }
}
