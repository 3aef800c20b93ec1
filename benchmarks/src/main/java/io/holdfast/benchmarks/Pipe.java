package io.holdfast.benchmarks;

import java.sql.SQLException;

/** A log of some kind with one producer and one consumer, each used by one thread. */
interface Pipe extends AutoCloseable {
  /** How reports call it. */
  String title();

  /** Stores so many messages in one commit. */
  void push(int batch) throws Exception;

  /** Reads and settles what comes next, and answers how many messages were settled; maybe none. */
  int take(int batch) throws Exception;

  @Override
  void close() throws SQLException;
}
