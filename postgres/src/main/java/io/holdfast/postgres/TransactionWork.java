package io.holdfast.postgres;

import java.sql.Connection;
import java.sql.SQLException;

/**
 * What a transaction does. It may run again, so it must not have effects outside of the database.
 */
@FunctionalInterface
public interface TransactionWork<T> {
  /** Runs inside the transaction; it neither commits nor rolls back itself. */
  T run(Connection connection) throws SQLException;
}
