package io.holdfast.postgres;

import java.sql.Connection;

/** The isolation levels a transaction of ours may run at. */
public enum Isolation {
  READ_COMMITTED(Connection.TRANSACTION_READ_COMMITTED),
  REPEATABLE_READ(Connection.TRANSACTION_REPEATABLE_READ),
  SERIALIZABLE(Connection.TRANSACTION_SERIALIZABLE);

  private final int jdbc;

  Isolation(int jdbc) {
    this.jdbc = jdbc;
  }

  int jdbc() {
    return jdbc;
  }
}
