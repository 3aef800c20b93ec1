package io.holdfast.postgres;

/** The isolation levels a transaction of ours may run at. */
public enum Isolation {
  READ_COMMITTED,
  REPEATABLE_READ,
  SERIALIZABLE;

  String sql() {
    return name().replace('_', ' ');
  }
}
