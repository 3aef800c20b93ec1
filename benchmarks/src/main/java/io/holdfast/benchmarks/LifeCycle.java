package io.holdfast.benchmarks;

import java.sql.SQLException;

/** A queue of some kind, ready for use and with a backlog, so that every claim is a full one. */
interface LifeCycle extends AutoCloseable {
  /** How reports call it. */
  String title();

  /** The table with the items. */
  String table();

  /** What was said to the server so far. */
  StatementTimes statements();

  /** A way in for one thread. */
  Caller caller() throws SQLException;

  @Override
  void close();

  /** One thread's way in. */
  interface Caller extends AutoCloseable {
    /** Produces, leases and completes a batch, and answers how many items were completed. */
    int cycle(int batch) throws Exception;

    @Override
    default void close() throws SQLException {}
  }
}
