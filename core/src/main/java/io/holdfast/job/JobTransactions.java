package io.holdfast.job;

import java.sql.Connection;

/**
 * What a handler does to its job inside a transaction of its own. Core knows the connection only by
 * name; a store without transactions refuses.
 */
public interface JobTransactions {
  /** {@code inflight → done} with the caller's commit; fails when the lease is lost. */
  void ack(Connection connection, Settlement.Ack ack);

  /** Keeps everybody from taking the job over until the transaction ends, or fails. */
  void guard(Connection connection, Held held);

  /** Of a store that has no transactions. */
  static JobTransactions none() {
    return new JobTransactions() {
      @Override
      public void ack(Connection connection, Settlement.Ack ack) {
        throw refusal();
      }

      @Override
      public void guard(Connection connection, Held held) {
        throw refusal();
      }

      private JobException refusal() {
        return JobException.invalid("connection: this store has no transactions");
      }
    };
  }
}
