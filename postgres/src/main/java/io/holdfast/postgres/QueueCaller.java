package io.holdfast.postgres;

import io.holdfast.queue.QueueCall;
import io.holdfast.queue.QueueException;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Where queue statements run: on a connection of the pool, or inside a caller's transaction. */
interface QueueCaller {
  /** Runs a statement that commits by itself, or with the caller's transaction. */
  <T extends @Nullable Object> T single(String operation, QueueCall call, SqlWork<T> work)
      throws SQLException;

  /** Runs several statements as one transaction, or inside the caller's. */
  <T extends @Nullable Object> T transaction(String operation, QueueCall call, SqlWork<T> work)
      throws SQLException;

  /** On pooled connections, repeated when they lose against another transaction. */
  static QueueCaller pooled(Transactions transactions) {
    return new QueueCaller() {
      @Override
      public <T extends @Nullable Object> T single(
          String operation, QueueCall call, SqlWork<T> work) throws SQLException {
        return transactions.single(operation, QueueFailures.limits(call), work);
      }

      @Override
      public <T extends @Nullable Object> T transaction(
          String operation, QueueCall call, SqlWork<T> work) throws SQLException {
        return transactions.transaction(
            operation, QueueFailures.limits(call), settings(call), work);
      }
    };
  }

  /** Inside the open transaction of {@code connection}: never repeated, nothing begun or ended. */
  static QueueCaller inside(Connection connection, Statements statements) {
    return new QueueCaller() {
      @Override
      public <T extends @Nullable Object> T single(
          String operation, QueueCall call, SqlWork<T> work) throws SQLException {
        if (connection.getAutoCommit()) {
          throw QueueException.invalid("connection is invalid; open a transaction on it first");
        }
        return statements.run(
            operation, connection, QueueFailures.limits(call), work, CallersTransaction::tearDown);
      }

      @Override
      public <T extends @Nullable Object> T transaction(
          String operation, QueueCall call, SqlWork<T> work) throws SQLException {
        return single(operation, call, work);
      }
    };
  }

  private static TransactionSettings settings(QueueCall call) {
    Duration shortest = Duration.ofMillis(1);
    Duration statement = call.limit().compareTo(shortest) < 0 ? shortest : call.limit();
    Duration lock = TransactionSettings.DEFAULTS.lockTimeout();
    return new TransactionSettings(
        Isolation.READ_COMMITTED, statement, lock.compareTo(statement) < 0 ? lock : statement);
  }
}
